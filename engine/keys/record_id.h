// Record ids at the end of keys: order-preserving, found from the end of the key.
//
// A record id of n extra bytes (0 to 7) takes n + 2: three bits n, then the id in 8n + 10 bits,
// then three bits n, big-endian. Ids below 1024 take 2 bytes, below 2^18 3, below 2^26 4, below
// 2^34 5. The first byte is never 0xFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/kv.h"

namespace mayfly::engine {

// `id` must not be negative.
void AppendRecordId(RecordId id, std::string* out);

struct KeyWithRecordId {
  std::string_view key;  // without the record id
  RecordId id = kNoRecord;
};
// nullopt if `bytes` does not end in a record id.
std::optional<KeyWithRecordId> SplitRecordId(std::string_view bytes);
// The same for keys from a store that is known to be sound: kNoRecord if there is no record id.
RecordId DecodeRecordIdAtEnd(std::string_view bytes, size_t* key_size_without_it);

}  // namespace mayfly::engine

// The expiry index: finds records that are due without looking at those that are not.
//
//   key := class:u8 moment:u64 BE record id (as in index keys)        value empty
//   class 0: follows the collection's default; moment = last modification in ms
//   class 1: has its own ttl; moment = when it is due in ms
// Records that never expire (ttl -1) have no entry. So a change of the collection's default changes
// no entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/catalog/record.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

enum class ExpiryClass : uint8_t { kDefault = 0, kOwn = 1 };

struct ExpiryEntry {
  ExpiryClass expiry_class = ExpiryClass::kDefault;
  int64_t moment_ms = 0;
  RecordId id = kNoRecord;
};

// The entry of a record; nullopt if it never expires by itself.
std::optional<ExpiryEntry> ExpiryEntryOf(const RecordHeader& header, RecordId id);

std::string ExpiryKey(const ExpiryEntry& entry);
// The first key a class can have.
std::string ExpiryClassStart(ExpiryClass expiry_class);
// `key` must be one made by ExpiryKey.
ExpiryEntry ParseExpiryKey(std::string_view key);

}  // namespace mayfly::engine

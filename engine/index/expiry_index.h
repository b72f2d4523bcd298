// The expiry index: finds records that are due without looking at those that are not.
//
//   key := class:u8 moment:u64 BE record id (as in index keys)        value empty
//   class 0: follows the collection's default; moment = last modification in ms
//   class 1: has its own ttl; moment = when it is due in ms
//   class 2: has an epoch attribute; moment = when it is due in ms. In a space of its own, as the
//            epoch rule is switched on and off apart from the other.
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

enum class ExpiryClass : uint8_t { kDefault = 0, kOwn = 1, kEpoch = 2 };

struct ExpiryEntry {
  ExpiryClass expiry_class = ExpiryClass::kDefault;
  int64_t moment_ms = 0;
  RecordId id = kNoRecord;
};

// The entry of a record; nullopt if it never expires by itself.
std::optional<ExpiryEntry> ExpiryEntryOf(const RecordHeader& header, RecordId id);

// The entry of a document under the epoch rule for `attribute`; nullopt if it is never due.
std::optional<ExpiryEntry> EpochEntryOf(std::string_view attribute, bson::View document,
                                        RecordId id);

std::string ExpiryKey(const ExpiryEntry& entry);
// The same into `*out`, whose memory is used again.
void SetExpiryKey(const ExpiryEntry& entry, std::string* out);
// The first key a class can have, from `moment_ms` >= 0 on.
std::string ExpiryClassStart(ExpiryClass expiry_class, int64_t moment_ms = 0);
// `key` must be one made by ExpiryKey.
ExpiryEntry ParseExpiryKey(std::string_view key);

}  // namespace mayfly::engine

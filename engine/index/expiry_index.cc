#include "engine/index/expiry_index.h"

#include "engine/keys/record_id.h"

namespace mayfly::engine {

std::optional<ExpiryEntry> ExpiryEntryOf(const RecordHeader& header, RecordId id) {
  if (!header.own_ttl.has_value()) {
    return ExpiryEntry{ExpiryClass::kDefault, header.modified_ms, id};
  }
  if (*header.own_ttl == kNeverExpires) return std::nullopt;
  return ExpiryEntry{ExpiryClass::kOwn, header.modified_ms + int64_t{*header.own_ttl} * 1000, id};
}

std::optional<ExpiryEntry> EpochEntryOf(std::string_view attribute, bson::View document,
                                        RecordId id) {
  const auto moment_ms = EpochMomentMs(document.Find(attribute));
  if (!moment_ms.has_value()) return std::nullopt;
  return ExpiryEntry{ExpiryClass::kEpoch, *moment_ms, id};
}

namespace {

void SetClassStart(ExpiryClass expiry_class, int64_t moment_ms, std::string* out) {
  char bytes[9];
  bytes[0] = static_cast<char>(expiry_class);
  for (int i = 1; i <= 8; ++i) {
    bytes[i] = static_cast<char>(static_cast<uint64_t>(moment_ms) >> (64 - 8 * i));
  }
  out->assign(bytes, sizeof bytes);
}

}  // namespace

std::string ExpiryClassStart(ExpiryClass expiry_class, int64_t moment_ms) {
  std::string key;
  SetClassStart(expiry_class, moment_ms, &key);
  return key;
}

void SetExpiryKey(const ExpiryEntry& entry, std::string* out) {
  SetClassStart(entry.expiry_class, entry.moment_ms, out);
  AppendRecordId(entry.id, out);
}

std::string ExpiryKey(const ExpiryEntry& entry) {
  std::string key;
  SetExpiryKey(entry, &key);
  return key;
}

ExpiryEntry ParseExpiryKey(std::string_view key) {
  ExpiryEntry entry;
  entry.expiry_class = static_cast<ExpiryClass>(key[0]);
  uint64_t moment = 0;
  for (size_t i = 1; i <= 8; ++i) moment = moment << 8 | static_cast<uint8_t>(key[i]);
  entry.moment_ms = static_cast<int64_t>(moment);
  size_t size = 0;
  entry.id = DecodeRecordIdAtEnd(key, &size);
  return entry;
}

}  // namespace mayfly::engine

#include "engine/keys/record_id.h"

#include <bit>

namespace mayfly::engine {

void AppendRecordId(RecordId id, std::string* out) {
  const auto value = static_cast<uint64_t>(id);
  const int width = std::bit_width(value);
  const int extra = width <= 10 ? 0 : (width - 10 + 7) / 8;
  const int size = extra + 2;
  char bytes[9];
  // The id's lowest five bits share the last byte with the count, its highest (at most five) the
  // first.
  bytes[size - 1] = static_cast<char>((value & 0x1F) << 3 | static_cast<uint64_t>(extra));
  uint64_t rest = value >> 5;
  for (int i = size - 2; i >= 0; --i, rest >>= 8) bytes[i] = static_cast<char>(rest);
  bytes[0] = static_cast<char>(static_cast<uint8_t>(bytes[0]) | extra << 5);
  out->append(bytes, static_cast<size_t>(size));
}

std::optional<KeyWithRecordId> SplitRecordId(std::string_view bytes) {
  if (bytes.size() < 2) return std::nullopt;
  const auto byte = [&bytes](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t last = byte(bytes.size() - 1);
  const size_t extra = last & 7;
  if (bytes.size() < extra + 2) return std::nullopt;
  const size_t start = bytes.size() - extra - 2;
  if (byte(start) >> 5 != extra) return std::nullopt;
  uint64_t value = byte(start) & 0x1F;
  for (size_t i = start + 1; i + 1 < bytes.size(); ++i) value = value << 8 | byte(i);
  value = value << 5 | last >> 3;
  return KeyWithRecordId{bytes.substr(0, start), static_cast<RecordId>(value)};
}

RecordId DecodeRecordIdAtEnd(std::string_view bytes, size_t* key_size_without_it) {
  const auto split = SplitRecordId(bytes);
  *key_size_without_it = split ? split->key.size() : bytes.size();
  return split ? split->id : kNoRecord;
}

}  // namespace mayfly::engine

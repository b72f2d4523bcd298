#include "engine/catalog/record.h"

#include <cstring>

namespace mayfly::engine {
namespace {

constexpr uint8_t kHasOwnTtl = 1;
constexpr size_t kFixedSize = 7;

}  // namespace

RecordView ReadRecord(std::string_view bytes) {
  const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
  RecordView record;
  int64_t modified = 0;
  std::memcpy(&modified, p + 1, 6);
  record.header.modified_ms = modified;
  size_t offset = kFixedSize;
  if ((p[0] & kHasOwnTtl) != 0) {
    int32_t ttl;
    std::memcpy(&ttl, p + kFixedSize, sizeof ttl);
    record.header.own_ttl = ttl;
    offset += sizeof ttl;
  }
  record.document = bson::View(p + offset);
  return record;
}

void WriteRecord(int64_t modified_ms, bson::View document, std::string* out) {
  const auto own_ttl = OwnTtl(document);
  out->clear();
  out->reserve(kFixedSize + 4 + document.size());
  out->push_back(own_ttl.has_value() ? kHasOwnTtl : 0);
  out->append(reinterpret_cast<const char*>(&modified_ms), 6);
  if (own_ttl.has_value()) out->append(reinterpret_cast<const char*>(&*own_ttl), 4);
  out->append(document.bytes());
}

}  // namespace mayfly::engine

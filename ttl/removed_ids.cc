#include "ttl/removed_ids.h"

namespace mayfly::ttl {

void RemovedIds::Add(engine::RecordId id) {
  const auto bit = static_cast<uint64_t>(id);
  std::unique_ptr<Page>& page = pages_[bit >> kPageBits];
  if (page == nullptr) page = std::make_unique<Page>();
  (*page)[(bit & kPageMask) / 64] |= uint64_t{1} << (bit % 64);
}

bool RemovedIds::Contains(engine::RecordId id) const {
  const auto bit = static_cast<uint64_t>(id);
  const auto it = pages_.find(bit >> kPageBits);
  return it != pages_.end() && ((*it->second)[(bit & kPageMask) / 64] >> (bit % 64) & 1) != 0;
}

}  // namespace mayfly::ttl

// Ids of records that have been removed while their index entries still wait for the sweep.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "engine/storage/kv.h"

namespace mayfly::ttl {

// A bitmap in pages, as documents that are due together mostly have ids that are close: a bit for
// each id, 1.3 MB for ten million. Used by one thread at a time.
class RemovedIds {
 public:
  void Add(engine::RecordId id);
  bool Contains(engine::RecordId id) const;
  void Clear() { pages_.clear(); }
  size_t memory_bytes() const { return pages_.size() * sizeof(Page); }

 private:
  static constexpr int kPageBits = 15;
  static constexpr uint64_t kPageMask = (uint64_t{1} << kPageBits) - 1;
  using Page = std::array<uint64_t, (size_t{1} << kPageBits) / 64>;

  absl::flat_hash_map<uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace mayfly::ttl

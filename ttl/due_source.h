// Where the due documents of one rule are found: a range of keys in one index that is ordered by
// the moment.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/catalog/record.h"
#include "engine/collection/removal_observer.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {
class Collection;
}

namespace mayfly::ttl {

// Which kinds of rules a slice serves.
struct PurgeKinds {
  bool last_write = true;
  bool date = true;
  bool epoch = true;
};

struct DueEntry {
  std::string key;
  engine::RecordId id = engine::kNoRecord;
  int64_t due_ms = 0;
};

// Made for one `now`; keeps no reference to the collection's state but the space.
class DueSource {
 public:
  virtual ~DueSource() = default;
  engine::SpaceId space() const { return space_; }
  engine::RemovalReason reason() const { return reason_; }
  // Entries with keys in [start, end) are due.
  const std::string& start() const { return start_; }
  const std::string& end() const { return end_; }

  virtual DueEntry Parse(std::string_view key, std::string_view value) const = 0;
  // False if `record`, which `entry` leads to, has been written since and is another's matter.
  virtual bool IsOf(const DueEntry& entry, const engine::RecordView& record) const = 0;
  // When the first entry that is not due yet will be.
  virtual absl::StatusOr<std::optional<int64_t>> NextDueMs(
      engine::Transaction& transaction) const = 0;
  // Since when the oldest due entry is; nullopt if none is due.
  virtual absl::StatusOr<std::optional<int64_t>> OldestDueMs(
      engine::Transaction& transaction) const = 0;

 protected:
  DueSource(engine::SpaceId space, engine::RemovalReason reason) : space_(space), reason_(reason) {}

  engine::SpaceId space_;
  engine::RemovalReason reason_;
  std::string start_;
  std::string end_;
};

using DueSources = std::vector<std::unique_ptr<DueSource>>;

// One for each rule of the collection that is among `kinds`.
DueSources MakeDueSources(const engine::Collection& collection, PurgeKinds kinds, int64_t now_ms);

}  // namespace mayfly::ttl

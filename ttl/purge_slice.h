// One bounded step of removal in one database: what is due is looked at again and removed with its
// index entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "engine/collection/write_context.h"
#include "engine/engine.h"

namespace mayfly::ttl {

// Told about every document that expiry removes, inside the operation that does it.
class RemovalObserver {
 public:
  virtual ~RemovalObserver() = default;
  virtual void OnRemoved(std::string_view ns, bson::View document, engine::RemovalReason rule,
                         int64_t due_ms, int64_t removed_ms) = 0;
};

// Which kinds of rules a slice serves.
struct PurgeKinds {
  bool last_write = true;
  bool date = true;
};

struct SliceBudget {
  int64_t max_us = 500;  // of the clock's MonotonicUs
  int64_t max_documents = 1000;
};

struct SliceResult {
  int64_t removed = 0;
  bool more = false;                   // the budget ended before the work did
  std::optional<int64_t> next_due_ms;  // of what is not due yet, as far as it was looked at
  int64_t failed_collections = 0;      // logged by name
};

// The collection at which the next slice of a database begins, so that all have their turn.
struct SlicePosition {
  std::string collection;
};

// Runs inside a writing operation of `database`. A collection that fails is logged and left for the
// next slice; the others go on. `observer` may be null.
absl::StatusOr<SliceResult> RunPurgeSlice(engine::DatabaseHandle& database,
                                          engine::Transaction& transaction,
                                          const base::Clock& clock, PurgeKinds kinds,
                                          SliceBudget budget, SlicePosition* position,
                                          RemovalObserver* observer);

}  // namespace mayfly::ttl

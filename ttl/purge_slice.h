// One bounded step of removal in one database. Collections take turns: each slice begins with the
// one after that on which the last slice has spent its budget.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "engine/collection/write_context.h"
#include "engine/engine.h"
#include "ttl/collection_progress.h"
#include "ttl/due_source.h"

namespace mayfly::ttl {

struct SliceBudget {
  int64_t max_us = 250;  // of the clock's MonotonicUs
  PurgeKinds kinds;
};

struct SliceResult {
  int64_t removed = 0;
  int64_t swept = 0;                     // index entries
  bool more = false;                     // something is left to do now
  bool many = false;                     // so much that index entries are removed in a sweep
  std::optional<int64_t> next_due_ms;    // of what is not due yet, as far as it was looked at
  std::optional<int64_t> oldest_due_ms;  // of what was due
  int64_t run_us = 0;
  int64_t failed_collections = 0;  // logged by name

  // Makes this the result of both, `later` being the second one.
  void Add(const SliceResult& later);
};

// What is remembered of a database between slices. Touched only inside its operations.
using DatabaseProgress = std::map<engine::Uuid, std::shared_ptr<CollectionProgress>>;

// Whose turn it is in a row of slices that goes on until nothing is left to do. New for each row.
struct PurgeTurn {
  std::string next;  // the collection that is first
  size_t clean = 0;  // visited one after the other with nothing left to do
};

// Runs inside a writing operation of `database`. A collection that fails is logged and left for
// later; the others go on. Error: kOutOfDiskSpace, which is not the collection's fault. `observer`
// may be null.
absl::StatusOr<SliceResult> RunPurgeSlice(engine::DatabaseHandle& database,
                                          engine::Transaction& transaction,
                                          const base::Clock& clock, const SliceBudget& budget,
                                          DatabaseProgress* progress, PurgeTurn* turn,
                                          engine::RemovalObserver* observer);

}  // namespace mayfly::ttl

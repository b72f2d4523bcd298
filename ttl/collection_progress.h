// What the purge remembers of a collection between two slices. In memory only: everything here can
// be lost, and is found again from the file.
#pragma once

#include <cstdint>
#include <string>

#include "ttl/removed_ids.h"

namespace mayfly::ttl {

enum class RemovalMode : uint8_t {
  kUndecided,
  kCounting,        // a run was full: how many are due decides
  kRowByRow,        // each document with its index entries
  kDocumentsFirst,  // documents now, their index entries later in one sweep
};

// Touched only inside operations of the collection's database.
struct CollectionProgress {
  RemovalMode mode = RemovalMode::kUndecided;
  // While counting: so many entries below this key of the source in `counted_space`.
  int64_t counted = 0;
  std::string counted_to;
  engine::SpaceId counted_space = 0;
  // In kRowByRow: after so many documents it is decided anew.
  int64_t row_by_row_left = 0;

  // Records removed before their index entries, since the sweep is pending.
  RemovedIds removed;
  // False if some may be missing: removed by an earlier process.
  bool removed_is_complete = false;

  // After a failure.
  int64_t retry_at_ms = 0;
  int64_t failures = 0;
};

}  // namespace mayfly::ttl

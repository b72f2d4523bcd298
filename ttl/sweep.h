// Removes index entries of records that the purge has removed before them: one walk through each
// index in key order, so that each page is written once.
//
// An entry is dead if its record is gone. Ids in the progress's bitmap are gone; if the bitmap may
// be incomplete (an earlier process removed records), the record is looked for. The position is
// saved in the catalog with each slice, so the walk goes on after a crash; what is walked twice is
// found clean.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "engine/collection/write_context.h"
#include "ttl/collection_progress.h"

namespace mayfly::ttl {

// Made for one slice.
class Sweep {
 public:
  // `spent` says that the slice is over.
  Sweep(const engine::WriteContext& write, std::shared_ptr<engine::Collection> collection,
        std::shared_ptr<CollectionProgress> progress, absl::FunctionRef<bool()> spent);

  // Goes on from the saved position, to the end or until the slice is over.
  absl::Status Run();
  int64_t removed() const { return removed_; }

 private:
  // The index with the lowest space not below the position; null at the end.
  std::shared_ptr<const engine::Index> NextIndex() const;
  // One step through `index`; false at its end.
  absl::StatusOr<bool> Step(const engine::Index& index);
  absl::StatusOr<bool> IsDead(engine::RecordId id);
  absl::Status Finish();

  const engine::WriteContext& write_;
  std::shared_ptr<engine::Collection> collection_;
  std::shared_ptr<CollectionProgress> progress_;
  absl::FunctionRef<bool()> spent_;
  engine::SweepState at_;
  int64_t removed_ = 0;
};

}  // namespace mayfly::ttl

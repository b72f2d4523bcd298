// One slice of removal in one collection: what is due is looked at again and removed.
//
// Few documents go row by row, each with its index entries. When many are due, documents go first:
// those due together lie together, while their entries in value-ordered indexes do not. Records and
// entries of the expiry index are then deleted by ranges, and the other indexes are swept later in
// one walk each (sweep.h). The catalog notes that a sweep is pending in the same transaction that
// removes the first record, so a crash leaves nothing behind for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/collection/write_context.h"
#include "engine/collection/writer.h"
#include "ttl/collection_progress.h"
#include "ttl/due_source.h"

namespace mayfly::ttl {

struct CollectionSliceResult {
  int64_t removed = 0;
  int64_t swept = 0;                     // index entries removed by the sweep
  bool more = false;                     // the budget ended before the work did
  std::optional<int64_t> next_due_ms;    // of what is not due yet
  std::optional<int64_t> oldest_due_ms;  // of what was due
};

// Made for one slice.
class CollectionPurge {
 public:
  // So many due documents, or a share of all, make it worth to sweep: a walk reads every entry.
  static constexpr int64_t kMinToSweep = 1000;
  static constexpr int64_t kDocumentsForEachDue = 60;
  // The same while a sweep is under way, which then has to begin anew.
  static constexpr int64_t kDocumentsForEachDueInSweep = 4;

  // `spent` says that the slice is over.
  CollectionPurge(const engine::WriteContext& write, std::shared_ptr<engine::Collection> collection,
                  std::shared_ptr<CollectionProgress> progress, absl::FunctionRef<bool()> spent);

  absl::Status Run(PurgeKinds kinds);
  const CollectionSliceResult& result() const { return result_; }

 private:
  absl::Status PurgeSource(const DueSource& source);
  absl::StatusOr<std::vector<DueEntry>> Collect(const DueSource& source);
  // Decides the mode when enough is known.
  absl::Status Count(const DueSource& source);
  int64_t SweepThreshold() const;

  absl::Status RemoveRowByRow(const DueSource& source, const std::vector<DueEntry>& entries);
  absl::Status RemoveTogether(const DueSource& source, const std::vector<DueEntry>& entries);
  absl::Status DeleteRecords(std::vector<engine::RecordId> ids);
  absl::Status NotePendingSweep();

  bool Spent();

  const engine::WriteContext& write_;
  std::shared_ptr<engine::Collection> collection_;
  std::shared_ptr<CollectionProgress> progress_;
  absl::FunctionRef<bool()> spent_;
  engine::CollectionWriter writer_;
  CollectionSliceResult result_;
};

}  // namespace mayfly::ttl

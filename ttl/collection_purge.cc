#include "ttl/collection_purge.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/status.h"
#include "ttl/backfill.h"
#include "ttl/record_reader.h"
#include "ttl/sweep.h"

namespace mayfly::ttl {
namespace {

using engine::Collection;
using engine::RecordId;
using engine::RecordView;

// Entries are collected and then removed in runs of this many.
constexpr size_t kRun = 256;
// The time is looked at once in so many documents when they are removed together.
constexpr size_t kLookEvery = 16;
// Entries counted before the time is looked at.
constexpr int kCountEvery = 256;

}  // namespace

CollectionPurge::CollectionPurge(const engine::WriteContext& write,
                                 std::shared_ptr<Collection> collection,
                                 std::shared_ptr<CollectionProgress> progress,
                                 absl::FunctionRef<bool()> spent)
    : write_(write),
      collection_(std::move(collection)),
      progress_(std::move(progress)),
      spent_(spent),
      writer_(write, collection_) {}

bool CollectionPurge::Spent() {
  if (!result_.more && spent_()) result_.more = true;
  return result_.more;
}

absl::Status CollectionPurge::Run(PurgeKinds kinds) {
  MAYFLY_RETURN_IF_ERROR(BackfillEntries(write_, collection_, [this] { return Spent(); }));
  if (result_.more) return absl::OkStatus();
  for (const auto& source : MakeDueSources(*collection_, kinds, write_.evaluation.now_ms)) {
    MAYFLY_RETURN_IF_ERROR(PurgeSource(*source));
    if (result_.more) return absl::OkStatus();
  }
  progress_->mode = RemovalMode::kUndecided;
  if (!collection_->sweep().pending) return absl::OkStatus();
  const auto is_spent = [this] { return Spent(); };
  Sweep sweep(write_, collection_, progress_, is_spent);
  MAYFLY_RETURN_IF_ERROR(sweep.Run());
  result_.swept = sweep.removed();
  return absl::OkStatus();
}

absl::Status CollectionPurge::PurgeSource(const DueSource& source) {
  while (!Spent()) {
    MAYFLY_ASSIGN_OR_RETURN(const std::vector<DueEntry> entries, Collect(source));
    if (entries.empty()) {
      MAYFLY_ASSIGN_OR_RETURN(const auto next, source.NextDueMs(write_.transaction));
      if (next.has_value()) {
        result_.next_due_ms = std::min(result_.next_due_ms.value_or(*next), *next);
      }
      return absl::OkStatus();
    }
    const int64_t oldest_ms = entries.front().due_ms;
    result_.oldest_due_ms = std::min(result_.oldest_due_ms.value_or(oldest_ms), oldest_ms);
    if (entries.size() == kRun && progress_->mode == RemovalMode::kUndecided) {
      progress_->mode = RemovalMode::kCounting;
      progress_->counted_space = 0;
    }
    if (progress_->mode == RemovalMode::kCounting) {
      MAYFLY_RETURN_IF_ERROR(Count(source));
      if (progress_->mode == RemovalMode::kCounting) return absl::OkStatus();
    }
    MAYFLY_RETURN_IF_ERROR(progress_->mode == RemovalMode::kDocumentsFirst
                               ? RemoveTogether(source, entries)
                               : RemoveRowByRow(source, entries));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DueEntry>> CollectionPurge::Collect(const DueSource& source) {
  std::vector<DueEntry> entries;
  auto cursor = write_.transaction.NewKeyCursor(source.space(), engine::Direction::kForward);
  cursor->Seek(source.start());
  while (entries.size() < kRun) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more || cursor->key() >= source.end()) break;
    entries.push_back(source.Parse(cursor->key(), cursor->value()));
  }
  return entries;
}

int64_t CollectionPurge::SweepThreshold() const {
  const int64_t documents = collection_->counters().documents;
  const int64_t share =
      collection_->sweep().has_begun() ? kDocumentsForEachDueInSweep : kDocumentsForEachDue;
  return std::max(kMinToSweep, documents / share);
}

absl::Status CollectionPurge::Count(const DueSource& source) {
  if (progress_->counted_space != source.space()) {
    progress_->counted_space = source.space();
    progress_->counted_to = source.start();
    progress_->counted = 0;
  }
  const int64_t enough = SweepThreshold();
  auto cursor = write_.transaction.NewKeyCursor(source.space(), engine::Direction::kForward);
  cursor->Seek(progress_->counted_to);
  while (progress_->counted < enough) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more || cursor->key() >= source.end()) {
      progress_->mode = RemovalMode::kRowByRow;
      progress_->row_by_row_left = enough;
      return absl::OkStatus();
    }
    ++progress_->counted;
    if (progress_->counted % kCountEvery == 0 && Spent()) {
      progress_->counted_to = std::string(cursor->key());
      return absl::OkStatus();
    }
  }
  progress_->mode = RemovalMode::kDocumentsFirst;
  return absl::OkStatus();
}

absl::Status CollectionPurge::RemoveRowByRow(const DueSource& source,
                                             const std::vector<DueEntry>& entries) {
  for (const DueEntry& entry : entries) {
    MAYFLY_ASSIGN_OR_RETURN(const auto found,
                            write_.transaction.GetRecord(collection_->state().records, entry.id));
    std::string bytes;
    if (found.has_value()) bytes.assign(*found);
    if (!found.has_value() || !source.IsOf(entry, engine::ReadRecord(bytes))) {
      MAYFLY_RETURN_IF_ERROR(write_.transaction.DeleteKey(source.space(), entry.key));
      continue;
    }
    MAYFLY_RETURN_IF_ERROR(writer_.Remove(entry.id, engine::ReadRecord(bytes),
                                          {.reason = source.reason(), .due_ms = entry.due_ms}));
    ++result_.removed;
    if (progress_->mode == RemovalMode::kRowByRow && --progress_->row_by_row_left <= 0) {
      progress_->mode = RemovalMode::kUndecided;
    }
    if (Spent()) break;
  }
  return absl::OkStatus();
}

absl::Status CollectionPurge::RemoveTogether(const DueSource& source,
                                             const std::vector<DueEntry>& entries) {
  MAYFLY_RETURN_IF_ERROR(NotePendingSweep());
  RecordReader reader(write_.transaction, collection_->state().records);
  std::vector<RecordId> ids;
  size_t done = 0;
  while (done < entries.size()) {
    const DueEntry& entry = entries[done++];
    // A document may have several dates that are due.
    const bool seen = source.reason() == engine::RemovalReason::kDateTtl &&
                      std::find(ids.rbegin(), ids.rend(), entry.id) != ids.rend();
    MAYFLY_ASSIGN_OR_RETURN(const bool found, reader.Read(entry.id));
    if (!seen && found && source.IsOf(entry, engine::ReadRecord(reader.bytes()))) {
      const RecordView record = engine::ReadRecord(reader.bytes());
      writer_.NoteRemoved(record, {.reason = source.reason(), .due_ms = entry.due_ms});
      MAYFLY_RETURN_IF_ERROR(writer_.DeleteExpiryEntries(record, entry.id, source.space()));
      ids.push_back(entry.id);
    }
    if (done % kLookEvery == 0 && Spent()) break;
  }
  MAYFLY_RETURN_IF_ERROR(
      write_.transaction.DeleteKeys(source.space(), entries.front().key, entries[done - 1].key));
  result_.removed += static_cast<int64_t>(ids.size());
  return DeleteRecords(std::move(ids));
}

absl::Status CollectionPurge::DeleteRecords(std::vector<RecordId> ids) {
  std::sort(ids.begin(), ids.end());
  for (size_t first = 0; first < ids.size();) {
    size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    MAYFLY_RETURN_IF_ERROR(
        write_.transaction.DeleteRecords(collection_->state().records, ids[first], ids[last]));
    first = last + 1;
  }
  // Not before the commit: an id counted as removed must be so for good.
  write_.transaction.OnCommit([progress = progress_, ids = std::move(ids)] {
    for (const RecordId id : ids) progress->removed.Add(id);
  });
  return absl::OkStatus();
}

absl::Status CollectionPurge::NotePendingSweep() {
  const engine::SweepState& sweep = collection_->sweep();
  if (sweep.pending && !sweep.has_begun()) return absl::OkStatus();
  if (!sweep.pending) {
    progress_->removed.Clear();
    progress_->removed_is_complete = true;
    // Then an earlier sweep may be pending again.
    write_.transaction.OnRollback(
        [progress = progress_] { progress->removed_is_complete = false; });
  }
  // One that has begun may have passed the entries of what is removed now.
  return write_.catalog.SetSweep(write_.transaction, collection_, {.pending = true});
}

}  // namespace mayfly::ttl

#include "ttl/purge_slice.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "ttl/collection_purge.h"

namespace mayfly::ttl {
namespace {

using engine::Collection;

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// A slice ends at once when a client waits, but not before this: it may itself have waited for a
// second, and would else never get anything done on a busy server.
constexpr int64_t kLeastUs = 100;
constexpr int64_t kFirstRetryMs = 1'000;
constexpr int64_t kMaxRetryMs = 60'000;

bool HasWork(const Collection& collection) {
  if (collection.IsView()) return false;
  if (collection.last_write_rule().is_on() || collection.epoch_rule().is_on()) return true;
  if (collection.sweep().pending) return true;
  return std::any_of(collection.indexes().begin(), collection.indexes().end(),
                     [](const auto& index) { return index->spec.IsDateTtl(); });
}

using Collections = std::vector<std::shared_ptr<Collection>>;

// Collections with something to do, those from `next` on first.
Collections InTurn(const engine::Catalog& catalog, const std::string& next) {
  Collections collections = catalog.All();
  std::erase_if(collections, [](const auto& collection) { return !HasWork(*collection); });
  const auto first =
      std::find_if(collections.begin(), collections.end(),
                   [&](const auto& collection) { return collection->name() >= next; });
  std::rotate(collections.begin(), first, collections.end());
  return collections;
}

void Lower(std::optional<int64_t>* moment, std::optional<int64_t> other) {
  if (other.has_value()) *moment = std::min(moment->value_or(*other), *other);
}

bool IsWorthKeeping(const CollectionProgress& progress) {
  return progress.mode != RemovalMode::kUndecided || progress.removed.memory_bytes() > 0 ||
         progress.removed_is_complete || progress.failures > 0;
}

class Slice {
 public:
  Slice(const engine::WriteContext& write, const base::Clock& clock, const SliceBudget& budget,
        DatabaseProgress* progress, PurgeTurn* turn)
      : write_(write),
        clock_(clock),
        kinds_(budget.kinds),
        progress_(progress),
        turn_(turn),
        start_us_(clock.MonotonicUs()),
        deadline_us_(start_us_ + budget.max_us) {}

  absl::Status Run() {
    const Collections collections = InTurn(write_.catalog, turn_->next);
    for (size_t i = 0; i < collections.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(const bool clean, Visit(collections[i]));
      turn_->clean = clean ? turn_->clean + 1 : 0;
      if (turn_->clean >= collections.size()) break;
      if (!clean || Spent()) {
        turn_->next = collections[(i + 1) % collections.size()]->name();
        result_.more = true;
        return absl::OkStatus();
      }
    }
    End(collections);
    return absl::OkStatus();
  }

  SliceResult Result() const {
    SliceResult result = result_;
    result.run_us = clock_.MonotonicUs() - start_us_;
    return result;
  }

 private:
  bool Spent() {
    const int64_t now_us = clock_.MonotonicUs();
    if (now_us >= deadline_us_) return true;
    return now_us - start_us_ >= kLeastUs && write_.transaction.ShouldYield();
  }

  // Nothing is left to do in any collection.
  void End(const Collections& collections) {
    DatabaseProgress kept;
    for (const auto& collection : collections) {
      const auto it = progress_->find(collection->uuid());
      if (it != progress_->end() && IsWorthKeeping(*it->second)) kept.insert(*it);
    }
    *progress_ = std::move(kept);
  }

  // True if nothing is left to do now.
  absl::StatusOr<bool> Visit(const std::shared_ptr<Collection>& collection) {
    if (write_.evaluation.now_ms < collection->next_due_ms()) {
      Lower(&result_.next_due_ms, collection->next_due_ms());
      return true;
    }
    std::shared_ptr<CollectionProgress>& progress = (*progress_)[collection->uuid()];
    if (progress == nullptr) progress = std::make_shared<CollectionProgress>();
    if (write_.evaluation.now_ms < progress->retry_at_ms) {
      Lower(&result_.next_due_ms, progress->retry_at_ms);
      return true;
    }
    CollectionSliceResult done;
    // A failure undoes what was done in this collection only.
    // Named, as the purge keeps a reference to it.
    const auto is_spent = [this] { return Spent(); };
    const absl::Status status = write_.transaction.WithSavepoint([&]() -> absl::Status {
      CollectionPurge purge(write_, collection, progress, is_spent);
      MAYFLY_RETURN_IF_ERROR(purge.Run(kinds_));
      done = purge.result();
      return absl::OkStatus();
    });
    if (!status.ok()) return NoteFailure(*collection, *progress, status);
    progress->failures = 0;
    result_.removed += done.removed;
    result_.swept += done.swept;
    result_.many |= progress->mode == RemovalMode::kDocumentsFirst || collection->sweep().pending;
    Lower(&result_.next_due_ms, done.next_due_ms);
    Lower(&result_.oldest_due_ms, done.oldest_due_ms);
    // Only a look at all its rules tells when the collection is to be looked at again.
    const bool all = kinds_.last_write && kinds_.date && kinds_.epoch;
    if (!done.more && all) {
      collection->set_next_due_ms(done.next_due_ms.value_or(kNever));
      write_.transaction.OnRollback([collection] { collection->set_next_due_ms(0); });
    }
    return !done.more;
  }

  absl::StatusOr<bool> NoteFailure(const Collection& collection, CollectionProgress& progress,
                                   const absl::Status& status) {
    if (base::CodeOf(status) == base::ErrorCode::kOutOfDiskSpace) return status;
    progress.mode = RemovalMode::kUndecided;
    const int64_t wait_ms =
        std::min(kMaxRetryMs, kFirstRetryMs << std::min<int64_t>(progress.failures, 16));
    ++progress.failures;
    progress.retry_at_ms = write_.evaluation.now_ms + wait_ms;
    MAYFLY_LOG(err, "TTL", "removal in {} failed and will be tried again in {} s: {}",
               collection.ns(), wait_ms / 1000, base::MessageOf(status));
    ++result_.failed_collections;
    Lower(&result_.next_due_ms, progress.retry_at_ms);
    return true;
  }

  const engine::WriteContext& write_;
  const base::Clock& clock_;
  const PurgeKinds kinds_;
  DatabaseProgress* const progress_;
  PurgeTurn* const turn_;
  const int64_t start_us_;
  const int64_t deadline_us_;
  SliceResult result_;
};

}  // namespace

void SliceResult::Add(const SliceResult& later) {
  removed += later.removed;
  swept += later.swept;
  more = later.more;
  many = later.many;
  Lower(&next_due_ms, later.next_due_ms);
  Lower(&oldest_due_ms, later.oldest_due_ms);
  run_us += later.run_us;
  failed_collections += later.failed_collections;
}

absl::StatusOr<SliceResult> RunPurgeSlice(engine::DatabaseHandle& database,
                                          engine::Transaction& transaction,
                                          const base::Clock& clock, const SliceBudget& budget,
                                          DatabaseProgress* progress, PurgeTurn* turn,
                                          engine::RemovalObserver* observer) {
  MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, database.GetCatalog(transaction));
  engine::EvaluationContext evaluation;
  evaluation.now_ms = clock.NowMs();
  const engine::WriteContext write{.transaction = transaction,
                                   .catalog = *catalog,
                                   .evaluation = evaluation,
                                   .modified_ms = evaluation.now_ms,
                                   .removal_observer = observer};
  Slice slice(write, clock, budget, progress, turn);
  MAYFLY_RETURN_IF_ERROR(slice.Run());
  return slice.Result();
}

}  // namespace mayfly::ttl

#include "engine/exec/count.h"

#include "base/status.h"
#include "engine/exec/scan_streams.h"
#include "engine/index/expiry_index.h"

namespace mayfly::engine {
namespace {

// Entries of one class that are due at `now_ms`.
absl::StatusOr<int64_t> CountDue(ExecutionContext& context, const Collection& collection,
                                 ExpiryClass expiry_class, int64_t due_before_ms) {
  auto cursor = context.transaction->NewKeyCursor(collection.state().expiry, Direction::kForward);
  cursor->Seek(ExpiryClassStart(expiry_class));
  int64_t due = 0;
  while (true) {
    MAYFLY_RETURN_IF_ERROR(LetOthersRun(context));
    if (collection.dropped()) return CollectionDropped(collection);
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) return due;
    const ExpiryEntry entry = ParseExpiryKey(cursor->key());
    if (entry.expiry_class != expiry_class || entry.moment_ms > due_before_ms) return due;
    ++due;
  }
}

absl::StatusOr<int64_t> CountByScan(ExecutionContext& context,
                                    const std::shared_ptr<Collection>& collection) {
  const std::unique_ptr<Stream> scan = MakeScanStream(context, collection, AccessPath());
  Row row;
  int64_t count = 0;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, scan->Next(&row));
    if (!more) return count;
    ++count;
  }
}

}  // namespace

absl::StatusOr<int64_t> CountVisible(ExecutionContext& context,
                                     const std::shared_ptr<Collection>& collection) {
  const LastWriteRule& rule = collection->last_write_rule();
  if (!rule.is_on()) return collection->counters().documents;
  // While entries are missing from the expiry index, only the records tell.
  if (!collection->state().backfill.done()) return CountByScan(context, collection);
  int64_t expired = 0;
  if (rule.mode == LastWriteRule::Mode::kDefault) {
    MAYFLY_ASSIGN_OR_RETURN(expired, CountDue(context, *collection, ExpiryClass::kDefault,
                                              context.now_ms - int64_t{rule.seconds} * 1000));
  }
  MAYFLY_ASSIGN_OR_RETURN(const int64_t own,
                          CountDue(context, *collection, ExpiryClass::kOwn, context.now_ms));
  return collection->counters().documents - expired - own;
}

}  // namespace mayfly::engine

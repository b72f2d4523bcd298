#include "engine/exec/count_matching.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/exec/scan_streams.h"
#include "engine/storage/bulk_access.h"

namespace mayfly::engine {
namespace {

// So many keys are looked at before others may run: less than a millisecond.
constexpr int64_t kKeysAtOnce = 4096;

// An index of which the entries alone tell how many documents there are. Whether it still is one
// has to be asked again after others ran.
class EntryCounter {
 public:
  EntryCounter(ExecutionContext& context, const Collection& collection, const Index& index)
      : context_(context), collection_(collection), index_(index) {}

  // Adds the entries of one range; stops when there are `enough`. False if the entries do not tell.
  absl::StatusOr<bool> Add(const KeyRange& range, int64_t enough) {
    std::string start = range.start;
    while (true) {
      MAYFLY_RETURN_IF_ERROR(LetOthersRun(context_));
      MAYFLY_ASSIGN_OR_RETURN(const bool tells, Tells());
      if (!tells) return false;
      MAYFLY_ASSIGN_OR_RETURN(KeyCount counted,
                              CountKeys(*context_.transaction, index_.space,
                                        {.start = start, .end = range.end}, kKeysAtOnce));
      count_ += counted.count;
      context_.keys_examined += counted.count;
      if (counted.next.empty() || count_ >= enough) break;
      start = std::move(counted.next);
    }
    return true;
  }

  int64_t count() const { return count_; }

 private:
  absl::StatusOr<bool> Tells() {
    if (collection_.dropped()) return CollectionDropped(collection_);
    for (const auto& index : collection_.indexes()) {
      if (index->space == index_.space) {
        return !index->IsMultikey() && EntriesAreDocuments(collection_);
      }
    }
    return base::Error(base::ErrorCode::kQueryPlanKilled,
                       base::StrCat("index '", index_.spec.name, "' dropped"));
  }

  ExecutionContext& context_;
  const Collection& collection_;
  const Index& index_;
  int64_t count_ = 0;
};

}  // namespace

bool EntriesTellCount(const Collection& collection, const AccessPath& path) {
  return path.kind == AccessPath::Kind::kIndexScan && path.exact &&
         !path.index->spec.IsWildcard() && !path.index->IsMultikey() &&
         EntriesAreDocuments(collection);
}

absl::StatusOr<std::optional<int64_t>> CountEntries(ExecutionContext& context,
                                                    const Collection& collection,
                                                    const AccessPath& path, int64_t enough) {
  if (!EntriesTellCount(collection, path)) return std::optional<int64_t>();
  EntryCounter counter(context, collection, *path.index);
  for (const KeyRange& range : path.ranges) {
    if (counter.count() >= enough) break;
    MAYFLY_ASSIGN_OR_RETURN(const bool tells, counter.Add(range, enough));
    if (!tells) return std::optional<int64_t>();
  }
  ++path.index->usage->operations;
  return std::optional<int64_t>(std::min(counter.count(), enough));
}

absl::StatusOr<int64_t> CountMatching(ExecutionContext& context, const FindQuery& query,
                                      const std::shared_ptr<Collection>& collection) {
  MAYFLY_ASSIGN_OR_RETURN(const AccessPath path, query.ChoosePath(*collection));
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  const bool limited = query.limit() > 0 && query.limit() < kAll - query.skip();
  MAYFLY_ASSIGN_OR_RETURN(
      const auto entries,
      CountEntries(context, *collection, path, limited ? query.skip() + query.limit() : kAll));
  if (entries.has_value()) return std::max<int64_t>(0, *entries - query.skip());
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, query.MakeStream(context, collection, path));
  Row row;
  int64_t count = 0;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, stream->Next(&row));
    if (!more) return count;
    ++count;
  }
}

}  // namespace mayfly::engine

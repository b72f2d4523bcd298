#include "engine/exec/distinct.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "bson/builder.h"
#include "engine/aggregate/set_path.h"
#include "engine/catalog/record.h"
#include "engine/exec/scan_streams.h"
#include "engine/index/index_keys.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::engine {
namespace {

// Every document has its one value of `key` as the first field of an entry, or none.
bool Tells(const Collection& collection, const Index& index, std::string_view key) {
  const IndexSpec& spec = index.spec;
  return !index.building && !spec.hidden && !spec.clustered && spec.HasEntries() &&
         spec.special == IndexKind::kAscending && index.strings == nullptr &&
         spec.fields.front().path == key && !index.IsMultikey() && EntriesAreDocuments(collection);
}

class DistinctScan {
 public:
  DistinctScan(ExecutionContext& context, const Collection& collection, const AccessPath& path,
               absl::FunctionRef<absl::Status(bson::View)> add)
      : context_(context),
        collection_(collection),
        index_(*path.index),
        ordering_(OrderingOf(path.index->spec)),
        path_(absl::StrSplit(path.index->spec.fields.front().path, '.')),
        add_(add) {}

  // False if the entries no longer tell.
  absl::StatusOr<bool> Run(const KeyRange& range) {
    std::string from = range.start;
    std::unique_ptr<KeyCursor> cursor;
    while (true) {
      if (cursor == nullptr || context_.transaction->ShouldYield()) {
        cursor.reset();
        MAYFLY_RETURN_IF_ERROR(LetOthersRun(context_));
        if (!StillTells()) return false;
        cursor = context_.transaction->NewKeyCursor(index_.space, Direction::kForward);
        cursor->Seek(from);
      }
      if (context_.evaluation.interrupt != nullptr)
        MAYFLY_RETURN_IF_ERROR(context_.evaluation.interrupt->Check());
      MAYFLY_ASSIGN_OR_RETURN(bool more, cursor->Next());
      if (more && cursor->key() < from) {  // one value has many entries: past all of them
        cursor->Seek(from);
        MAYFLY_ASSIGN_OR_RETURN(more, cursor->Next());
      }
      if (!more || cursor->key() >= range.end) return true;
      ++context_.keys_examined;
      MAYFLY_ASSIGN_OR_RETURN(from, Take(cursor->key(), cursor->value()));
    }
  }

 private:
  bool StillTells() const {
    for (const auto& index : collection_.indexes()) {
      if (index->space == index_.space)
        return Tells(collection_, *index, index->spec.fields[0].path);
    }
    return false;
  }

  // Returns where to go on.
  absl::StatusOr<std::string> Take(std::string_view key, std::string_view value) {
    const IndexEntry entry = ParseEntry(index_, key, value);
    MAYFLY_ASSIGN_OR_RETURN(const std::vector<bson::Value> values,
                            DecodeKey(entry.fields, entry.type_bits, ordering_, 1));
    if (values.front().IsNullish()) {
      // It may stand for a missing field: the document says, and so must the next one.
      MAYFLY_RETURN_IF_ERROR(TakeDocument(entry.id));
      return std::string(key) + '\0';
    }
    MAYFLY_RETURN_IF_ERROR(add_(WithPath(bson::View(), path_, values.front())));
    MAYFLY_ASSIGN_OR_RETURN(const size_t size, PrefixSize(entry.fields, ordering_, 1));
    std::string next(entry.fields.substr(0, size));
    AppendAfterPrefix(&next);
    return next;
  }

  absl::Status TakeDocument(RecordId id) {
    MAYFLY_ASSIGN_OR_RETURN(const auto bytes,
                            context_.transaction->GetRecord(collection_.state().records, id));
    if (!bytes.has_value()) return absl::OkStatus();
    ++context_.documents_examined;
    return add_(ReadRecord(*bytes).document);
  }

  ExecutionContext& context_;
  const Collection& collection_;
  const Index& index_;
  const Ordering ordering_;
  const std::vector<std::string> path_;
  absl::FunctionRef<absl::Status(bson::View)> add_;
};

AccessPath WholeIndex(std::shared_ptr<const Index> index) {
  AccessPath path;
  path.kind = AccessPath::Kind::kIndexScan;
  path.index = std::move(index);
  path.exact = true;
  KeyRange everything;
  AppendAfterPrefix(&everything.end);
  path.ranges.push_back(std::move(everything));
  return path;
}

}  // namespace

bool EntriesTellDistinct(const Collection& collection, const AccessPath& path,
                         std::string_view key) {
  return path.kind == AccessPath::Kind::kIndexScan && path.exact &&
         Tells(collection, *path.index, key);
}

absl::StatusOr<std::optional<AccessPath>> DistinctPath(const FindQuery& query,
                                                       const Collection& collection,
                                                       std::string_view key) {
  if (query.collation() != nullptr) return std::optional<AccessPath>();
  MAYFLY_ASSIGN_OR_RETURN(AccessPath path, query.ChoosePath(collection));
  if (path.kind == AccessPath::Kind::kIndexScan) {
    if (!EntriesTellDistinct(collection, path, key)) return std::optional<AccessPath>();
    return std::optional(std::move(path));
  }
  const bool everything = query.filter().kind() == FilterKind::kAlwaysTrue && !query.has_hint() &&
                          query.IndexFilterOf(collection) == nullptr;
  if (!everything) return std::optional<AccessPath>();
  for (const auto& index : collection.indexes()) {
    if (index->spec.partial_filter.has_value() || index->spec.sparse) continue;
    if (Tells(collection, *index, key)) return std::optional(WholeIndex(index));
  }
  return std::optional<AccessPath>();
}

absl::StatusOr<bool> ScanDistinct(ExecutionContext& context, const Collection& collection,
                                  const AccessPath& path,
                                  absl::FunctionRef<absl::Status(bson::View document)> add) {
  ++path.index->usage->operations;
  DistinctScan scan(context, collection, path, add);
  for (const KeyRange& range : path.ranges) {
    MAYFLY_ASSIGN_OR_RETURN(const bool tells, scan.Run(range));
    if (!tells) return false;
  }
  return true;
}

}  // namespace mayfly::engine

#include "engine/exec/modify.h"

#include <string>
#include <vector>

#include "base/status.h"
#include "engine/exec/scan_streams.h"

namespace mayfly::engine {
namespace {

using Visit = absl::FunctionRef<absl::StatusOr<bool>(const Match&)>;

std::optional<uint32_t> PositionOf(const MatchContext& match) {
  if (match.position < 0) return std::nullopt;
  return static_cast<uint32_t>(match.position);
}

// A scan finds so many documents before they are visited.
constexpr size_t kAhead = 128;

// False if a visit wants no more.
absl::StatusOr<bool> VisitAll(ExecutionContext& context,
                              const std::shared_ptr<Collection>& collection,
                              const FilterNode& filter, const std::vector<RecordId>& ids,
                              Positions positions, Visit visit) {
  bool go_on = true;
  for (size_t i = 0; i < ids.size() && go_on; ++i) {
    MAYFLY_RETURN_IF_ERROR(LetOthersRun(context));
    if (collection->dropped()) return CollectionDropped(*collection);
    MAYFLY_RETURN_IF_ERROR(
        VisitRecord(context, *collection, filter, ids[i], positions, visit, &go_on));
  }
  return go_on;
}

// An index scan whose entries the visitor may move: the ids first, then the documents.
absl::Status VisitCollected(ExecutionContext& context,
                            const std::shared_ptr<Collection>& collection, const FilterNode& filter,
                            const AccessPath& path, Positions positions, Visit visit) {
  std::vector<RecordId> ids;
  {
    const std::unique_ptr<Stream> scan = MakeIdStream(context, collection, path);
    Row row;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, scan->Next(&row));
      if (!more) break;
      ids.push_back(row.record_id);
    }
  }
  return VisitAll(context, collection, filter, ids, positions, visit).status();
}

}  // namespace

absl::Status VisitRecord(ExecutionContext& context, const Collection& collection,
                         const FilterNode& filter, RecordId id, Positions positions, Visit visit,
                         bool* go_on) {
  MAYFLY_ASSIGN_OR_RETURN(const auto found,
                          context.transaction->GetRecord(collection.state().records, id));
  if (!found.has_value()) return absl::OkStatus();
  const std::string bytes(*found);
  Match match{.id = id, .record = ReadRecord(bytes)};
  if (match.record.header.IsExpired(collection.last_write_rule(), context.now_ms))
    return absl::OkStatus();
  MatchContext matching(context.evaluation);
  matching.record_position = positions == Positions::kRecord;
  MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter.Matches(match.record.document, matching));
  if (!matches) return absl::OkStatus();
  match.array_index = PositionOf(matching);
  MAYFLY_ASSIGN_OR_RETURN(*go_on, visit(match));
  return absl::OkStatus();
}

absl::Status VisitMatches(ExecutionContext& context, const std::shared_ptr<Collection>& collection,
                          const FilterNode& filter, const AccessPath& path, Positions positions,
                          Many many, Visit visit) {
  const bool may_move = many == Many::kAll && (path.kind == AccessPath::Kind::kIndexScan ||
                                               path.kind == AccessPath::Kind::kUnion);
  if (may_move) return VisitCollected(context, collection, filter, path, positions, visit);
  // VisitRecord() reads each record anyway. The scan runs ahead, since each write makes it find its
  // place again.
  const size_t ahead = many == Many::kOne ? 1 : kAhead;
  const std::unique_ptr<Stream> scan = MakeIdStream(context, collection, path);
  std::vector<RecordId> ids;
  Row row;
  bool more = true;
  while (more) {
    ids.clear();
    while (ids.size() < ahead) {
      MAYFLY_ASSIGN_OR_RETURN(more, scan->Next(&row));
      if (!more) break;
      if (path.kind == AccessPath::Kind::kCollectionScan) {
        // Look before copying: most documents of a scan do not match.
        MatchContext matching(context.evaluation);
        MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter.Matches(row.doc(), matching));
        if (!matches) continue;
      }
      ids.push_back(row.record_id);
    }
    MAYFLY_ASSIGN_OR_RETURN(const bool go_on,
                            VisitAll(context, collection, filter, ids, positions, visit));
    if (!go_on) break;
  }
  return absl::OkStatus();
}

}  // namespace mayfly::engine

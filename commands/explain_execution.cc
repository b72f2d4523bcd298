// Runs what is explained without changing anything, and counts.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/explain_parts.h"
#include "engine/exec/count.h"
#include "engine/exec/count_matching.h"
#include "engine/exec/distinct.h"
#include "engine/update/update.h"

namespace mayfly::commands {
namespace {

constexpr int64_t kEveryEntry = std::numeric_limits<int64_t>::max();

// What would be changed by an update, had it been one.
class Applier {
 public:
  static absl::StatusOr<Applier> Make(const Explained& explained,
                                      const engine::EvaluationContext& evaluation,
                                      const engine::FindQuery& query) {
    Applier applier(evaluation);
    if (explained.update.IsMissing()) return applier;
    engine::UpdateParseContext parse;
    parse.evaluation = &evaluation;
    parse.variables = &query.variables();
    parse.array_filters = explained.array_filters;
    parse.multi = explained.multi;
    MAYFLY_ASSIGN_OR_RETURN(applier.update_, engine::Update::Parse(explained.update, parse));
    return applier;
  }

  absl::StatusOr<bool> Changes(const engine::FilterNode& filter, bson::View document) const {
    if (update_ == nullptr) return false;
    engine::MatchContext match(*evaluation_);
    match.record_position = update_->needs_matched_index();
    MAYFLY_RETURN_IF_ERROR(filter.Matches(document, match).status());
    engine::UpdateApplyContext apply{.evaluation = evaluation_, .matched_index = std::nullopt};
    if (match.position >= 0) apply.matched_index = static_cast<uint32_t>(match.position);
    MAYFLY_ASSIGN_OR_RETURN(const auto changed, update_->Apply(document, apply));
    return changed.has_value();
  }

 private:
  explicit Applier(const engine::EvaluationContext& evaluation) : evaluation_(&evaluation) {}

  const engine::EvaluationContext* evaluation_;
  std::unique_ptr<const engine::Update> update_;  // null: not an update
};

// What a count says of so many documents.
int64_t Counted(const engine::FindRequest& request, int64_t documents) {
  const int64_t rest = std::max<int64_t>(0, documents - request.skip);
  return request.limit > 0 ? std::min(rest, request.limit) : rest;
}

}  // namespace

absl::Status CheckUpdate(const Explained& explained, const engine::EvaluationContext& evaluation,
                         const engine::FindQuery& query) {
  return Applier::Make(explained, evaluation, query).status();
}

absl::StatusOr<PlanCounts> RunExplained(CommandContext& context, const Explained& explained,
                                        const std::shared_ptr<engine::Collection>& collection,
                                        const engine::AccessPath& path, int64_t max_results) {
  const int64_t start_us = context.services.clock.MonotonicUs();
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query,
      engine::FindQuery::Parse(explained.request, collection.get(), &execution.evaluation));
  MAYFLY_ASSIGN_OR_RETURN(const Applier applier,
                          Applier::Make(explained, execution.evaluation, *query));
  PlanCounts counts;
  if (explained.purpose == Purpose::kCount) {
    MAYFLY_ASSIGN_OR_RETURN(const auto count,
                            engine::CountEntries(execution, *collection, path, kEveryEntry));
    if (count.has_value()) {
      counts.returned = Counted(explained.request, *count);
      counts.keys = execution.keys_examined;
      counts.millis = (context.services.clock.MonotonicUs() - start_us) / 1000;
      return counts;
    }
  }
  if (explained.purpose == Purpose::kDistinct &&
      engine::EntriesTellDistinct(*collection, path, explained.key)) {
    MAYFLY_RETURN_IF_ERROR(engine::ScanDistinct(execution, *collection, path, [&](bson::View) {
                             ++counts.returned;
                             return absl::OkStatus();
                           }).status());
    counts.keys = execution.keys_examined;
    counts.documents = execution.documents_examined;
    counts.millis = (context.services.clock.MonotonicUs() - start_us) / 1000;
    return counts;
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, query->MakeStream(execution, collection, path));
  engine::Row row;
  while (counts.returned < max_results) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, stream->Next(&row));
    if (!more) break;
    ++counts.returned;
    if (explained.purpose == Purpose::kUpdate) {
      MAYFLY_ASSIGN_OR_RETURN(const bool changes, applier.Changes(query->filter(), row.doc()));
      if (changes) ++counts.modified;
    }
    if (!explained.multi) break;
  }
  if (counts.returned == 0 && explained.upsert) counts.inserted = 1;
  counts.keys = execution.keys_examined;
  counts.documents = execution.documents_examined;
  counts.millis = (context.services.clock.MonotonicUs() - start_us) / 1000;
  return counts;
}

}  // namespace mayfly::commands

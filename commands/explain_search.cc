// explain of searches: find, count, distinct, and the search of writes.
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/explain_parts.h"
#include "engine/exec/count.h"
#include "engine/exec/count_matching.h"
#include "engine/exec/distinct.h"
#include "engine/exec/scan_streams.h"
#include "engine/query/query_shape.h"

namespace mayfly::commands {
namespace {

using base::StrCat;

// A rejected plan is tried for as many results, as MongoDB's trials are.
constexpr int64_t kTrialResults = 101;
constexpr int64_t kEveryResult = std::numeric_limits<int64_t>::max();

bool ShowsDocuments(Purpose purpose) {
  return purpose == Purpose::kRead || purpose == Purpose::kDistinct;
}

// Whether the plan fetches no documents.
bool ReadsEntriesOnly(const Explained& explained, const engine::FindQuery& query,
                      const engine::Collection& collection, const engine::AccessPath& path) {
  switch (explained.purpose) {
    case Purpose::kRead:
      return engine::EntriesAreDocuments(collection) && !query.CoveredFields(path).empty();
    case Purpose::kCount:
      return engine::EntriesTellCount(collection, path);
    case Purpose::kDistinct:
      return engine::EntriesTellDistinct(collection, path, explained.key);
    case Purpose::kUpdate:
    case Purpose::kDelete:
      return false;
  }
  return false;
}

void AppendTotals(const PlanCounts& counts, int64_t returned, bson::Builder& reply) {
  reply.Append("nReturned", bson::Value::IntFitting(returned));
  reply.Append("executionTimeMillis", bson::Value::IntFitting(counts.millis));
  reply.Append("totalKeysExamined", bson::Value::IntFitting(counts.keys));
  reply.Append("totalDocsExamined", bson::Value::IntFitting(counts.documents));
}

// Documents are counted without a search if nothing is asked of them.
bool IsFastCount(const Explained& explained) {
  const engine::FindRequest& request = explained.request;
  return explained.purpose == Purpose::kCount && request.filter.empty() && request.hint.IsMissing();
}

absl::Status ExplainFastCount(CommandContext& context,
                              const std::shared_ptr<engine::Collection>& collection,
                              Verbosity verbosity, bson::Builder& reply) {
  constexpr std::string_view kStage = "RECORD_STORE_FAST_COUNT";
  reply.OpenDocument("winningPlan").Bool("isCached", false).String("stage", kStage).Close();
  reply.OpenArray("rejectedPlans").Close().Close();
  if (verbosity == Verbosity::kQueryPlanner) return absl::OkStatus();
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(const int64_t count, engine::CountVisible(execution, collection));
  reply.OpenDocument("executionStats").Bool("executionSuccess", true);
  AppendTotals({}, 0, reply);
  reply.OpenDocument("executionStages").String("stage", kStage);
  reply.Int32("nReturned", 0).Append("nCounted", bson::Value::IntFitting(count));
  reply.Int32("nSkipped", 0).Close();
  if (verbosity == Verbosity::kAllPlans) reply.OpenArray("allPlansExecution").Close();
  reply.Close();
  return absl::OkStatus();
}

// The trials of all plans, if there was a choice.
absl::Status AppendTrials(CommandContext& context, const Explained& explained,
                          const std::shared_ptr<engine::Collection>& collection,
                          const engine::FindQuery& query, const engine::PlanChoice& choice,
                          bson::Builder& reply) {
  reply.OpenArray("allPlansExecution");
  std::vector<const engine::AccessPath*> paths;
  if (!choice.rejected.empty()) paths.push_back(&choice.winner);
  for (const engine::AccessPath& path : choice.rejected) paths.push_back(&path);
  for (const engine::AccessPath* path : paths) {
    MAYFLY_ASSIGN_OR_RETURN(const PlanCounts counts,
                            RunExplained(context, explained, collection, *path, kTrialResults));
    reply.PushOpenDocument();
    AppendTotals(counts, counts.returned, reply);
    AppendPlan("executionStages",
               {.collection = *collection,
                .filter = query.filter(),
                .request = explained.request,
                .path = *path,
                .entries_only = ReadsEntriesOnly(explained, query, *collection, *path),
                .counts = counts},
               reply);
    reply.Close();
  }
  reply.Close();
  return absl::OkStatus();
}

}  // namespace

void OpenPlanner(const PlannerFacts& facts, bson::Builder& reply) {
  reply.OpenDocument("queryPlanner").String("namespace", facts.ns);
  bson::Builder parsed;
  if (facts.filter != nullptr) facts.filter->Serialize(&parsed);
  reply.Document("parsedQuery", parsed.Finish());
  reply.Bool("indexFilterSet", facts.filtered_indexes);
  const std::string hash = engine::ShortHash(facts.plan_shape);
  reply.String("queryHash", hash).String("planCacheShapeHash", hash);
  reply.String("planCacheKey", engine::ShortHash(StrCat(facts.ns, facts.plan_shape)));
  reply.Int32("optimizationTimeMillis", 0);
  reply.Bool("maxIndexedOrSolutionsReached", false).Bool("maxIndexedAndSolutionsReached", false);
  reply.Bool("maxScansToExplodeReached", false).Bool("prunedSimilarIndexes", false);
}

void AppendEnding(const CommandContext& context, bson::View command, std::string_view query_shape,
                  bson::Builder& reply) {
  reply.String("queryShapeHash", engine::LongHash(query_shape));
  const ServerFacts& facts = context.services.facts;
  bson::Builder echoed;
  echoed.AppendAll(command).String("$db", context.database_name());
  reply.Document("command", echoed.Finish());
  reply.OpenDocument("serverInfo").String("host", facts.host).Int32("port", facts.port);
  reply.String("version", facts.version).String("gitVersion", facts.version).Close();
  reply.OpenDocument("serverParameters");
  reply.Int64("internalQueryFacetBufferSizeBytes", engine::kStageMemoryLimitBytes).Close();
}

void AppendNothing(Verbosity verbosity, Purpose purpose, bson::Builder& reply) {
  static const engine::FilterPtr kEverything =
      *engine::ParseFilter(bson::View(), engine::FilterParseContext());
  static const engine::Collection kNoCollection("", {});
  static const engine::FindRequest kRequest;
  engine::AccessPath path;
  path.kind = engine::AccessPath::Kind::kNothing;
  PlanDescription plan{.collection = kNoCollection,
                       .filter = *kEverything,
                       .request = kRequest,
                       .path = path,
                       .purpose = purpose,
                       .counts = std::nullopt};
  AppendWinningPlan(plan, reply);
  reply.OpenArray("rejectedPlans").Close().Close();
  if (verbosity == Verbosity::kQueryPlanner) return;
  plan.counts = PlanCounts();
  reply.OpenDocument("executionStats").Bool("executionSuccess", true);
  AppendTotals({}, 0, reply);
  AppendPlan("executionStages", plan, reply);
  if (verbosity == Verbosity::kAllPlans) reply.OpenArray("allPlansExecution").Close();
  reply.Close();
}

absl::Status ExplainSearch(CommandContext& context, bson::View command, const Explained& explained,
                           Verbosity verbosity, std::string_view query_shape,
                           bson::Builder& reply) {
  const auto collection = context.FindCollection(explained.collection);
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query,
      engine::FindQuery::Parse(explained.request, collection.get(), &execution.evaluation));
  MAYFLY_RETURN_IF_ERROR(CheckUpdate(explained, execution.evaluation, *query));
  const std::string ns = FullName(context, explained.collection);
  reply.String("explainVersion", "1");
  OpenPlanner(
      {.ns = ns,
       .filter = &query->filter(),
       .plan_shape = query->PlanShape(),
       .filtered_indexes = collection != nullptr && query->IndexFilterOf(*collection) != nullptr},
      reply);
  if (collection == nullptr) {
    AppendNothing(verbosity, explained.purpose, reply);
    AppendEnding(context, command, query_shape, reply);
    return absl::OkStatus();
  }
  if (IsFastCount(explained)) {
    MAYFLY_RETURN_IF_ERROR(ExplainFastCount(context, collection, verbosity, reply));
    AppendEnding(context, command, query_shape, reply);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(engine::PlanChoice choice, query->Plan(*collection));
  if (explained.purpose == Purpose::kDistinct) {
    MAYFLY_ASSIGN_OR_RETURN(auto path, engine::DistinctPath(*query, *collection, explained.key));
    if (path.has_value()) choice.winner = *std::move(path);
  }
  PlanDescription plan{
      .collection = *collection,
      .filter = query->filter(),
      .request = explained.request,
      .path = choice.winner,
      .purpose = explained.purpose,
      .entries_only = ReadsEntriesOnly(explained, *query, *collection, choice.winner),
      .key = explained.key,
      .counts = std::nullopt};
  AppendWinningPlan(plan, reply);
  reply.OpenArray("rejectedPlans");
  for (const engine::AccessPath& path : choice.rejected) {
    bson::Builder holder;
    AppendPlan("plan",
               {.collection = *collection,
                .filter = query->filter(),
                .request = explained.request,
                .path = path,
                .purpose = explained.purpose,
                .entries_only = ReadsEntriesOnly(explained, *query, *collection, path),
                .counts = std::nullopt},
               holder);
    reply.PushDocument(holder.Finish().Find("plan").AsDocument());
  }
  reply.Close().Close();
  if (verbosity != Verbosity::kQueryPlanner) {
    MAYFLY_ASSIGN_OR_RETURN(const PlanCounts counts, RunExplained(context, explained, collection,
                                                                  choice.winner, kEveryResult));
    plan.counts = counts;
    reply.OpenDocument("executionStats").Bool("executionSuccess", true);
    AppendTotals(counts, ShowsDocuments(explained.purpose) ? counts.returned : 0, reply);
    AppendPlan("executionStages", plan, reply);
    if (verbosity == Verbosity::kAllPlans) {
      MAYFLY_RETURN_IF_ERROR(AppendTrials(context, explained, collection, *query, choice, reply));
    }
    reply.Close();
  }
  AppendEnding(context, command, query_shape, reply);
  return absl::OkStatus();
}

}  // namespace mayfly::commands

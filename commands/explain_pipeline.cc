// explain of aggregate, and of searches in views.
#include <optional>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/explain_parts.h"
#include "engine/exec/pipeline_query.h"
#include "engine/exec/pipeline_targets.h"
#include "engine/query/query_shape.h"

namespace mayfly::commands {
namespace {

using base::StrCat;
using bson::ValueView;

// Stages that a find can do, in the order in which it does them.
constexpr std::array<std::string_view, 5> kFindStages = {"$match", "$sort", "$skip", "$limit",
                                                         "$project"};

bool IsPlainProjection(bson::View projection) {
  for (const bson::Element& element : projection) {
    if (!element.value.IsBool() && !element.value.IsNumber()) return false;
  }
  return !projection.empty();
}

// The pipeline as a find, if it is no more than one.
std::optional<engine::FindRequest> AsFind(const ExplainedPipeline& explained) {
  engine::FindRequest request{
      .hint = explained.hint, .collation = explained.collation, .let = explained.let};
  size_t next = 0;
  for (const bson::Element& element : explained.pipeline) {
    if (!element.value.IsDocument()) return std::nullopt;
    const bson::Element stage = element.value.AsDocument().First();
    while (next < kFindStages.size() && kFindStages[next] != stage.key) ++next;
    if (next == kFindStages.size()) return std::nullopt;
    ++next;
    const bson::View body = stage.value.IsDocument() ? stage.value.AsDocument() : bson::View();
    const int64_t count = stage.value.IsNumber() ? bson::ToInt64Truncated(stage.value) : 0;
    if (stage.key == "$match") request.filter = body;
    if (stage.key == "$sort") request.sort = body;
    if (stage.key == "$skip") request.skip = count;
    if (stage.key == "$limit") request.limit = count;
    if (stage.key == "$project") {
      if (!IsPlainProjection(body)) return std::nullopt;
      request.projection = body;
    }
  }
  return request;
}

bool IsWriting(std::string_view stage) { return stage == "$out" || stage == "$merge"; }

// The pipeline without what would write.
bson::Document WithoutWriting(bson::View pipeline) {
  bson::Builder builder;
  builder.OpenArray("stages");
  for (const bson::Element& stage : pipeline) {
    if (stage.value.IsDocument() && IsWriting(stage.value.AsDocument().First().key)) continue;
    builder.Push(stage.value);
  }
  builder.Close();
  const bson::Document holder = builder.Finish();
  return bson::Document(holder.Find("stages").AsDocument());
}

// Stages that have a part in how the source is read, by the fields and the order they need.
constexpr std::array<std::string_view, 10> kPlanningStages = {
    "$group", "$lookup", "$bucket",      "$replaceRoot", "$project",
    "$sort",  "$count",  "$sortByCount", "$densify",     "$setWindowFields"};

std::string PlanShapeOf(const engine::FilterNode& filter, const ExplainedPipeline& explained) {
  std::string shape = engine::PlanShape(
      filter, {.sort = {},
               .projection = {},
               .collation = explained.collation.IsDocument() ? explained.collation.AsDocument()
                                                             : bson::View()});
  for (const bson::Element& element : explained.pipeline) {
    if (!element.value.IsDocument()) continue;
    const bson::Element stage = element.value.AsDocument().First();
    if (std::find(kPlanningStages.begin(), kPlanningStages.end(), stage.key) ==
        kPlanningStages.end()) {
      continue;
    }
    shape += StrCat("|", stage.key, engine::ExpressionShape(stage.value));
  }
  return shape;
}

engine::PipelineRequest RequestOf(CommandContext& context, const ExplainedPipeline& explained,
                                  bson::View pipeline) {
  return {.database = std::string(context.database_name()),
          .collection = std::string(explained.collection),
          .pipeline = pipeline,
          .collation = explained.collation,
          .let = explained.let,
          .hint = explained.hint};
}

// Runs the pipeline, for its errors, and counts what its source gave.
absl::StatusOr<PlanCounts> Execute(CommandContext& context, const ExplainedPipeline& explained) {
  const int64_t start_us = context.services.clock.MonotonicUs();
  engine::ExecutionContext execution = MakeExecutionContext(context);
  const bson::Document pipeline = WithoutWriting(explained.pipeline);
  MAYFLY_ASSIGN_OR_RETURN(const auto query,
                          engine::PipelineQuery::Parse(RequestOf(context, explained, pipeline),
                                                       context.catalog, execution, nullptr));
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, query->MakeStream());
  engine::Row row;
  PlanCounts counts;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, stream->Next(&row));
    if (!more) break;
    ++counts.returned;
  }
  counts.keys = execution.keys_examined;
  counts.documents = execution.documents_examined;
  counts.millis = (context.services.clock.MonotonicUs() - start_us) / 1000;
  return counts;
}

// How many documents the source hands to the first stage.
absl::StatusOr<int64_t> CountSource(CommandContext& context, const ExplainedPipeline& explained,
                                    const engine::FilterNode* leading,
                                    const std::shared_ptr<engine::Collection>& source,
                                    int64_t documents) {
  if (leading == nullptr) return documents;
  const bson::Document filter = engine::ToDocument(*leading);
  engine::ExecutionContext execution = MakeExecutionContext(context);
  const engine::FindRequest request{.filter = filter, .collation = explained.collation};
  MAYFLY_ASSIGN_OR_RETURN(const auto query,
                          engine::FindQuery::Parse(request, source.get(), &execution.evaluation));
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, query->MakeStream(execution, source));
  engine::Row row;
  int64_t count = 0;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, stream->Next(&row));
    if (!more) return count;
    ++count;
  }
}

absl::Status AppendCursor(CommandContext& context, const ExplainedPipeline& explained,
                          const engine::PipelineQuery& query, Verbosity verbosity,
                          bson::Builder& reply) {
  const engine::FilterPtr everything =
      *engine::ParseFilter(bson::View(), engine::FilterParseContext());
  const engine::FilterNode* leading = query.pipeline().LeadingFilter();
  const engine::FilterNode& filter = leading == nullptr ? *everything : *leading;
  const std::string ns = FullName(context, explained.collection);
  OpenPlanner({.ns = ns, .filter = &filter, .plan_shape = PlanShapeOf(filter, explained)}, reply);
  if (query.source() == nullptr) {
    AppendNothing(verbosity, Purpose::kRead, reply);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(const engine::PlanChoice choice, query.PlanSource());
  const engine::FindRequest none;
  PlanDescription plan{.collection = *query.source(),
                       .filter = filter,
                       .request = none,
                       .path = choice.winner,
                       .counts = std::nullopt};
  AppendWinningPlan(plan, reply);
  reply.OpenArray("rejectedPlans").Close().Close();
  if (verbosity == Verbosity::kQueryPlanner) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(PlanCounts counts, Execute(context, explained));
  MAYFLY_ASSIGN_OR_RETURN(
      counts.returned, CountSource(context, explained, leading, query.source(), counts.documents));
  plan.counts = counts;
  reply.OpenDocument("executionStats").Bool("executionSuccess", true);
  reply.Append("nReturned", bson::Value::IntFitting(counts.returned));
  reply.Append("executionTimeMillis", bson::Value::IntFitting(counts.millis));
  reply.Append("totalKeysExamined", bson::Value::IntFitting(counts.keys));
  reply.Append("totalDocsExamined", bson::Value::IntFitting(counts.documents));
  AppendPlan("executionStages", plan, reply);
  if (verbosity == Verbosity::kAllPlans) reply.OpenArray("allPlansExecution").Close();
  reply.Close();
  return absl::OkStatus();
}

// Where the pipeline would write must be such that it can.
absl::Status CheckSink(CommandContext& context, const engine::Pipeline& pipeline,
                       engine::ExecutionContext& execution) {
  MAYFLY_ASSIGN_OR_RETURN(const auto sink, pipeline.MakeSink(execution.runtime));
  const bool is_here = sink != nullptr && context.transaction != nullptr &&
                       sink->target().database == context.database_name();
  if (!is_here) return absl::OkStatus();
  engine::PipelineTargets targets(MakeWriteContext(context), execution);
  return sink->Check(targets);
}

}  // namespace

absl::Status ExplainPipeline(CommandContext& context, const ExplainedPipeline& explained,
                             Verbosity verbosity, bson::Builder& reply) {
  const std::string shape = engine::PipelineShape(
      explained.pipeline,
      explained.collation.IsDocument() ? explained.collation.AsDocument() : bson::View());
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(const auto query, engine::PipelineQuery::Parse(
                                                RequestOf(context, explained, explained.pipeline),
                                                context.catalog, execution, nullptr));
  MAYFLY_RETURN_IF_ERROR(CheckSink(context, query->pipeline(), execution));
  const auto named = context.FindCollection(explained.collection);
  const bool is_stored = named != nullptr && !named->IsView();
  if (const auto request = AsFind(explained); is_stored && request.has_value()) {
    return ExplainSearch(context, explained.command,
                         {.collection = explained.collection, .request = *request}, verbosity,
                         shape, reply);
  }
  const bson::Value stages = query->pipeline().Serialize();
  reply.String("explainVersion", "1").OpenArray("stages");
  if (!query->pipeline().HasOwnSource()) {
    reply.PushOpenDocument().OpenDocument("$cursor");
    MAYFLY_RETURN_IF_ERROR(AppendCursor(context, explained, *query, verbosity, reply));
    reply.Close().Close();
  }
  bool first = true;
  for (const bson::Element& stage : stages.view().AsDocument()) {
    // The leading filter is the source's.
    const bool leads = std::exchange(first, false) && query->pipeline().LeadingFilter() != nullptr;
    if (!leads) reply.Push(stage.value);
  }
  reply.Close();
  AppendEnding(context, explained.command, shape, reply);
  return absl::OkStatus();
}

}  // namespace mayfly::commands

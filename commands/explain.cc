// explain: how a command would find its documents, and what that costs.
#include "commands/explain.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/explain_parts.h"
#include "commands/families.h"
#include "commands/find.h"
#include "commands/registry.h"
#include "commands/views.h"
#include "engine/catalog/namespace.h"
#include "engine/exec/count.h"
#include "engine/exec/count_matching.h"
#include "engine/exec/distinct.h"
#include "engine/exec/scan_streams.h"
#include "engine/query/query_shape.h"
#include "engine/update/update.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

constexpr std::array kArguments = {
    ArgSpec{"verbosity", ArgType::kString, ArgUse::kOptional,
            "queryPlanner, executionStats or allPlansExecution"},
};

absl::StatusOr<Verbosity> ReadVerbosity(std::string_view text) {
  if (text == "queryPlanner") return Verbosity::kQueryPlanner;
  if (text == "executionStats") return Verbosity::kExecutionStats;
  if (text == "allPlansExecution") return Verbosity::kAllPlans;
  return Error(
      ErrorCode::kBadValue,
      StrCat("Enumeration value '", text, "' for field 'explain.verbosity' is not a valid value."));
}

ValueView FirstOf(ValueView list) {
  return list.IsArray() ? list.AsDocument().First().value : ValueView();
}

bson::View DocumentOf(ValueView value) {
  return value.IsDocument() ? value.AsDocument() : bson::View();
}

int64_t IntegerOf(ValueView value) { return value.IsNumber() ? bson::ToInt64Truncated(value) : 0; }

absl::StatusOr<Explained> ReadFind(bson::View command) {
  Invocation inner;
  inner.body = command;
  MAYFLY_ASSIGN_OR_RETURN(const Arguments arguments,
                          Arguments::Parse(inner, "find", FindArguments()));
  MAYFLY_ASSIGN_OR_RETURN(engine::FindRequest request, ReadFindRequest(arguments));
  return Explained{.request = request};
}

absl::StatusOr<Explained> ReadCount(bson::View command) {
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .skip = IntegerOf(command.Find("skip")),
                               .limit = std::abs(IntegerOf(command.Find("limit"))),
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation")},
                   .purpose = Purpose::kCount};
}

absl::StatusOr<Explained> ReadDistinct(bson::View command) {
  if (!command.Find("key").IsString()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'distinct.key' is missing but a required field");
  }
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation")},
                   .purpose = Purpose::kDistinct,
                   .key = command.Find("key").AsString()};
}

std::vector<bson::View> FiltersOf(ValueView list) {
  std::vector<bson::View> filters;
  if (!list.IsArray()) return filters;
  for (const bson::Element& element : list.AsDocument()) {
    if (element.value.IsDocument()) filters.push_back(element.value.AsDocument());
  }
  return filters;
}

bool IsTrue(ValueView value) {
  return value.IsBool() ? value.AsBool() : value.IsNumber() && bson::IsNonZero(value);
}

// The one statement of an explained write command.
absl::StatusOr<bson::View> StatementOf(bson::View command, std::string_view list) {
  const ValueView statements = command.Find(list);
  if (!statements.IsArray() || statements.AsDocument().Count() != 1 ||
      !FirstOf(statements).IsDocument()) {
    return Error(ErrorCode::kInvalidLength, "explained write batches must be of size 1");
  }
  return FirstOf(statements).AsDocument();
}

absl::StatusOr<Explained> ReadUpdate(bson::View command) {
  MAYFLY_ASSIGN_OR_RETURN(const bson::View fields, StatementOf(command, "updates"));
  return Explained{.request = {.filter = DocumentOf(fields.Find("q")),
                               .sort = DocumentOf(fields.Find("sort")),
                               .hint = fields.Find("hint"),
                               .collation = fields.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .purpose = Purpose::kUpdate,
                   .update = fields.Find("u"),
                   .array_filters = FiltersOf(fields.Find("arrayFilters")),
                   .multi = IsTrue(fields.Find("multi")),
                   .upsert = IsTrue(fields.Find("upsert"))};
}

absl::StatusOr<Explained> ReadDelete(bson::View command) {
  MAYFLY_ASSIGN_OR_RETURN(const bson::View fields, StatementOf(command, "deletes"));
  return Explained{.request = {.filter = DocumentOf(fields.Find("q")),
                               .hint = fields.Find("hint"),
                               .collation = fields.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .purpose = Purpose::kDelete,
                   .multi = !IsTrue(fields.Find("limit"))};
}

absl::StatusOr<Explained> ReadFindAndModify(bson::View command) {
  const bool remove = IsTrue(command.Find("remove"));
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .sort = DocumentOf(command.Find("sort")),
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .purpose = remove ? Purpose::kDelete : Purpose::kUpdate,
                   .update = remove ? ValueView() : command.Find("update"),
                   .array_filters = FiltersOf(command.Find("arrayFilters")),
                   .multi = false,
                   .upsert = IsTrue(command.Find("upsert"))};
}

struct ExplainRow {
  std::string_view command;
  absl::StatusOr<Explained> (*read)(bson::View);
};

constexpr ExplainRow kExplainable[] = {
    {"find", ReadFind},
    {"count", ReadCount},
    {"distinct", ReadDistinct},
    {"update", ReadUpdate},
    {"delete", ReadDelete},
    {"findAndModify", ReadFindAndModify},
    {"findandmodify", ReadFindAndModify},
};

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

// A rejected plan is tried for as many results, as MongoDB's trials are.
constexpr int64_t kTrialResults = 101;
constexpr int64_t kEveryResult = std::numeric_limits<int64_t>::max();

// What a count says of so many documents.
int64_t Counted(const engine::FindRequest& request, int64_t documents) {
  const int64_t rest = std::max<int64_t>(0, documents - request.skip);
  return request.limit > 0 ? std::min(rest, request.limit) : rest;
}

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

absl::StatusOr<PlanCounts> Execute(CommandContext& context, const Explained& explained,
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
                            engine::CountEntries(execution, *collection, path, kEveryResult));
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
                            Execute(context, explained, collection, *path, kTrialResults));
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

absl::Status ExplainAggregateCommand(CommandContext& context, bson::View command,
                                     Verbosity verbosity, bson::Builder& reply) {
  const ValueView target = command.First().value;
  const ValueView stages = command.Find("pipeline");
  if (!stages.IsArray()) return WrongTypeError("aggregate", "pipeline", stages.type(), "array");
  return ExplainPipeline(context,
                         {.command = command,
                          .collection = target.IsString() ? target.AsString() : std::string_view(),
                          .pipeline = stages.AsDocument(),
                          .collation = command.Find("collation"),
                          .let = DocumentOf(command.Find("let")),
                          .hint = command.Find("hint")},
                         verbosity, reply);
}

// A search in a view is an aggregation of what the view is on.
absl::Status ExplainOnAny(CommandContext& context, bson::View command, const Explained& explained,
                          Verbosity verbosity, bson::Builder& reply) {
  const auto collection = context.FindCollection(explained.collection);
  const engine::FindRequest& request = explained.request;
  if (collection == nullptr || !collection->IsView()) {
    const std::string shape =
        engine::FindShape(request.filter, {.sort = request.sort,
                                           .projection = request.projection,
                                           .collation = DocumentOf(request.collation)});
    return ExplainSearch(context, command, explained, verbosity, shape, reply);
  }
  if (explained.purpose == Purpose::kUpdate || explained.purpose == Purpose::kDelete) {
    return NotOnView(collection->ns());
  }
  const bson::Document pipeline = PipelineOf(request);
  return ExplainPipeline(context,
                         {.command = command,
                          .collection = explained.collection,
                          .pipeline = pipeline,
                          .collation = {},
                          .let = request.let,
                          .hint = request.hint},
                         verbosity, reply);
}

absl::Status RunExplain(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'explain.explain' is missing but a required field");
  }
  if (!target.IsDocument()) return WrongTypeError("explain", "explain", target.type(), "object");
  MAYFLY_ASSIGN_OR_RETURN(const Verbosity verbosity,
                          ReadVerbosity(arguments.String(0, "allPlansExecution")));
  const bson::View command = target.AsDocument();
  const std::string_view name = command.First().key;
  if (name == "aggregate") return ExplainAggregateCommand(context, command, verbosity, reply);
  for (const ExplainRow& row : kExplainable) {
    if (row.command != name) continue;
    MAYFLY_ASSIGN_OR_RETURN(Explained explained, row.read(command));
    const ValueView collection = command.First().value;
    if (!collection.IsString())
      return Error(ErrorCode::kInvalidNamespace, "collection name has invalid type");
    MAYFLY_RETURN_IF_ERROR(
        engine::CheckCollectionName(context.database_name(), collection.AsString()));
    explained.collection = collection.AsString();
    return ExplainOnAny(context, command, explained, verbosity, reply);
  }
  if (Registry().Find(name) != nullptr) {
    return Error(ErrorCode::kIllegalOperation, StrCat("Cannot explain cmd: ", name));
  }
  return Error(ErrorCode::kCommandNotFound,
               StrCat("Explain failed due to unknown command: ", name));
}

constexpr CommandRow kRows[] = {
    {.name = "explain",
     .place = Place::kRead,
     .run = RunExplain,
     .arguments = kArguments,
     .help = "Describes how a command finds its documents."},
};

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
  MAYFLY_RETURN_IF_ERROR(Applier::Make(explained, execution.evaluation, *query).status());
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
    MAYFLY_ASSIGN_OR_RETURN(const PlanCounts counts,
                            Execute(context, explained, collection, choice.winner, kEveryResult));
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

absl::Status ExplainAggregate(CommandContext& context, bson::Builder& reply) {
  return ExplainAggregateCommand(context, context.invocation.body, Verbosity::kQueryPlanner, reply);
}

std::span<const CommandRow> ExplainCommands() { return kRows; }

}  // namespace mayfly::commands

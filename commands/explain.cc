// explain: how a command would find its documents, and what that costs.
#include "commands/explain.h"

#include <array>
#include <memory>
#include <optional>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/find.h"
#include "commands/plan_description.h"
#include "engine/catalog/namespace.h"
#include "engine/exec/pipeline_query.h"

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

enum class Verbosity : uint8_t { kQueryPlanner, kExecutionStats, kAllPlans };

absl::StatusOr<Verbosity> ReadVerbosity(std::string_view text) {
  if (text == "queryPlanner") return Verbosity::kQueryPlanner;
  if (text == "executionStats") return Verbosity::kExecutionStats;
  if (text == "allPlansExecution") return Verbosity::kAllPlans;
  return Error(
      ErrorCode::kBadValue,
      StrCat("Enumeration value '", text, "' for field 'explain.verbosity' is not a valid value."));
}

// The search inside an explained command, and the stage that stands on top of it.
struct Explained {
  std::string_view collection;
  engine::FindRequest request;
  std::string_view stage;  // "COUNT", "UPDATE" ...; empty for find
};

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
                   .stage = "COUNT"};
}

absl::StatusOr<Explained> ReadDistinct(bson::View command) {
  if (!command.Find("key").IsString()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'distinct.key' is missing but a required field");
  }
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation")}};
}

absl::StatusOr<Explained> ReadWrite(bson::View command, std::string_view list,
                                    std::string_view stage) {
  const ValueView statement = FirstOf(command.Find(list));
  if (!statement.IsDocument())
    return Error(ErrorCode::kInvalidLength, "explained write commands take one statement");
  const bson::View fields = statement.AsDocument();
  return Explained{.request = {.filter = DocumentOf(fields.Find("q")),
                               .hint = fields.Find("hint"),
                               .collation = fields.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .stage = stage};
}

absl::StatusOr<Explained> ReadUpdate(bson::View command) {
  return ReadWrite(command, "updates", "UPDATE");
}
absl::StatusOr<Explained> ReadDelete(bson::View command) {
  return ReadWrite(command, "deletes", "DELETE");
}

absl::StatusOr<Explained> ReadFindAndModify(bson::View command) {
  const bool remove = command.Find("remove").IsBool() && command.Find("remove").AsBool();
  return Explained{.request = {.filter = DocumentOf(command.Find("query")),
                               .sort = DocumentOf(command.Find("sort")),
                               .limit = 1,
                               .hint = command.Find("hint"),
                               .collation = command.Find("collation"),
                               .let = DocumentOf(command.Find("let"))},
                   .stage = remove ? "DELETE" : "UPDATE"};
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

void AppendServer(const CommandContext& context, bson::View command, bson::Builder& reply) {
  const ServerFacts& facts = context.services.facts;
  bson::Builder echoed;
  echoed.AppendAll(command).String("$db", context.database_name());
  reply.Document("command", echoed.Finish());
  reply.OpenDocument("serverInfo").String("host", facts.host).Int32("port", facts.port);
  reply.String("version", facts.version).String("gitVersion", facts.version).Close();
  reply.OpenDocument("serverParameters");
  reply.Int64("internalQueryFacetBufferSizeBytes", engine::kStageMemoryLimitBytes).Close();
}

void OpenPlanner(std::string_view ns, const engine::FilterNode* filter, bson::Builder& reply) {
  reply.OpenDocument("queryPlanner").String("namespace", ns);
  bson::Builder parsed;
  if (filter != nullptr) filter->Serialize(&parsed);
  reply.Document("parsedQuery", parsed.Finish()).Bool("indexFilterSet", false);
  reply.Bool("maxIndexedOrSolutionsReached", false).Bool("maxIndexedAndSolutionsReached", false);
  reply.Bool("maxScansToExplodeReached", false).Bool("prunedSimilarIndexes", false);
}

absl::StatusOr<PlanCounts> Execute(CommandContext& context, engine::ExecutionContext& execution,
                                   const engine::FindQuery& query,
                                   const std::shared_ptr<engine::Collection>& collection,
                                   const engine::AccessPath& path) {
  const int64_t start_us = context.services.clock.MonotonicUs();
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, query.MakeStream(execution, collection, path));
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

void AppendExecution(const PlanDescription& plan, std::string_view stage, const PlanCounts& counts,
                     bool all_plans, bson::Builder& reply) {
  reply.OpenDocument("executionStats").Bool("executionSuccess", true);
  reply.Int64("nReturned", stage.empty() ? counts.returned : 0)
      .Int64("executionTimeMillis", counts.millis);
  reply.Int64("totalKeysExamined", counts.keys).Int64("totalDocsExamined", counts.documents);
  AppendPlanUnder("executionStages", stage, plan, reply);
  if (all_plans) reply.OpenArray("allPlansExecution").Close();
  reply.Close();
}

absl::Status ExplainSearch(CommandContext& context, bson::View command, const Explained& explained,
                           Verbosity verbosity, bson::Builder& reply) {
  const bson::ValueView target = command.First().value;
  if (!target.IsString())
    return Error(ErrorCode::kInvalidNamespace, "collection name has invalid type");
  MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(context.database_name(), target.AsString()));
  const auto collection = context.FindCollection(target.AsString());
  if (collection != nullptr && collection->IsView()) {
    return Error(ErrorCode::kCommandNotSupportedOnView,
                 "explain of a search in a view: explain its pipeline instead");
  }
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query,
      engine::FindQuery::Parse(explained.request, collection.get(), &execution.evaluation));
  reply.String("explainVersion", "1");
  OpenPlanner(FullName(context, target.AsString()), &query->filter(), reply);
  if (collection == nullptr) {
    reply.OpenDocument("winningPlan").Bool("isCached", false).String("stage", "EOF").Close();
    reply.OpenArray("rejectedPlans").Close().Close();
    if (verbosity != Verbosity::kQueryPlanner) {
      reply.OpenDocument("executionStats").Bool("executionSuccess", true).Int64("nReturned", 0);
      reply.Int64("executionTimeMillis", 0)
          .Int64("totalKeysExamined", 0)
          .Int64("totalDocsExamined", 0);
      reply.OpenDocument("executionStages").String("stage", "EOF").Close().Close();
    }
    AppendServer(context, command, reply);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(const engine::PlanChoice choice, query->Plan(*collection));
  PlanDescription plan{.collection = *collection,
                       .filter = query->filter(),
                       .request = explained.request,
                       .path = choice.winner,
                       .counts = std::nullopt};
  AppendPlanUnder("winningPlan", explained.stage, plan, reply);
  reply.OpenArray("rejectedPlans");
  for (const engine::AccessPath& path : choice.rejected) {
    bson::Builder holder;
    AppendPlan("plan",
               {.collection = *collection,
                .filter = query->filter(),
                .request = explained.request,
                .path = path},
               holder);
    reply.PushDocument(holder.Finish().Find("plan").AsDocument());
  }
  reply.Close().Close();
  if (verbosity != Verbosity::kQueryPlanner) {
    MAYFLY_ASSIGN_OR_RETURN(const PlanCounts counts,
                            Execute(context, execution, *query, collection, choice.winner));
    plan.counts = counts;
    AppendExecution(plan, explained.stage, counts, verbosity == Verbosity::kAllPlans, reply);
  }
  AppendServer(context, command, reply);
  return absl::OkStatus();
}

absl::Status ExplainPipeline(CommandContext& context, bson::View command, Verbosity verbosity,
                             bson::Builder& reply) {
  const bson::ValueView target = command.First().value;
  const bson::ValueView stages = command.Find("pipeline");
  if (!stages.IsArray()) return WrongTypeError("aggregate", "pipeline", stages.type(), "array");
  engine::ExecutionContext execution = MakeExecutionContext(context);
  const engine::PipelineRequest request{
      .database = std::string(context.database_name()),
      .collection = target.IsString() ? std::string(target.AsString()) : "",
      .pipeline = stages.AsDocument(),
      .collation = command.Find("collation"),
      .let = DocumentOf(command.Find("let")),
      .hint = command.Find("hint")};
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query,
      engine::PipelineQuery::Parse(request, context.catalog, execution, nullptr, nullptr));
  reply.String("explainVersion", "1");
  const std::string ns = FullName(context, request.collection);
  const bson::Value pipeline = query->pipeline().Serialize();
  if (query->source() == nullptr) {
    OpenPlanner(ns, query->pipeline().LeadingFilter(), reply);
    reply.OpenDocument("winningPlan").Bool("isCached", false).String("stage", "EOF").Close();
    reply.OpenArray("rejectedPlans").Close().Close();
    AppendServer(context, command, reply);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(const engine::PlanChoice choice, query->PlanSource());
  const engine::FilterPtr everything =
      *engine::ParseFilter(bson::View(), engine::FilterParseContext());
  const engine::FilterNode* leading = query->pipeline().LeadingFilter();
  const engine::FindRequest none;
  const PlanDescription plan{.collection = *query->source(),
                             .filter = leading == nullptr ? *everything : *leading,
                             .request = none,
                             .path = choice.winner,
                             .counts = std::nullopt};
  reply.OpenArray("stages").PushOpenDocument().OpenDocument("$cursor");
  OpenPlanner(ns, leading, reply);
  AppendPlan("winningPlan", plan, reply);
  reply.OpenArray("rejectedPlans").Close().Close();
  if (verbosity != Verbosity::kQueryPlanner) {
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
    AppendExecution(plan, {}, counts, verbosity == Verbosity::kAllPlans, reply);
  }
  reply.Close().Close();
  for (const bson::Element& stage : pipeline.view().AsDocument()) reply.Push(stage.value);
  reply.Close();
  AppendServer(context, command, reply);
  return absl::OkStatus();
}

absl::Status RunExplain(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  if (!target.IsDocument()) return WrongTypeError("explain", "explain", target.type(), "object");
  MAYFLY_ASSIGN_OR_RETURN(const Verbosity verbosity,
                          ReadVerbosity(arguments.String(0, "allPlansExecution")));
  const bson::View command = target.AsDocument();
  const std::string_view name = command.First().key;
  if (name == "aggregate") return ExplainPipeline(context, command, verbosity, reply);
  for (const ExplainRow& row : kExplainable) {
    if (row.command != name) continue;
    MAYFLY_ASSIGN_OR_RETURN(const Explained explained, row.read(command));
    return ExplainSearch(context, command, explained, verbosity, reply);
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

absl::Status ExplainAggregate(CommandContext& context, bson::Builder& reply) {
  return ExplainPipeline(context, context.invocation.body, Verbosity::kQueryPlanner, reply);
}

std::span<const CommandRow> ExplainCommands() { return kRows; }

}  // namespace mayfly::commands

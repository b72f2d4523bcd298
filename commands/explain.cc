// explain: how a command would find its documents, and what that costs.
#include "commands/explain.h"

#include <array>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/explain_parts.h"
#include "commands/families.h"
#include "commands/registry.h"
#include "commands/views.h"
#include "engine/catalog/namespace.h"
#include "engine/query/query_shape.h"

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

bson::View DocumentOf(ValueView value) {
  return value.IsDocument() ? value.AsDocument() : bson::View();
}

absl::StatusOr<Verbosity> ReadVerbosity(std::string_view text) {
  if (text == "queryPlanner") return Verbosity::kQueryPlanner;
  if (text == "executionStats") return Verbosity::kExecutionStats;
  if (text == "allPlansExecution") return Verbosity::kAllPlans;
  return Error(
      ErrorCode::kBadValue,
      StrCat("Enumeration value '", text, "' for field 'explain.verbosity' is not a valid value."));
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
  MAYFLY_ASSIGN_OR_RETURN(auto explained, ReadExplained(command));
  if (explained.has_value()) {
    const ValueView collection = command.First().value;
    if (!collection.IsString())
      return Error(ErrorCode::kInvalidNamespace, "collection name has invalid type");
    MAYFLY_RETURN_IF_ERROR(
        engine::CheckCollectionName(context.database_name(), collection.AsString()));
    explained->collection = collection.AsString();
    return ExplainOnAny(context, command, *explained, verbosity, reply);
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

absl::Status ExplainAggregate(CommandContext& context, bson::Builder& reply) {
  return ExplainAggregateCommand(context, context.invocation.body, Verbosity::kQueryPlanner, reply);
}

std::span<const CommandRow> ExplainCommands() { return kRows; }

}  // namespace mayfly::commands

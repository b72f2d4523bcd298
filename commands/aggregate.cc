// aggregate: runs a pipeline over a collection, a view or a database.
#include <memory>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/concerns.h"
#include "commands/cursor_reply.h"
#include "commands/explain.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/pipeline_reports.h"
#include "commands/write_pipeline.h"
#include "engine/aggregate/stage.h"
#include "engine/catalog/namespace.h"
#include "engine/cursor/cursor.h"
#include "engine/exec/pipeline_query.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"pipeline", ArgType::kArray, ArgUse::kNotNull, "the stages; required"},
    ArgSpec{"cursor", ArgType::kDocument, ArgUse::kNotNull, "{batchSize}; required"},
    ArgSpec{"explain", ArgType::kBool, ArgUse::kNotNull, "describe the plan instead"},
    ArgSpec{"allowDiskUse", ArgType::kBool, ArgUse::kNotNull, "let large stages use the disk"},
    ArgSpec{"bypassDocumentValidation", ArgType::kFlag, ArgUse::kOptional, "for $out and $merge"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"hint", ArgType::kHint, ArgUse::kOptional, "the index to use"},
    ArgSpec{"let", ArgType::kDocument, ArgUse::kOptional, "variables for expressions"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"fromMongos", ArgType::kFlag, ArgUse::kIgnored, "of sharding"},
    ArgSpec{"needsMerge", ArgType::kFlag, ArgUse::kIgnored, "of sharding"},
    ArgSpec{"isMapReduceCommand", ArgType::kFlag, ArgUse::kIgnored, "of mapReduce"},
    ArgSpec{"querySettings", ArgType::kDocument, ArgUse::kIgnored, "of mongos"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

constexpr int64_t kDefaultBatchSize = 101;

// It reads one database after the other, and none while another is held.
bool ReadsAllDatabases(const Invocation& invocation) {
  const bson::ValueView first = invocation.body.Find("pipeline").AsDocument().First().value;
  return invocation.database == "admin" && first.IsDocument() &&
         first.AsDocument().First().key == "$listClusterCatalog";
}

bool IsTrue(bson::ValueView value) { return value.IsBool() && value.AsBool(); }

// A pipeline that ends in $out or $merge writes; into another database from outside of both.
Place PlaceOf(const Invocation& invocation) {
  const bson::ValueView pipeline = invocation.body.Find("pipeline");
  if (!pipeline.IsArray()) return Place::kRead;
  bson::ValueView last;
  for (const bson::Element& element : pipeline.AsDocument()) last = element.value;
  if (!last.IsDocument()) return Place::kRead;
  const std::string_view written = WrittenDatabase(last.AsDocument().First(), invocation.database);
  if (written.empty()) return ReadsAllDatabases(invocation) ? Place::kWorker : Place::kRead;
  const bool is_elsewhere =
      written != invocation.database && !engine::IsTrue(invocation.body.Find("explain"));
  return is_elsewhere ? Place::kWritingWorker : Place::kWrite;
}

struct Target {
  std::string collection;  // empty: the database
  std::string ns;
};

absl::StatusOr<Target> ReadTarget(const CommandContext& context, const Arguments& arguments) {
  const bson::ValueView target = arguments.target();
  if (target.IsNumber()) {
    if (bson::ToDouble(target) != 1) {
      return Error(
          ErrorCode::kBadValue,
          "Invalid command format: the 'aggregate' field must specify a collection name or 1");
    }
    return Target{.collection = {}, .ns = FullName(context, "$cmd.aggregate")};
  }
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  return Target{.collection = std::string(name), .ns = FullName(context, name)};
}

absl::StatusOr<int64_t> ReadBatchSize(const Arguments& arguments) {
  if (!arguments.Has(Arg("cursor"))) {
    if (arguments.Flag(Arg("explain"))) return kDefaultBatchSize;
    return Error(ErrorCode::kFailedToParse,
                 "The 'cursor' option is required, except for aggregate with the explain argument");
  }
  MAYFLY_ASSIGN_OR_RETURN(const int64_t size,
                          ReadCursorBatchSize("aggregate", arguments.Document(Arg("cursor"))));
  return size < 0 ? kDefaultBatchSize : size;
}

// 72 for stages that can do with some levels only.
absl::Status CheckReadConcern(const Arguments& arguments, const engine::Pipeline& pipeline) {
  const std::string_view level = ReadConcernLevel(arguments.common());
  if (level.empty()) return absl::OkStatus();
  const bool linearizable = level == "linearizable";
  for (const auto& stage : pipeline.stages()) {
    const bool refused =
        (stage->row().local_reads_only && level != "local") || (linearizable && pipeline.Writes());
    if (!refused) continue;
    return Error(ErrorCode::kInvalidOptions,
                 StrCat("Aggregation stage ", stage->row().name,
                        " cannot run with a readConcern level of '", level, "'"));
  }
  return absl::OkStatus();
}

// Within an operation of the pipeline's database.
absl::StatusOr<PreparedPipeline> Prepare(CommandContext& context, const Arguments& arguments,
                                         const Target& target) {
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[Arg("collectionUUID")],
                                             target.collection,
                                             context.FindCollection(target.collection).get()));
  PreparedPipeline prepared;
  prepared.execution = std::make_unique<engine::ExecutionContext>(MakeExecutionContext(context));
  const engine::PipelineRequest request{.database = std::string(context.database_name()),
                                        .collection = target.collection,
                                        .pipeline = arguments.Document(Arg("pipeline")),
                                        .collation = arguments[Arg("collation")],
                                        .let = arguments.Document(Arg("let")),
                                        .hint = arguments[Arg("hint")],
                                        .allow_disk_use = arguments.Flag(Arg("allowDiskUse"), true),
                                        .strict_api = IsTrue(arguments.common().api_strict)};
  MAYFLY_ASSIGN_OR_RETURN(
      prepared.query,
      engine::PipelineQuery::Parse(request, context.catalog, *prepared.execution, nullptr));
  MAYFLY_RETURN_IF_ERROR(CheckReadConcern(arguments, prepared.query->pipeline()));
  return prepared;
}

// The cursor of a pipeline that writes is empty.
absl::Status RunElsewhere(CommandContext& context, const Arguments& arguments, const Target& target,
                          bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const WriteConcern concern,
                          ParseWriteConcern(arguments.common().write_concern));
  MAYFLY_RETURN_IF_ERROR(
      WriteAcross(context,
                  {.bypass_validation = arguments.Flag(Arg("bypassDocumentValidation")),
                   .durability = concern.durability},
                  [&] { return Prepare(context, arguments, target); }));
  AppendEmptyCursor(target.ns, reply);
  return absl::OkStatus();
}

absl::Status CheckArguments(const Arguments& arguments) {
  if (!arguments.Has(Arg("pipeline"))) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'aggregate.pipeline' is missing but a required field");
  }
  if (!arguments.Flag(Arg("explain"))) return absl::OkStatus();
  if (IsTrue(arguments.common().api_strict)) {
    return Error(ErrorCode::kAPIStrictError,
                 "'explain' of aggregate is not in API version 1; use the explain command");
  }
  if (!arguments.common().write_concern.IsMissing()) {
    return Error(ErrorCode::kFailedToParse,
                 "Aggregation command does not support a writeConcern with 'explain'");
  }
  return absl::OkStatus();
}

absl::Status RunAggregate(CommandContext& context, const Arguments& arguments,
                          bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckArguments(arguments));
  MAYFLY_ASSIGN_OR_RETURN(const Target target, ReadTarget(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t batch_size, ReadBatchSize(arguments));
  if (PlaceOf(context.invocation) == Place::kWritingWorker) {
    return RunElsewhere(context, arguments, target, reply);
  }
  if (arguments.Flag(Arg("explain"))) {
    MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[Arg("collectionUUID")],
                                               target.collection,
                                               context.FindCollection(target.collection).get()));
    return ExplainAggregate(context, reply);
  }
  MAYFLY_ASSIGN_OR_RETURN(PreparedPipeline prepared, Prepare(context, arguments, target));
  const engine::Pipeline& pipeline = prepared.query->pipeline();
  if (ReadsAllDatabases(context.invocation) && !pipeline.Namespaces().empty()) {
    return Error(ErrorCode::kCommandNotSupported,
                 "$listClusterCatalog on admin cannot be joined with collections here");
  }
  PipelineReports reports(context);
  prepared.execution->reporter = &reports;
  if (pipeline.Writes()) {
    MAYFLY_RETURN_IF_ERROR(WriteHere(
        context, prepared, {.bypass_validation = arguments.Flag(Arg("bypassDocumentValidation"))}));
    AppendEmptyCursor(target.ns, reply);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(auto stream, prepared.query->MakeStream());
  auto cursor =
      std::make_unique<engine::Cursor>(target.ns, std::move(prepared.execution), std::move(stream),
                                       engine::Cursor::Keepers{prepared.query});
  cursor->set_collection(prepared.query->source());
  return AppendFirstBatch(context, arguments, std::move(cursor), batch_size, false, reply);
}

constexpr CommandRow kRows[] = {
    {.name = "aggregate",
     .place = Place::kRead,
     .flags = kInTransaction | kCreatesDatabase | kDefaultTimeLimit,
     .run = RunAggregate,
     .arguments = kArguments,
     .help = "Runs an aggregation pipeline and returns the first batch of its documents.",
     .place_of = PlaceOf},
};

}  // namespace

std::span<const CommandRow> AggregateCommands() { return kRows; }

}  // namespace mayfly::commands

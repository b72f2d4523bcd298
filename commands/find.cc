// find: documents of a collection, in batches.
#include "commands/find.h"

#include <limits>
#include <memory>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/cursor_reply.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/views.h"
#include "engine/cursor/cursor.h"
#include "engine/exec/find_query.h"
#include "engine/exec/id_query.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kFindArguments = {
    ArgSpec{"filter", ArgType::kDocument, ArgUse::kNotNull, "which documents"},
    ArgSpec{"sort", ArgType::kDocument, ArgUse::kOptional, "in which order"},
    ArgSpec{"projection", ArgType::kDocument, ArgUse::kOptional, "which of their fields"},
    ArgSpec{"hint", ArgType::kHint, ArgUse::kOptional, "the index to use"},
    ArgSpec{"skip", ArgType::kNumber, ArgUse::kOptional, "leave out the first so many"},
    ArgSpec{"limit", ArgType::kNumber, ArgUse::kOptional, "at most so many; 0: all"},
    ArgSpec{"batchSize", ArgType::kNumber, ArgUse::kOptional,
            "documents of the first batch (default 101)"},
    ArgSpec{"singleBatch", ArgType::kFlag, ArgUse::kOptional,
            "close the cursor after the first batch"},
    ArgSpec{"max", ArgType::kDocument, ArgUse::kOptional, "index keys below this"},
    ArgSpec{"min", ArgType::kDocument, ArgUse::kOptional, "index keys from here"},
    ArgSpec{"returnKey", ArgType::kFlag, ArgUse::kOptional, "index keys instead of documents"},
    ArgSpec{"showRecordId", ArgType::kFlag, ArgUse::kOptional, "add $recordId"},
    ArgSpec{"tailable", ArgType::kFlag, ArgUse::kOptional,
            "stay open at the end of a capped collection"},
    ArgSpec{"awaitData", ArgType::kFlag, ArgUse::kOptional, "with tailable: wait for more"},
    ArgSpec{"noCursorTimeout", ArgType::kFlag, ArgUse::kOptional,
            "keep the cursor while it is unused"},
    ArgSpec{"allowPartialResults", ArgType::kFlag, ArgUse::kIgnored, "of sharded clusters"},
    ArgSpec{"allowDiskUse", ArgType::kFlag, ArgUse::kOptional, "let large sorts use the disk"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"let", ArgType::kDocument, ArgUse::kOptional, "variables for expressions"},
    ArgSpec{"oplogReplay", ArgType::kFlag, ArgUse::kIgnored, "without effect since MongoDB 4.4"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"term", ArgType::kNumber, ArgUse::kIgnored, "of replication"},
    ArgSpec{"readOnce", ArgType::kFlag, ArgUse::kIgnored, "of replication"},
    ArgSpec{"includeQueryStatsMetrics", ArgType::kFlag, ArgUse::kIgnored, "of mongos"},
    ArgSpec{"querySettings", ArgType::kDocument, ArgUse::kIgnored, "of mongos"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kFindArguments, name); }

constexpr int64_t kDefaultBatchSize = 101;

// A look-up by `_id` of a simple type, without anything that takes long.
bool IsShort(const Invocation& invocation) {
  const bson::ValueView filter = invocation.body.Find("filter");
  if (!filter.IsDocument()) return false;
  const bson::Element first = filter.AsDocument().First();
  return first.key == "_id" && !first.value.IsContainer() &&
         first.value.type() != bson::Type::kRegex;
}

absl::Status CheckNotNegative(const Arguments& arguments, size_t index, std::string_view name) {
  const int64_t value = arguments.Integer(index, 0);
  if (value >= 0) return absl::OkStatus();
  return Error(ErrorCode::kBadValue,
               StrCat("BSON field '", name, "' value must be >= 0, actual value '", value, "'"));
}

absl::Status CheckNumbers(const Arguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(CheckNotNegative(arguments, Arg("skip"), "skip"));
  MAYFLY_RETURN_IF_ERROR(CheckNotNegative(arguments, Arg("limit"), "limit"));
  return CheckNotNegative(arguments, Arg("batchSize"), "batchSize");
}

}  // namespace

std::span<const ArgSpec> FindArguments() { return kFindArguments; }

absl::StatusOr<engine::FindRequest> ReadFindRequest(const Arguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(CheckNumbers(arguments));
  return engine::FindRequest{.filter = arguments.Document(Arg("filter")),
                             .sort = arguments.Document(Arg("sort")),
                             .projection = arguments.Document(Arg("projection")),
                             .skip = arguments.Integer(Arg("skip"), 0),
                             .limit = arguments.Integer(Arg("limit"), 0),
                             .hint = arguments[Arg("hint")],
                             .min = arguments.Document(Arg("min")),
                             .max = arguments.Document(Arg("max")),
                             .collation = arguments[Arg("collation")],
                             .let = arguments.Document(Arg("let")),
                             .return_key = arguments.Flag(Arg("returnKey")),
                             .show_record_id = arguments.Flag(Arg("showRecordId"))};
}

namespace {

bool IsForwardNatural(bson::View sort) {
  const bson::ValueView natural = sort.Find("$natural");
  return sort.Count() == 1 && natural.IsNumber() && bson::ToDouble(natural) > 0;
}

absl::Status CheckTailable(const Arguments& arguments, const engine::Collection* collection) {
  const bool tailable = arguments.Flag(Arg("tailable"));
  if (arguments.Flag(Arg("awaitData")) && !tailable) {
    return Error(ErrorCode::kFailedToParse,
                 "Cannot set 'awaitData' without also setting 'tailable'");
  }
  if (!tailable) return absl::OkStatus();
  if (const bson::View sort = arguments.Document(Arg("sort"));
      !sort.empty() && !IsForwardNatural(sort)) {
    return Error(ErrorCode::kBadValue,
                 "cannot use tailable option with a sort other than {$natural: 1}");
  }
  if (arguments.Flag(Arg("singleBatch"))) {
    return Error(ErrorCode::kBadValue, "Cannot use tailable option with the 'singleBatch' option");
  }
  if (collection != nullptr && !collection->options().capped) {
    return Error(
        ErrorCode::kBadValue,
        StrCat("error processing query: tailable cursor requested on non capped collection ",
               collection->ns()));
  }
  return absl::OkStatus();
}

absl::Status FindOne(CommandContext& context, const engine::Collection& collection,
                     bson::ValueView id, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const auto document,
                          engine::FindById(*context.transaction, collection, id, context.now_ms));
  reply.OpenDocument("cursor").OpenArray("firstBatch");
  if (document.has_value()) reply.PushDocument(*document);
  reply.Close().Int64("id", 0).String("ns", collection.ns()).Close();
  return absl::OkStatus();
}

absl::Status RunFind(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  context.services.metrics.Count(OpCounter::kQuery);
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const auto collection = context.FindCollection(name);
  MAYFLY_RETURN_IF_ERROR(
      CheckCollectionUuid(context, arguments[Arg("collectionUUID")], name, collection.get()));
  MAYFLY_ASSIGN_OR_RETURN(const engine::FindRequest request, ReadFindRequest(arguments));
  if (collection != nullptr && collection->IsView()) {
    if (arguments.Flag(Arg("tailable"))) {
      return Error(ErrorCode::kInvalidPipelineOperator,
                   StrCat("tailable cursors are not supported on views: ", collection->ns()));
    }
    return FindInView(context, *collection, arguments, request,
                      arguments.Integer(Arg("batchSize"), kDefaultBatchSize),
                      arguments.Flag(Arg("singleBatch")), reply);
  }
  MAYFLY_RETURN_IF_ERROR(CheckTailable(arguments, collection.get()));
  if (collection != nullptr && !arguments.Flag(Arg("tailable")) &&
      arguments.Integer(Arg("batchSize"), kDefaultBatchSize) > 0) {
    const bson::ValueView id = engine::SoughtId(request, *collection);
    if (!id.IsMissing()) return FindOne(context, *collection, id, reply);
  }

  auto execution = std::make_unique<engine::ExecutionContext>(MakeExecutionContext(context));
  execution->runtime.allow_disk_use = arguments.Flag(Arg("allowDiskUse"), true);
  MAYFLY_ASSIGN_OR_RETURN(const auto query, engine::FindQuery::Parse(request, collection.get(),
                                                                     &execution->evaluation));
  const std::string ns = FullName(context, name);
  if (collection == nullptr) {
    AppendEmptyCursor(ns, reply);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(auto stream, query->MakeStream(*execution, collection));
  auto cursor = std::make_unique<engine::Cursor>(ns, std::move(execution), std::move(stream),
                                                 engine::Cursor::Keepers{query, collection});
  cursor->set_collection(collection);
  cursor->tailable = arguments.Flag(Arg("tailable"));
  cursor->await_data = arguments.Flag(Arg("awaitData"));
  cursor->no_timeout = arguments.Flag(Arg("noCursorTimeout"));
  cursor->limit = request.limit;
  const bool single_batch = arguments.Flag(Arg("singleBatch"));
  return AppendFirstBatch(context, arguments, std::move(cursor),
                          arguments.Integer(Arg("batchSize"), kDefaultBatchSize), single_batch,
                          reply);
}

constexpr CommandRow kRows[] = {
    {.name = "find",
     .place = Place::kRead,
     .flags = kInTransaction | kDefaultTimeLimit,
     .run = RunFind,
     .arguments = kFindArguments,
     .help = "Finds documents and returns the first batch of them.",
     .is_short = IsShort},
};

}  // namespace

std::span<const CommandRow> FindCommands() { return kRows; }

}  // namespace mayfly::commands

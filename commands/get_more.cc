// getMore and killCursors.
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/cursor_reply.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/operation_registry.h"
#include "commands/pipeline_reports.h"
#include "engine/catalog/namespace.h"
#include "engine/cursor/cursor.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kGetMoreArguments = {
    ArgSpec{"collection", ArgType::kString, ArgUse::kRequired, "the cursor's collection"},
    ArgSpec{"batchSize", ArgType::kNumber, ArgUse::kOptional,
            "at most so many documents; 0: as many as fit"},
    ArgSpec{"term", ArgType::kLong, ArgUse::kIgnored, "of replication"},
    ArgSpec{"lastKnownCommittedOpTime", ArgType::kDocument, ArgUse::kIgnored, "of replication"},
    ArgSpec{"includeQueryStatsMetrics", ArgType::kFlag, ArgUse::kIgnored, "of mongos"},
};

// Cursors of commands about no collection, such as listCollections, are named like this.
constexpr std::string_view kCommandCollection = "$cmd.";

constexpr std::array kKillCursorsArguments = {
    ArgSpec{"cursors", ArgType::kArray, ArgUse::kRequired, "ids of the cursors"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kGetMoreArguments, name); }

absl::Status CheckSession(const engine::Cursor& cursor, bson::ValueView lsid, int64_t id) {
  const bool has_session = lsid.IsDocument();
  if (cursor.lsid.empty() && !has_session) return absl::OkStatus();
  if (cursor.lsid.empty()) {
    return Error(50736, StrCat("Cannot run getMore on cursor ", id,
                               ", which was not created in a session, in a session"));
  }
  if (!has_session) {
    return Error(50737, StrCat("Cannot run getMore on cursor ", id,
                               ", which was created in a session, without an lsid"));
  }
  const bson::ValueView own = cursor.lsid.Find("id");
  if (bson::Compare(own, lsid.AsDocument().Find("id")) != 0) {
    return Error(50738, StrCat("Cannot run getMore on cursor ", id,
                               ", which was created in another session"));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CursorId(const Arguments& arguments) {
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'getMore.getMore' is missing but a required field");
  }
  if (target.type() != bson::Type::kInt64) {
    return WrongTypeError("getMore", "getMore", target.type(), "long");
  }
  return target.AsInt64();
}

absl::Status NotFound(int64_t id) {
  return Error(ErrorCode::kCursorNotFound, StrCat("cursor id ", id, " not found"));
}

absl::Status CheckNamespace(const CommandContext& context, std::string_view collection,
                            int64_t id) {
  const std::string ns = context.services.cursors.NamespaceOf(id);
  if (ns.empty()) return NotFound(id);
  const std::string requested = FullName(context, collection);
  if (ns == requested) return absl::OkStatus();
  return Error(ErrorCode::kUnauthorized,
               StrCat("Requested getMore on namespace '", requested,
                      "', but cursor belongs to a different namespace ", ns));
}

absl::Status NextBatch(CommandContext& context, engine::Cursor& cursor, int64_t batch_size,
                       bool* ended, bson::Builder& reply) {
  cursor.Attach(context.transaction, context.now_ms, context.interrupt, context.evaluation.random);
  PipelineReports reports(context);
  cursor.context().reporter = &reports;
  reply.OpenDocument("cursor").OpenArray("nextBatch");
  MAYFLY_ASSIGN_OR_RETURN(*ended, cursor.FillBatch(batch_size == 0 ? -1 : batch_size, &reply));
  reply.Close();
  cursor.Detach();
  return absl::OkStatus();
}

absl::Status RunGetMore(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  context.services.metrics.Count(OpCounter::kGetMore);
  MAYFLY_ASSIGN_OR_RETURN(const int64_t id, CursorId(arguments));
  const std::string_view collection = arguments.String(Arg("collection"));
  if (!collection.starts_with(kCommandCollection)) {
    MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(context.database_name(), collection));
  }
  const int64_t batch_size = arguments.Integer(Arg("batchSize"), 0);
  if (batch_size < 0) {
    return Error(
        ErrorCode::kBadValue,
        StrCat("BSON field 'batchSize' value must be >= 0, actual value '", batch_size, "'"));
  }
  MAYFLY_RETURN_IF_ERROR(CheckNamespace(context, collection, id));
  engine::CursorRegistry& cursors = context.services.cursors;
  MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<engine::Cursor> cursor, cursors.Take(id));
  if (!cursor->invalid().ok()) {
    cursors.Forget(id);
    return cursor->invalid();
  }
  if (context.transaction == nullptr && cursor->needs_storage) {
    cursors.Forget(id);
    return NotFound(id);
  }
  if (arguments.common().comment.IsMissing()) {
    context.inherited_comment = bson::Value(cursor->command.Find("comment"));
  }
  if (auto status = CheckSession(*cursor, arguments.common().lsid, id); !status.ok()) {
    cursors.Return(id, std::move(cursor));
    return status;
  }
  if (!arguments.common().max_time_ms.IsNullish() && !cursor->await_data) {
    cursors.Return(id, std::move(cursor));
    return Error(ErrorCode::kBadValue,
                 "cannot set maxTimeMS on getMore command for a non-awaitData cursor");
  }
  bool ended = false;
  const std::string ns = cursor->ns();
  const absl::Status status = NextBatch(context, *cursor, batch_size, &ended, reply);
  if (!status.ok()) {
    cursors.Forget(id);
    return status;
  }
  const bool open = !ended || cursor->tailable;
  if (open) {
    cursors.Return(id, std::move(cursor));
  } else {
    cursor.reset();
    cursors.Forget(id);
  }
  if (open && context.invocation.exhaust_allowed) {
    context.outcome->more_to_come = true;
  }
  reply.Int64("id", open ? id : 0).String("ns", ns).Close();
  return absl::OkStatus();
}

// All of them are read before any is killed.
absl::StatusOr<std::vector<int64_t>> ReadIds(bson::View array) {
  std::vector<int64_t> ids;
  for (const bson::Element& element : array) {
    if (element.value.IsNullish()) continue;
    if (element.value.type() != bson::Type::kInt64) {
      return WrongTypeError("killCursors", StrCat("cursors.", element.key), element.value.type(),
                            "long");
    }
    ids.push_back(element.value.AsInt64());
  }
  return ids;
}

absl::Status RunKillCursors(CommandContext& context, const Arguments& arguments,
                            bson::Builder& reply) {
  // Its collection must be a name, but need not be the cursor's.
  if (const bson::ValueView target = arguments.target();
      !target.IsString() || !target.AsString().starts_with(kCommandCollection)) {
    MAYFLY_RETURN_IF_ERROR(TargetCollectionName(context, arguments).status());
  }
  MAYFLY_ASSIGN_OR_RETURN(const std::vector<int64_t> ids, ReadIds(arguments.Document(0)));
  std::vector<int64_t> killed;
  std::vector<int64_t> not_found;
  for (const int64_t id : ids) {
    (context.services.cursors.Kill(id) ? killed : not_found).push_back(id);
  }
  const auto append = [&](std::string_view name, const std::vector<int64_t>& list) {
    reply.OpenArray(name);
    for (const int64_t id : list) reply.PushInt64(id);
    reply.Close();
  };
  append("cursorsKilled", killed);
  append("cursorsNotFound", not_found);
  append("cursorsAlive", {});
  append("cursorsUnknown", {});
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "getMore",
     .place = Place::kRead,
     .flags = kInTransaction,
     .run = RunGetMore,
     .arguments = kGetMoreArguments,
     .help = "Returns the next batch of a cursor."},
    {.name = "killCursors",
     .place = Place::kConnection,
     .run = RunKillCursors,
     .arguments = kKillCursorsArguments,
     .help = "Closes cursors."},
};

}  // namespace

std::span<const CommandRow> CursorCommands() { return kRows; }

}  // namespace mayfly::commands

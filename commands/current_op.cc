// currentOp, killOp: the operations that run now.
#include "commands/current_op.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/time/time.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/families.h"
#include "commands/operation_registry.h"
#include "commands/state.h"
#include "engine/cursor/cursor.h"
#include "engine/query/filter.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr int kOpIdOutOfRange = 26823;

std::string TimeText(int64_t ms) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3S%Ez", absl::FromUnixMillis(ms), absl::UTCTimeZone());
}

// `elapsed_us` since the operation began.
bson::Document Describe(const RunningOperation& operation, int64_t elapsed_us,
                        const CommandContext& context) {
  bson::Builder builder;
  builder.String("type", "op").String("host", context.services.facts.host);
  builder.String("desc", StrCat("conn", operation.connection_id));
  builder.Int64("connectionId", operation.connection_id).String("client", operation.client);
  if (!operation.app_name.empty()) builder.String("appName", operation.app_name);
  builder.Bool("active", true).String("currentOpTime", TimeText(context.now_ms));
  builder.Bool("threaded", true).Int64("opid", operation.id());
  if (!operation.lsid.empty()) builder.Document("lsid", operation.lsid);
  builder.Int64("secs_running", elapsed_us / 1'000'000).Int64("microsecs_running", elapsed_us);
  builder.String("op", operation.kind).String("ns", operation.ns).Bool("redacted", false);
  builder.Document("command", operation.command).Int32("numYields", 0);
  if (const char* what = operation.progress_of(); what != nullptr) {
    const int64_t done = operation.progress_done();
    const int64_t total = operation.progress_total();
    builder.String("msg", StrCat(what, ": ", done, "/", total));
    builder.OpenDocument("progress").Int64("done", done).Int64("total", total).Close();
  }
  builder.OpenDocument("locks").Close().Bool("waitingForLock", false);
  builder.OpenDocument("lockStats").Close();
  return builder.Finish();
}

bson::Document DescribeCursor(int64_t id, const engine::Cursor& cursor,
                              const CommandContext& context) {
  const int64_t boot_ms = context.now_ms - context.services.clock.SinceBootMs();
  bson::Builder builder;
  builder.String("type", "idleCursor").String("host", context.services.facts.host);
  builder.String("ns", cursor.ns());
  if (!cursor.lsid.empty()) builder.Document("lsid", cursor.lsid);
  builder.OpenDocument("cursor").Int64("cursorId", id);
  builder.Date("createdDate", boot_ms + cursor.created_ms);
  builder.Date("lastAccessDate", boot_ms + cursor.last_use_ms);
  builder.Int64("nDocsReturned", cursor.documents_returned);
  builder.Int64("nBatchesReturned", cursor.batches_returned);
  builder.Bool("noCursorTimeout", cursor.no_timeout).Bool("tailable", cursor.tailable);
  builder.Bool("awaitData", cursor.await_data);
  builder.Document("originatingCommand", cursor.command).Close();
  return builder.Finish();
}

// The operation that asks may be none of the registered ones, if it runs on the network thread.
std::shared_ptr<RunningOperation> DescribeSelf(const CommandContext& context) {
  const base::Clock& clock = context.services.clock;
  auto self = std::make_shared<RunningOperation>(context.operation_id, clock, 0);
  const ClientState& client = context.client();
  self->ns = StrCat(context.database_name(), ".$cmd");
  self->kind = "command";
  self->command = bson::Document(context.invocation.body);
  self->client = client.remote;
  self->connection_id = client.connection_id;
  self->app_name = client.app_name;
  const bson::ValueView lsid = context.invocation.body.Find("lsid");
  if (lsid.IsDocument()) self->lsid = bson::Document(lsid.AsDocument());
  return self;
}

// What remains of the command is a filter on the documents.
bson::Document FilterOf(bson::View body) {
  bson::Builder filter;
  bool first = true;
  for (const bson::Element& element : body) {
    const bool is_option = first || element.key == "$all" || element.key == "$ownOps" ||
                           element.key == "$truncateOps" || IsCommonField(element.key);
    if (!is_option) filter.Append(element);
    first = false;
  }
  return filter.Finish();
}

absl::Status RunCurrentOp(CommandContext& context, const Arguments&, bson::Builder& reply) {
  if (context.database_name() != "admin") {
    return Error(ErrorCode::kUnauthorized, "currentOp may only be run against the admin database.");
  }
  const bson::Document filter = FilterOf(context.invocation.body);
  engine::FilterParseContext parse;
  parse.evaluation = &context.evaluation;
  MAYFLY_ASSIGN_OR_RETURN(const auto node, engine::ParseFilter(filter, parse));
  MAYFLY_ASSIGN_OR_RETURN(const auto operations, DescribeOperations(context));
  engine::MatchContext match(context.evaluation);
  reply.OpenArray("inprog");
  for (const bson::Document& operation : operations) {
    MAYFLY_ASSIGN_OR_RETURN(const bool matches, node->Matches(operation, match));
    if (matches) reply.PushDocument(operation);
  }
  reply.Close();
  if (context.state->write_gate.depth() > 0) {
    reply.Bool("fsyncLock", true);
    reply.String("info", "use db.fsyncUnlock() to terminate the fsync write/snapshot lock");
  }
  return absl::OkStatus();
}

constexpr std::array kKillArguments = {
    ArgSpec{"op", ArgType::kAny, ArgUse::kOptional, "opid of the operation, from currentOp"},
};

absl::Status RunKillOp(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  const bson::ValueView op = arguments[ArgIndex(kKillArguments, "op")];
  if (op.IsMissing()) return Error(ErrorCode::kNoSuchKey, "Missing expected field \"op\"");
  if (!op.IsNumber()) {
    return WrongTypeError("killOp", "op", op.type(), "[long, int, decimal, double]");
  }
  const auto exact = bson::ToInt64Exact(op);
  if (!exact.has_value()) {
    return Error(ErrorCode::kBadValue,
                 "Expected field \"op\" to have a value representable as an "
                 "integer");
  }
  if (*exact < std::numeric_limits<int32_t>::min() ||
      *exact > std::numeric_limits<int32_t>::max()) {
    return Error(kOpIdOutOfRange, StrCat("invalid op : ", *exact));
  }
  context.services.operations.Kill(*exact, ErrorCode::kInterrupted);
  reply.String("info", "attempting to kill op");
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "currentOp",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunCurrentOp,
     .help = "The operations that run now; further fields are a filter on them."},
    {.name = "killOp",
     .flags = kAdminOnly | kAnyFields | kNoApiVersion,
     .run = RunKillOp,
     .arguments = kKillArguments,
     .help = "Stops an operation."},
};

}  // namespace

std::vector<bson::Document> DescribeIdleCursors(const CommandContext& context) {
  std::vector<bson::Document> documents;
  context.services.cursors.ForEachIdle([&](int64_t id, const engine::Cursor& cursor) {
    documents.push_back(DescribeCursor(id, cursor, context));
  });
  return documents;
}

absl::StatusOr<std::vector<bson::Document>> DescribeOperations(CommandContext& context) {
  auto operations = context.services.operations.All();
  const bool has_self = std::any_of(operations.begin(), operations.end(),
                                    [&](const auto& o) { return o->id() == context.operation_id; });
  if (!has_self) operations.push_back(DescribeSelf(context));
  const int64_t now_us = context.services.clock.MonotonicUs();
  std::vector<bson::Document> documents;
  documents.reserve(operations.size());
  for (const auto& operation : operations) {
    documents.push_back(Describe(*operation, now_us - operation->start_us(), context));
  }
  return documents;
}

std::span<const CommandRow> CurrentOpCommands() { return kRows; }

}  // namespace mayfly::commands

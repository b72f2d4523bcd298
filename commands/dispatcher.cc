#include "commands/dispatcher.h"

#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/concerns.h"
#include "commands/metrics.h"
#include "commands/operation_registry.h"
#include "engine/catalog/namespace.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// currentOp shows at most so many bytes of a command.
constexpr size_t kMaxShownCommandBytes = 4096;

}  // namespace

std::string ErrorReply(const absl::Status& status) {
  bson::Builder reply;
  reply.Double("ok", 0).String("errmsg", base::MessageOf(status));
  reply.Int32("code", static_cast<int>(base::CodeOf(status)));
  reply.String("codeName", base::ErrorCodeName(base::CodeOf(status)));
  const std::string fields = base::ErrorFieldsOf(status);
  if (!fields.empty()) reply.AppendAll(bson::View(std::string_view(fields)));
  return std::move(reply.Finish()).TakeBytes();
}

// One command from arrival to answer. Used by one thread at a time.
struct Dispatcher::Running {
  Running(Services& services, Invocation in, Done on_done)
      : invocation(std::move(in)), done(std::move(on_done)), context(services, invocation) {}

  Invocation invocation;
  Done done;
  CommandContext context;
  const CommandRow* row = nullptr;
  std::string_view name;
  Arguments arguments;
  WriteConcern write_concern;
  std::shared_ptr<RunningOperation> operation;
  std::shared_ptr<engine::DatabaseHandle> database;
  base::Random random{0};
  bson::Builder reply;
  Outcome outcome;
};

Dispatcher::Dispatcher(Services services) : services_(services) {}
Dispatcher::~Dispatcher() = default;

namespace {

absl::Status CheckWhere(const CommandRow& row, std::string_view name, const Invocation& invocation,
                        const ServerFacts& facts) {
  if ((row.flags & kTestOnly) != 0 && !facts.test_commands) {
    return Error(ErrorCode::kCommandNotFound, StrCat("no such command: '", name, "'"));
  }
  if (invocation.is_legacy_query && (row.flags & kHandshake) == 0) {
    return Error(ErrorCode::kUnsupportedOpQueryCommand,
                 StrCat("Unsupported OP_QUERY command: ", name,
                        ". The client driver may require an upgrade."));
  }
  if (invocation.database.empty()) {
    return Error(40571, "OP_MSG requests require a $db argument");
  }
  MAYFLY_RETURN_IF_ERROR(engine::CheckDatabaseName(invocation.database));
  if ((row.flags & kAdminOnly) != 0 && invocation.database != "admin") {
    return Error(ErrorCode::kUnauthorized,
                 StrCat(name, " may only be run against the admin database."));
  }
  return absl::OkStatus();
}

}  // namespace

void Dispatcher::Dispatch(Invocation invocation, Done done) {
  auto running = std::make_shared<Running>(services_, std::move(invocation), std::move(done));
  Start(std::move(running));
}

absl::Status Dispatcher::Prepare(Running& running) {
  const bson::Element first = running.invocation.body.First();
  running.name = first.key;
  running.row = registry_.Find(first.key);
  if (running.row == nullptr) {
    return Error(ErrorCode::kCommandNotFound, StrCat("no such command: '", first.key, "'"));
  }
  const CommandRow& row = *running.row;
  MAYFLY_RETURN_IF_ERROR(CheckWhere(row, running.name, running.invocation, services_.facts));
  if ((row.flags & kUnsupported) == 0) {
    MAYFLY_ASSIGN_OR_RETURN(running.arguments,
                            Arguments::Parse(running.invocation, row.name, row.arguments,
                                             (row.flags & kAnyFields) != 0));
  }
  const CommonArguments& common = running.arguments.common();
  MAYFLY_RETURN_IF_ERROR(
      CheckApiParameters(common, (row.flags & kNoApiVersion) == 0, running.name));
  MAYFLY_RETURN_IF_ERROR(CheckSessionArguments(common));
  MAYFLY_RETURN_IF_ERROR(CheckReadConcern(common.read_concern, services_.facts.replica_set));
  MAYFLY_ASSIGN_OR_RETURN(running.write_concern, ParseWriteConcern(common.write_concern));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t max_time_ms,
                          ParseMaxTimeMs(common.max_time_ms, running.name));

  CommandContext& context = running.context;
  context.now_ms = services_.clock.NowMs();
  const int64_t deadline =
      max_time_ms == 0 ? 0 : services_.clock.MonotonicUs() + max_time_ms * 1000;
  running.operation = services_.operations.Make(deadline);
  context.operation_id = running.operation->id();
  context.interrupt = running.operation.get();
  running.random = base::Random(static_cast<uint64_t>(context.operation_id) * 0x9E3779B97F4A7C15u ^
                                static_cast<uint64_t>(services_.clock.MonotonicUs()));
  context.evaluation.now_ms = context.now_ms;
  context.evaluation.cluster_time = {static_cast<uint32_t>(context.now_ms / 1000), 1};
  context.evaluation.random = &running.random;
  context.evaluation.interrupt = running.operation.get();
  context.outcome = &running.outcome;
  return absl::OkStatus();
}

void Dispatcher::Register(Running& running) {
  RunningOperation& operation = *running.operation;
  const bson::ValueView target = running.arguments.target();
  operation.ns = std::string(running.invocation.database);
  if (target.IsString()) operation.ns = StrCat(operation.ns, ".", target.AsString());
  operation.kind = "command";
  if (running.invocation.body.size() <= kMaxShownCommandBytes) {
    operation.command = bson::Document(running.invocation.body);
  }
  const ClientState& client = *running.invocation.client;
  operation.client = client.remote;
  operation.connection_id = client.connection_id;
  operation.app_name = client.app_name;
  const bson::ValueView lsid = running.arguments.common().lsid;
  if (lsid.IsDocument()) operation.lsid = bson::Document(lsid.AsDocument());
  services_.operations.Add(running.operation);
}

void Dispatcher::Start(std::shared_ptr<Running> running) {
  if (auto status = Prepare(*running); !status.ok()) return Finish(*running, std::move(status));
  const CommandRow& row = *running->row;
  const Place place = row.place_of != nullptr ? row.place_of(running->invocation) : row.place;
  switch (place) {
    case Place::kConnection:
      return Finish(*running, RunHandler(*running));
    case Place::kRead:
      return RunInDatabase(std::move(running), engine::Access::kRead);
    case Place::kWrite:
      return RunInDatabase(std::move(running), engine::Access::kWrite);
    case Place::kWorker:
      return RunOnWorker(std::move(running));
  }
}

void Dispatcher::RunInDatabase(std::shared_ptr<Running> running, engine::Access access) {
  const bool creates =
      access == engine::Access::kWrite && (running->row->flags & kCreatesDatabase) != 0;
  auto database = services_.engine.Open(
      running->invocation.database,
      creates ? engine::Store::IfMissing::kCreate : engine::Store::IfMissing::kNull);
  if (!database.ok()) return Finish(*running, database.status());
  running->database = *std::move(database);
  if (running->database == nullptr) return Finish(*running, RunHandler(*running));

  const engine::OperationOptions options{.access = access,
                                         .durability = running->write_concern.durability};
  engine::Database::Body body = [this, running](engine::Transaction& transaction) -> absl::Status {
    running->context.transaction = &transaction;
    running->context.database = running->database.get();
    MAYFLY_ASSIGN_OR_RETURN(running->context.catalog, running->database->GetCatalog(transaction));
    return RunHandler(*running);
  };
  engine::Database& storage = running->database->storage();
  const bool is_short =
      running->row->is_short != nullptr && running->row->is_short(running->invocation);
  if (is_short && options.durability == engine::Durability::kCommitted) {
    if (auto status = storage.TryRunInline(options, body); status.has_value()) {
      return Finish(*running, *std::move(status));
    }
  }
  Register(*running);
  storage.Submit(options, std::move(body),
                 [this, running](absl::Status status) { Finish(*running, std::move(status)); });
}

void Dispatcher::RunOnWorker(std::shared_ptr<Running> running) {
  Register(*running);
  const bool taken =
      services_.workers.Submit([this, running] { Finish(*running, RunHandler(*running)); });
  if (!taken) {
    Finish(*running,
           Error(ErrorCode::kTemporarilyUnavailable, "the server is too busy to run the command"));
  }
}

absl::Status Dispatcher::RunHandler(Running& running) {
  MAYFLY_RETURN_IF_ERROR(running.operation->Check());
  return running.row->run(running.context, running.arguments, running.reply);
}

void Dispatcher::AppendEnding(Running& running) {
  bson::Builder& reply = running.reply;
  if (running.write_concern.unsatisfied.has_value() && running.row->place == Place::kWrite) {
    const absl::Status& why = *running.write_concern.unsatisfied;
    reply.OpenDocument("writeConcernError").Int32("code", static_cast<int>(base::CodeOf(why)));
    reply.String("codeName", base::ErrorCodeName(base::CodeOf(why)))
        .String("errmsg", base::MessageOf(why));
    reply.Close();
  }
  reply.Double("ok", 1);
}

void Dispatcher::Finish(Running& running, absl::Status status) {
  if (running.operation != nullptr) services_.operations.Remove(running.operation->id());
  Outcome outcome = std::move(running.outcome);
  if (status.ok()) {
    AppendEnding(running);
    outcome.document = std::move(running.reply.Finish()).TakeBytes();
  } else {
    services_.metrics.CountFailure();
    outcome.document = ErrorReply(status);
    outcome.more_to_come = false;
    MAYFLY_LOG(debug, "COMMAND", "{} failed: {}", running.name, base::MessageOf(status));
  }
  running.done(std::move(outcome));
}

}  // namespace mayfly::commands

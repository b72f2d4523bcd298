#include "commands/dispatcher.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/concerns.h"
#include "commands/kept_settings.h"
#include "commands/metrics.h"
#include "commands/operation_registry.h"
#include "commands/parameters.h"
#include "commands/retryable_writes.h"
#include "commands/sessions.h"
#include "commands/slow_operations.h"
#include "engine/catalog/namespace.h"
#include "engine/cursor/cursor.h"
#include "ttl/service.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

// currentOp shows at most so many bytes of a command.
constexpr size_t kMaxShownCommandBytes = 4096;
// Idle cursors are looked for so often, on the back of a command.
constexpr int64_t kCursorCheckMs = 4000;

// One for each thread, as seeding one costs more than the whole of a ping. A command stays on its
// thread while it runs.
base::Random& ThreadRandom() {
  thread_local base::Random random = base::Random::FromSystem();
  return random;
}

}  // namespace

bool Writes(const CommandRow& row) {
  return row.place == Place::kWrite || row.place == Place::kWritingWorker;
}

// The end of every reply of a member. Made once for each thread; then only the times change.
class ClusterTimeEnding {
 public:
  ClusterTimeEnding() {
    static constexpr char kNoHash[20] = {};
    bson::Builder ending;
    ending.OpenDocument("$clusterTime").Timestamp("clusterTime", {});
    ending.OpenDocument("signature")
        .Binary("hash", bson::kBinaryGeneric, {kNoHash, sizeof kNoHash});
    ending.Int64("keyId", 0).Close().Close();
    ending.Timestamp("operationTime", {});
    bytes_ = std::move(ending.Finish()).TakeBytes();
    const bson::View made{std::string_view(bytes_)};
    const auto offset = [this](bson::ValueView value) {
      return static_cast<size_t>(reinterpret_cast<const char*>(value.data()) - bytes_.data());
    };
    offsets_ = {offset(made.Find("$clusterTime").AsDocument().Find("clusterTime")),
                offset(made.Find("operationTime"))};
  }

  bson::View At(bson::Timestamp time) {
    // As BSON has them, little-endian: the increment first.
    for (const size_t offset : offsets_) {
      std::memcpy(&bytes_[offset], &time.increment, sizeof time.increment);
      std::memcpy(&bytes_[offset + sizeof time.increment], &time.seconds, sizeof time.seconds);
    }
    return bson::View(std::string_view(bytes_));
  }

 private:
  std::string bytes_;
  std::array<size_t, 2> offsets_{};
};

void AppendClusterTime(bson::Timestamp time, bson::Builder& reply) {
  thread_local ClusterTimeEnding ending;
  reply.AppendAll(ending.At(time));
}

std::string ErrorReply(const absl::Status& status, const bson::Timestamp* cluster_time) {
  bson::Builder reply;
  reply.Double("ok", 0).String("errmsg", base::MessageOf(status));
  reply.Int32("code", static_cast<int>(base::CodeOf(status)));
  reply.String("codeName", base::ErrorCodeName(base::CodeOf(status)));
  const std::string fields = base::ErrorFieldsOf(status);
  if (!fields.empty()) reply.AppendAll(bson::View(std::string_view(fields)));
  if (cluster_time != nullptr) AppendClusterTime(*cluster_time, reply);
  return std::move(reply.Finish()).TakeBytes();
}

// One command from arrival to answer. Used by one thread at a time.
struct Dispatcher::Running : std::enable_shared_from_this<Dispatcher::Running> {
  Running(Dispatcher& in_dispatcher, Invocation in, Done on_done)
      : dispatcher(in_dispatcher),
        invocation(std::move(in)),
        done(std::move(on_done)),
        context(dispatcher.services_, invocation) {}

  // Inside a transaction of the command's database.
  absl::Status RunInside(engine::Transaction& transaction) {
    context.transaction = &transaction;
    context.database = database.get();
    MAYFLY_ASSIGN_OR_RETURN(context.catalog, database->GetCatalog(transaction));
    return dispatcher.RunHandler(*this);
  }

  Dispatcher& dispatcher;
  Invocation invocation;
  Done done;
  CommandContext context;
  const CommandRow* row = nullptr;
  std::string_view name;
  Arguments arguments;
  WriteConcern write_concern;
  // Once the command is known to be one.
  std::optional<RunningOperation> operation;
  // In the registry of operations, which then holds this object.
  bool registered = false;
  std::shared_ptr<engine::DatabaseHandle> database;
  bson::Builder reply;
  // The bytes of the reply are in `outcome` already: those of the first run of a repeated write.
  bool answered = false;
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
  if (facts.replica_set && (row.flags & kInTransaction) == 0) {
    const bson::ValueView autocommit = invocation.body.Find("autocommit");
    if (autocommit.IsBool() && !autocommit.AsBool() && invocation.body.Has("txnNumber")) {
      return Error(ErrorCode::kOperationNotSupportedInTransaction,
                   StrCat("Cannot run '", name, "' in a multi-document transaction."));
    }
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

// Concerns mean nothing to commands that touch no data, and a write concern to those that only
// read.
absl::Status CheckConcernsApply(const CommandRow& row, const CommonArguments& common) {
  const bool only_reads = row.place == Place::kRead && row.place_of == nullptr;
  if (only_reads && !common.write_concern.IsMissing() && (row.flags & kTakesWriteConcern) == 0) {
    return Error(ErrorCode::kInvalidOptions, "Command does not support writeConcern");
  }
  if (row.place != Place::kConnection && (row.flags & kNoConcerns) == 0) return absl::OkStatus();
  if (!common.write_concern.IsMissing() && (row.flags & kTakesWriteConcern) == 0) {
    return Error(ErrorCode::kInvalidOptions, "Command does not support writeConcern");
  }
  if (common.read_concern.IsMissing()) return absl::OkStatus();
  const bson::ValueView level = common.read_concern.AsDocument().Find("level");
  if (!level.IsString() || level.AsString() == "local") return absl::OkStatus();
  return Error(
      ErrorCode::kInvalidOptions,
      StrCat("Command ", row.name, " does not support the read concern level ", level.AsString()));
}

bool HasDefaultTimeLimit(const CommandRow& row, const Invocation& invocation) {
  if ((row.flags & kDefaultTimeLimit) == 0) return false;
  return row.place_of == nullptr || row.place_of(invocation) == Place::kRead;
}

absl::Status UseSession(const CommandRow& row, const CommonArguments& common, Services& services) {
  if (common.lsid.IsMissing()) return absl::OkStatus();
  if (!common.txn_number.IsMissing()) {
    MAYFLY_RETURN_IF_ERROR(
        CheckTransactionNumber(row, services.facts.replica_set, !common.autocommit.IsMissing()));
  }
  return services.sessions.Touch(SessionIdOf(common.lsid.AsDocument()));
}

}  // namespace

void Dispatcher::EndIdleCursors(int64_t now_ms) {
  int64_t last = idle_cursors_ended_ms_.load(std::memory_order_relaxed);
  if (now_ms >= last && now_ms - last < kCursorCheckMs) return;
  if (!idle_cursors_ended_ms_.compare_exchange_strong(last, now_ms)) return;
  services_.cursors.KillIdle(services_.parameters.GetInteger("cursorTimeoutMillis"));
  services_.sessions.Expire();
  state_.auto_compactor.RunIfDue(services_, now_ms);
  services_.cursors.KillIf([this](const engine::Cursor& cursor) {
    return !cursor.lsid.empty() && !services_.sessions.Contains(SessionIdOf(cursor.lsid));
  });
}

void Dispatcher::Dispatch(Invocation invocation, Done done) {
  auto running = std::make_shared<Running>(*this, std::move(invocation), std::move(done));
  Start(std::move(running));
}

absl::Status Dispatcher::Prepare(Running& running) {
  const int64_t now_ms = services_.clock.NowMs();
  running.context.now_ms = now_ms;
  running.context.evaluation.now_ms = now_ms;
  running.context.evaluation.cluster_clock = &state_.cluster_clock;
  running.context.evaluation.cluster_time = state_.cluster_clock.Now(now_ms);
  const bson::Element first = running.invocation.body.First();
  running.name = first.key;
  running.row = registry_.Find(first.key);
  if (running.row == nullptr) {
    return Error(ErrorCode::kCommandNotFound, StrCat("no such command: '", first.key, "'"));
  }
  const CommandRow& row = *running.row;
  if (Writes(row)) running.context.evaluation.cluster_time = state_.cluster_clock.Tick(now_ms);
  MAYFLY_RETURN_IF_ERROR(CheckWhere(row, running.name, running.invocation, services_.facts));
  if ((row.flags & kUnsupported) == 0) {
    MAYFLY_ASSIGN_OR_RETURN(running.arguments,
                            Arguments::Parse(running.invocation, row.name, row.arguments,
                                             (row.flags & kAnyFields) != 0));
  }
  const CommonArguments& common = running.arguments.common();
  MAYFLY_RETURN_IF_ERROR(
      CheckApiParameters(common, (row.flags & kNoApiVersion) == 0, running.name));
  MAYFLY_RETURN_IF_ERROR(CheckSessionArguments(common, row.flags));
  MAYFLY_RETURN_IF_ERROR(UseSession(row, common, services_));
  MAYFLY_RETURN_IF_ERROR(CheckReadConcern(common.read_concern, services_.facts.replica_set));
  MAYFLY_ASSIGN_OR_RETURN(running.write_concern, ParseWriteConcern(common.write_concern));
  MAYFLY_RETURN_IF_ERROR(CheckConcernsApply(row, common));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t max_time_ms,
                          ParseMaxTimeMs(common.max_time_ms, running.name));
  const int64_t limit_ms =
      common.max_time_ms.IsMissing() && HasDefaultTimeLimit(row, running.invocation)
          ? state_.default_max_time_ms.load(std::memory_order_relaxed)
          : max_time_ms;

  CommandContext& context = running.context;
  context.state = &state_;
  EndIdleCursors(context.now_ms);
  const int64_t deadline = limit_ms == 0 ? 0 : services_.clock.MonotonicUs() + limit_ms * 1000;
  running.operation.emplace(services_.operations.NextId(), services_.clock, deadline);
  context.operation_id = running.operation->id();
  context.interrupt = &*running.operation;
  context.evaluation.interrupt = &*running.operation;
  context.outcome = &running.outcome;
  return absl::OkStatus();
}

absl::Status Dispatcher::LoadSettings() { return LoadKeptSettings(services_, state_); }

void Dispatcher::Register(const std::shared_ptr<Running>& shared) {
  Running& running = *shared;
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
  running.registered = true;
  services_.operations.Add(std::shared_ptr<RunningOperation>(shared, &operation));
}

absl::Status Dispatcher::CheckUserWrites(const Running& running, Place place) const {
  if (!state_.user_write_block.is_on()) [[likely]]
    return absl::OkStatus();
  const bool writes = place == Place::kWrite || place == Place::kWritingWorker;
  if (!writes || (running.row->flags & kOwnWriteBlock) != 0) return absl::OkStatus();
  return state_.user_write_block.Check(running.invocation.database);
}

void Dispatcher::Start(std::shared_ptr<Running> running) {
  if (auto status = Prepare(*running); !status.ok()) return Finish(*running, std::move(status));
  const CommandRow& row = *running->row;
  const Place place = row.place_of != nullptr ? row.place_of(running->invocation) : row.place;
  if (auto status = CheckUserWrites(*running, place); !status.ok()) {
    return Finish(*running, std::move(status));
  }
  switch (place) {
    case Place::kConnection:
      return Finish(*running, RunHandler(*running));
    case Place::kRead:
      return RunInDatabase(std::move(running), engine::Access::kRead);
    case Place::kWrite:
      if (!state_.write_gate.IsOpen() && !state_.write_gate.Enter([this, running] {
            RunInDatabase(running, engine::Access::kWrite);
          })) {
        return;
      }
      return RunInDatabase(std::move(running), engine::Access::kWrite);
    case Place::kWorker:
      return RunOnWorker(std::move(running));
    case Place::kWritingWorker:
      if (!state_.write_gate.IsOpen() &&
          !state_.write_gate.Enter([this, running] { RunOnWorker(running); })) {
        return;
      }
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
  engine::Database& storage = running->database->storage();
  const bool is_short =
      running->row->is_short != nullptr && running->row->is_short(running->invocation);
  if (is_short && options.durability == engine::Durability::kCommitted) {
    engine::Database::Body body = [&running = *running](engine::Transaction& transaction) {
      return running.RunInside(transaction);
    };
    engine::Database::Done done = [running](absl::Status status) {
      running->dispatcher.Finish(*running, std::move(status));
    };
    engine::Deferrer* const deferrer = services_.deferrer;
    const bool is_here = deferrer != nullptr && deferrer->IsCurrent();
    if (storage.TryRunInline(options, body, done, is_here ? deferrer : nullptr)) return;
  }
  Register(running);
  storage.Submit(
      options,
      [running](engine::Transaction& transaction) { return running->RunInside(transaction); },
      [running](absl::Status status) { running->dispatcher.Finish(*running, std::move(status)); });
}

void Dispatcher::RunOnWorker(std::shared_ptr<Running> running) {
  Register(running);
  const bool taken =
      services_.workers.Submit([this, running] { Finish(*running, RunHandler(*running)); });
  if (!taken) {
    Finish(*running,
           Error(ErrorCode::kTemporarilyUnavailable, "the server is too busy to run the command"));
  }
}

absl::Status Dispatcher::RunHandler(Running& running) {
  running.context.evaluation.random = &ThreadRandom();
  MAYFLY_RETURN_IF_ERROR(running.operation->Check());
  const auto write = RetryableWriteOf(running.arguments.common());
  if (!write.has_value() || running.row->place != Place::kWrite) {
    return running.row->run(running.context, running.arguments, running.reply);
  }
  SessionRegistry& sessions = services_.sessions;
  MAYFLY_ASSIGN_OR_RETURN(auto first, FindFirstReply(sessions, *write, running.context));
  running.answered = true;
  if (first.has_value()) {
    running.outcome.document = *std::move(first);
    return absl::OkStatus();
  }
  MAYFLY_RETURN_IF_ERROR(running.row->run(running.context, running.arguments, running.reply));
  AppendEnding(running);
  running.outcome.document = std::move(running.reply.Finish()).TakeBytes();
  RememberWrite(sessions, *write, running.outcome.document, running.context);
  return absl::OkStatus();
}

void Dispatcher::CountUse(const Running& running) {
  const CommandRow& row = *running.row;
  const UsageKind kind = UsageKindOf(row.name);
  if (kind == UsageKind::kCommands) services_.metrics.Count(OpCounter::kCommand);
  if (row.place == Place::kConnection) return;
  const Invocation& invocation = running.invocation;
  const bson::ValueView collection =
      kind == UsageKind::kGetMore ? invocation.body.Find("collection") : running.arguments.target();
  const int64_t time_us = services_.clock.MonotonicUs() - running.operation->start_us();
  const bool on_worker = row.place == Place::kWorker || row.place == Place::kWritingWorker;
  if (!on_worker) services_.ttl.meter().Record(time_us);
  state_.usage.Add({.database = invocation.database,
                    .collection = collection.IsString() ? collection.AsString() : "",
                    .kind = kind,
                    .latency_kind = LatencyKindOf(row.name),
                    .writing = row.place == Place::kWrite,
                    .time_us = std::max<int64_t>(time_us, 1)});
}

void Dispatcher::ForgetDropped(const Running& running) {
  if (running.row->place == Place::kConnection) return;
  const bson::ValueView target = running.arguments.target();
  state_.usage.ForgetIfDropped(running.row->name, running.invocation.database,
                               target.IsString() ? target.AsString() : "");
}

void Dispatcher::AppendEnding(Running& running) {
  bson::Builder& reply = running.reply;
  if (!running.write_concern.acknowledged && (running.row->flags & kSilentUnacknowledged) != 0) {
    static_cast<void>(reply.Finish());  // what it says is dropped, and the builder is empty again
  }
  if (running.write_concern.unsatisfied.has_value() && Writes(*running.row)) {
    const absl::Status& why = *running.write_concern.unsatisfied;
    reply.OpenDocument("writeConcernError").Int32("code", static_cast<int>(base::CodeOf(why)));
    reply.String("codeName", base::ErrorCodeName(base::CodeOf(why)))
        .String("errmsg", base::MessageOf(why));
    reply.Close();
  }
  reply.Double("ok", 1);
  if (services_.facts.replica_set)
    AppendClusterTime(state_.cluster_clock.Now(running.context.now_ms), reply);
}

void Dispatcher::Finish(Running& running, absl::Status status) {
  status.Update(running.context.failure);
  if (running.operation.has_value()) {
    running.context.evaluation.random = &ThreadRandom();
    if (running.registered) services_.operations.Remove(running.operation->id());
    CountUse(running);
  }
  Outcome outcome = std::move(running.outcome);
  if (status.ok()) {
    ForgetDropped(running);
    if (!running.answered) {
      AppendEnding(running);
      outcome.document = std::move(running.reply.Finish()).TakeBytes();
    }
  } else {
    services_.metrics.CountFailure();
    outcome.document = ErrorReply(
        status, services_.facts.replica_set ? &running.context.evaluation.cluster_time : nullptr);
    outcome.more_to_come = false;
    MAYFLY_LOG(debug, "COMMAND", "{} failed: {}", running.name, base::MessageOf(status));
  }
  if (auto record = ProfileRecordOf(running, status, outcome); record.has_value()) {
    auto answer = std::make_shared<Outcome>(std::move(outcome));
    WriteProfile(running.context, *std::move(record),
                 [keep = running.shared_from_this(), answer] { keep->done(std::move(*answer)); });
    return;
  }
  running.done(std::move(outcome));
}

std::optional<bson::Document> Dispatcher::ProfileRecordOf(const Running& running,
                                                          const absl::Status& status,
                                                          const Outcome& outcome) {
  if (!running.operation.has_value() || running.row->place == Place::kConnection) {
    return std::nullopt;
  }
  const UsageKind kind = UsageKindOf(running.row->name);
  const bson::ValueView collection = kind == UsageKind::kGetMore
                                         ? running.invocation.body.Find("collection")
                                         : running.arguments.target();
  // In the words of the profiler.
  const std::string_view name = kind == UsageKind::kQueries    ? "query"
                                : kind == UsageKind::kCommands ? "command"
                                                               : UsageName(kind);
  return NoteOperation(
      running.context,
      {.command = running.name,
       .kind = name,
       .collection = collection.IsString() ? collection.AsString() : std::string_view(),
       .time_us = services_.clock.MonotonicUs() - running.operation->start_us(),
       .response_bytes = static_cast<int64_t>(outcome.document.size()),
       .status = status});
}

}  // namespace mayfly::commands

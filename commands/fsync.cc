// fsync, fsyncUnlock, lockInfo: what was written is put on disk, and writes can be held back.
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/state.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::array kFsyncArguments = {
    ArgSpec{"lock", ArgType::kFlag, ArgUse::kOptional, "hold writes back until fsyncUnlock"},
    ArgSpec{"fsyncLockAcquisitionTimeoutMillis", ArgType::kAny, ArgUse::kOptional,
            "how long the lock may be waited for"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kFsyncArguments, name); }

absl::Status SyncAll(engine::Engine& engine) {
  for (const std::string& name : engine.ListDatabases()) {
    MAYFLY_ASSIGN_OR_RETURN(const auto database,
                            engine.Open(name, engine::Store::IfMissing::kNull));
    if (database != nullptr) MAYFLY_RETURN_IF_ERROR(database->storage().Sync());
  }
  return absl::OkStatus();
}

absl::Status RunFsync(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  const bson::ValueView timeout = arguments[Arg("fsyncLockAcquisitionTimeoutMillis")];
  if (!timeout.IsNullish() && timeout.type() != bson::Type::kInt32) {
    return WrongTypeError("fsync", "fsyncLockAcquisitionTimeoutMillis", timeout.type(), "int");
  }
  if (!arguments.Flag(Arg("lock"))) {
    MAYFLY_RETURN_IF_ERROR(SyncAll(context.services.engine));
    reply.Int32("numFiles", 1);
    return absl::OkStatus();
  }
  // Closed first, so that nothing is written behind the sync.
  const int64_t depth = context.state->write_gate.Lock();
  if (auto status = SyncAll(context.services.engine); !status.ok()) {
    context.state->write_gate.Unlock();
    return status;
  }
  reply.String("info", "now locked against writes, use db.fsyncUnlock() to unlock");
  reply.Int64("lockCount", depth);
  reply.String("seeAlso", "http://dochub.mongodb.org/core/fsynccommand");
  return absl::OkStatus();
}

absl::Status RunFsyncUnlock(CommandContext& context, const Arguments&, bson::Builder& reply) {
  const int64_t depth = context.state->write_gate.Unlock();
  if (depth < 0) {
    return Error(ErrorCode::kIllegalOperation, "fsyncUnlock called when not locked");
  }
  reply.String("info", "fsyncUnlock completed").Int64("lockCount", depth);
  return absl::OkStatus();
}

absl::Status RunLockInfo(CommandContext& context, const Arguments&, bson::Builder& reply) {
  reply.OpenArray("lockInfo");
  if (context.state->write_gate.depth() > 0) {
    reply.PushOpenDocument().String("resourceId", "{Global, 1}");
    reply.OpenArray("granted").PushOpenDocument().String("mode", "S");
    reply.String("desc", "fsyncLockWorker").Close().Close();
    reply.OpenArray("pending").Close().Close();
  }
  reply.Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "fsync",
     .place = Place::kWorker,
     .flags = kAdminOnly | kNoApiVersion | kNoConcerns,
     .run = RunFsync,
     .arguments = kFsyncArguments,
     .help = "Puts everything that was written on disk; may hold further writes back."},
    {.name = "fsyncUnlock",
     .flags = kAdminOnly | kAnyFields | kNoApiVersion,
     .run = RunFsyncUnlock,
     .help = "Lets writes go on after fsync with lock."},
    {.name = "lockInfo",
     .flags = kAdminOnly | kNoApiVersion,
     .run = RunLockInfo,
     .help = "Locks that are held or waited for: that of fsync."},
};

}  // namespace

std::span<const CommandRow> FsyncCommands() { return kRows; }

}  // namespace mayfly::commands

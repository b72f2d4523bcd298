// compact and autoCompact: give space that removed documents have left back to the file system.
#include <array>
#include <limits>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/free_space.h"
#include "commands/state.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"dryRun", ArgType::kBool, ArgUse::kOptional, "only say how much could be freed"},
    ArgSpec{"force", ArgType::kBool, ArgUse::kIgnored, "there are no secondaries"},
    ArgSpec{"freeSpaceTargetMB", ArgType::kNumber, ArgUse::kOptional,
            "do nothing below so much free space"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

constexpr std::array kAutoArguments = {
    ArgSpec{"freeSpaceTargetMB", ArgType::kNumber, ArgUse::kOptional,
            "pass over files with less free space"},
    ArgSpec{"runOnce", ArgType::kBool, ArgUse::kOptional, "one pass only"},
};

absl::Status CheckCollection(CommandContext& context, engine::DatabaseHandle& handle,
                             std::string_view name) {
  return handle.storage().Run({}, [&](engine::Transaction& transaction) -> absl::Status {
    MAYFLY_ASSIGN_OR_RETURN(const engine::Catalog* const catalog, handle.GetCatalog(transaction));
    const auto collection = catalog->Find(name);
    if (collection == nullptr) {
      return Error(ErrorCode::kNamespaceNotFound,
                   StrCat("collection does not exist: ", FullName(context, name)));
    }
    return collection->IsView() ? NotOnView(collection->ns()) : absl::OkStatus();
  });
}

absl::StatusOr<int64_t> ReadTarget(const Arguments& arguments, size_t index) {
  const int64_t target_mb = arguments.Integer(index, kDefaultFreeSpaceTargetMb);
  if (target_mb >= 1) return target_mb;
  return Error(
      ErrorCode::kBadValue,
      StrCat("BSON field 'freeSpaceTargetMB' value must be >= 1, actual value '", target_mb, "'"));
}

absl::Status RunCompact(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t target_mb, ReadTarget(arguments, Arg("freeSpaceTargetMB")));
  MAYFLY_ASSIGN_OR_RETURN(
      const auto handle,
      context.services.engine.Open(context.database_name(), engine::Store::IfMissing::kNull));
  if (handle == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("collection does not exist: ", FullName(context, name)));
  }
  MAYFLY_RETURN_IF_ERROR(CheckCollection(context, *handle, name));
  if (arguments.Flag(Arg("dryRun"))) {
    const int64_t free_bytes = handle->storage().Stats().free_bytes;
    const bool worthwhile = free_bytes / kBytesPerMb >= target_mb;
    reply.Append("estimatedBytesFreed", bson::Value::IntFitting(worthwhile ? free_bytes : 0));
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(const int64_t freed,
                          GiveBackFreeSpace(*handle, target_mb, *context.interrupt));
  reply.Append("bytesFreed", bson::Value::IntFitting(freed));
  return absl::OkStatus();
}

absl::Status RunAutoCompact(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'autoCompact.autoCompact' is missing but a required field");
  }
  if (!target.IsBool()) return WrongTypeError("autoCompact", "autoCompact", target.type(), "bool");
  AutoCompactSettings settings{.on = target.AsBool()};
  MAYFLY_ASSIGN_OR_RETURN(settings.target_mb,
                          ReadTarget(arguments, ArgIndex(kAutoArguments, "freeSpaceTargetMB")));
  settings.run_once = arguments.Flag(ArgIndex(kAutoArguments, "runOnce"));
  if (settings.on && settings.target_mb > std::numeric_limits<int64_t>::max() / kBytesPerMb) {
    return Error(ErrorCode::kBadValue,
                 StrCat("freeSpaceTargetMB is too large: ", settings.target_mb));
  }
  AutoCompactor& compactor = context.state->auto_compactor;
  MAYFLY_RETURN_IF_ERROR(compactor.Configure(settings));
  return compactor.RunPass(context.services, *context.interrupt);
}

constexpr CommandRow kRows[] = {
    {.name = "compact",
     .place = Place::kWritingWorker,
     .flags = kNoApiVersion | kNoConcerns | kOwnWriteBlock | kTakesWriteConcern,
     .run = RunCompact,
     .arguments = kArguments,
     .help = "Gives free space of the database's file back to the file system."},
    {.name = "autoCompact",
     .place = Place::kWritingWorker,
     .flags = kAdminOnly | kNoApiVersion | kNoConcerns | kOwnWriteBlock,
     .run = RunAutoCompact,
     .arguments = kAutoArguments,
     .help = "Does that for all databases, at once and then in the background; false: no more."},
};

}  // namespace

std::span<const CommandRow> CompactCommands() { return kRows; }

}  // namespace mayfly::commands

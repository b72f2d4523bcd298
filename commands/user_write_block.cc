#include "commands/user_write_block.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/kept_settings.h"
#include "commands/state.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array<std::string_view, 3> kOwnDatabases = {"admin", "config", "local"};
constexpr std::array<std::string_view, 3> kReasons = {
    "Unspecified", "ClusterToClusterMigrationInProgress", "DiskUseThresholdExceeded"};

constexpr std::array kArguments = {
    ArgSpec{"global", ArgType::kBool, ArgUse::kRequired, "on or off"},
    ArgSpec{"reason", ArgType::kString, ArgUse::kOptional, "why; switching off must name the same"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

absl::Status Run(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const std::string_view reason = arguments.String(Arg("reason"), kReasons.front());
  if (std::find(kReasons.begin(), kReasons.end(), reason) == kReasons.end()) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Enumeration value '", reason,
                        "' for field 'setUserWriteBlockMode.reason' is not a valid value."));
  }
  UserWriteBlock& block = context.state->user_write_block;
  const std::lock_guard lock(context.state->kept_settings_mutex);
  MAYFLY_RETURN_IF_ERROR(block.CheckReason(reason));
  const bool on = arguments.Flag(Arg("global"));
  MAYFLY_RETURN_IF_ERROR(KeepUserWriteBlock(context.services, on, reason));
  block.Set(on, reason);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "setUserWriteBlockMode",
     .place = Place::kWritingWorker,
     .flags = kAdminOnly | kNoApiVersion | kNoConcerns,
     .run = Run,
     .arguments = kArguments,
     .help = "Lets commands that change databases of users fail; outlives the process."},
};

}  // namespace

std::string UserWriteBlock::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

absl::Status UserWriteBlock::CheckReason(std::string_view reason) const {
  const std::lock_guard lock(mutex_);
  if (!is_on() || reason == reason_) return absl::OkStatus();
  return Error(ErrorCode::kIllegalOperation,
               StrCat("User writes are blocked for another reason: ", reason_));
}

void UserWriteBlock::Set(bool on, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  reason_ = on ? std::string(reason) : std::string();
  on_.store(on, std::memory_order_relaxed);
}

absl::Status UserWriteBlock::Check(std::string_view database) const {
  if (!is_on()) [[likely]]
    return absl::OkStatus();
  if (std::find(kOwnDatabases.begin(), kOwnDatabases.end(), database) != kOwnDatabases.end()) {
    return absl::OkStatus();
  }
  return Error(ErrorCode::kUserWritesBlocked, StrCat("User writes blocked, reason: ", reason()));
}

std::span<const CommandRow> UserWriteBlockCommands() { return kRows; }

}  // namespace mayfly::commands

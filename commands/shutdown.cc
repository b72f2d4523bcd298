// shutdown: an orderly end of the process.
#include <array>

#include "base/log.h"
#include "base/status.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

constexpr std::array kArguments = {
    ArgSpec{"force", ArgType::kFlag, ArgUse::kIgnored, "end although nobody can take over"},
    ArgSpec{"timeoutSecs", ArgType::kNumber, ArgUse::kIgnored, "how long somebody may take over"},
};

// Without authentication only clients of this machine may end the server.
bool IsLocal(std::string_view remote) {
  return remote.starts_with("127.") || remote.starts_with("::1") || remote.starts_with("[::1]") ||
         remote.starts_with("::ffff:127.") || remote.starts_with("[::ffff:127.") ||
         remote.find(':') == std::string_view::npos;  // a Unix socket
}

absl::Status RunShutdown(CommandContext& context, const Arguments&, bson::Builder&) {
  if (!IsLocal(context.client().remote)) {
    return base::Error(base::ErrorCode::kUnauthorized,
                       "shutdown must run from localhost when running db without auth");
  }
  MAYFLY_LOG(info, "COMMAND", "shutdown asked for by {}", context.client().remote);
  context.outcome->close_connection = true;
  context.services.request_shutdown();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "shutdown",
     .flags = kAdminOnly | kNoApiVersion,
     .run = RunShutdown,
     .arguments = kArguments,
     .help = "Ends the server after what runs now is finished."},
};

}  // namespace

std::span<const CommandRow> ShutdownCommands() { return kRows; }

}  // namespace mayfly::commands

// startSession, refreshSessions, endSessions: logical sessions begin, go on, end.
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/session_arguments.h"
#include "commands/sessions.h"

namespace mayfly::commands {
namespace {

absl::Status RunStartSession(CommandContext& context, const Arguments&, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const SessionId id, context.services.sessions.Start());
  reply.Document("id", id.ToLsid()).Int32("timeoutMinutes", SessionRegistry::kTimeoutMinutes);
  return absl::OkStatus();
}

absl::Status RunRefreshSessions(CommandContext& context, const Arguments& arguments,
                                bson::Builder&) {
  MAYFLY_ASSIGN_OR_RETURN(const auto ids, ReadSessionIds("refreshSessions", arguments.target()));
  for (const SessionId& id : ids) {
    MAYFLY_RETURN_IF_ERROR(context.services.sessions.Touch(id));
  }
  return absl::OkStatus();
}

absl::Status RunEndSessions(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  MAYFLY_ASSIGN_OR_RETURN(const auto ids, ReadSessionIds("endSessions", arguments.target()));
  EndSessions(context, ids);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "startSession",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunStartSession,
     .help = "Makes a logical session and returns its id."},
    {.name = "refreshSessions",
     .flags = kAnyFields,
     .run = RunRefreshSessions,
     .help = "Keeps sessions from ending for lack of use."},
    {.name = "endSessions",
     .flags = kAnyFields,
     .run = RunEndSessions,
     .help = "Ends sessions with what they have open."},
};

}  // namespace

std::span<const CommandRow> SessionCommands() { return kRows; }

}  // namespace mayfly::commands

// What the commands about sessions share: reading their ids, and ending what a session has open.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/view.h"
#include "commands/command.h"
#include "commands/sessions.h"

namespace mayfly::commands {

// The ids of an array of lsids; null elements are left out. Errors: 40414 if there is no array, 14,
// and those of ParseSessionId.
absl::StatusOr<std::vector<SessionId>> ReadSessionIds(std::string_view command,
                                                      bson::ValueView array);

// Ends the sessions and closes their cursors. Running operations go on.
void EndSessions(CommandContext& context, const std::vector<SessionId>& ids);
// The same, and stops their operations.
void KillSessions(CommandContext& context, const std::vector<SessionId>& ids);
// Every session there is, but for the operation that asks.
void KillAllSessions(CommandContext& context);

}  // namespace mayfly::commands

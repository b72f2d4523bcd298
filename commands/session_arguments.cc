#include "commands/session_arguments.h"

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "base/strings.h"
#include "commands/operation_registry.h"
#include "engine/cursor/cursor.h"

namespace mayfly::commands {
namespace {

using base::StrCat;
using Ids = absl::flat_hash_set<SessionId>;

void CloseCursors(CommandContext& context, const Ids& ids) {
  context.services.cursors.KillIf([&](const engine::Cursor& cursor) {
    return !cursor.lsid.empty() && ids.contains(SessionIdOf(cursor.lsid));
  });
}

}  // namespace

absl::StatusOr<std::vector<SessionId>> ReadSessionIds(std::string_view command,
                                                      bson::ValueView array) {
  if (array.IsNullish()) {
    return base::Error(
        base::ErrorCode::kIDLFailedToParse,
        StrCat("BSON field '", command, ".", command, "' is missing but a required field"));
  }
  if (!array.IsArray()) return WrongTypeError(command, command, array.type(), "array");
  std::vector<SessionId> ids;
  for (const bson::Element& element : array.AsDocument()) {
    if (element.value.IsNullish()) continue;
    const std::string where = StrCat(command, ".", command, ".", element.key);
    MAYFLY_ASSIGN_OR_RETURN(const SessionId id, ParseSessionId(element.value, where));
    ids.push_back(id);
  }
  return ids;
}

void EndSessions(CommandContext& context, const std::vector<SessionId>& ids) {
  if (ids.empty()) return;
  CloseCursors(context, Ids(ids.begin(), ids.end()));
  for (const SessionId& id : ids) context.services.sessions.End(id);
}

void KillSessions(CommandContext& context, const std::vector<SessionId>& ids) {
  if (ids.empty()) return;
  const Ids wanted(ids.begin(), ids.end());
  context.services.operations.KillIf(
      [&](const RunningOperation& operation) {
        return operation.id() != context.operation_id && !operation.lsid.empty() &&
               wanted.contains(SessionIdOf(operation.lsid));
      },
      base::ErrorCode::kInterrupted);
  EndSessions(context, ids);
}

void KillAllSessions(CommandContext& context) {
  context.services.operations.KillIf(
      [&](const RunningOperation& operation) {
        return operation.id() != context.operation_id && !operation.lsid.empty();
      },
      base::ErrorCode::kInterrupted);
  context.services.cursors.KillIf(
      [](const engine::Cursor& cursor) { return !cursor.lsid.empty(); });
  context.services.sessions.EndAll();
}

}  // namespace mayfly::commands

// killSessions, killAllSessions, killAllSessionsByPattern: stops what sessions run and closes what
// they have open.
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/session_arguments.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

absl::Status RunKillSessions(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const bson::ValueView target = arguments.target();
  MAYFLY_ASSIGN_OR_RETURN(const auto ids, ReadSessionIds("killSessions", target));
  if (target.AsDocument().empty()) {
    KillAllSessions(context);
  } else {
    KillSessions(context, ids);
  }
  return absl::OkStatus();
}

absl::Status CheckArray(std::string_view command, bson::ValueView target) {
  if (target.IsArray()) return absl::OkStatus();
  if (target.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse, StrCat("BSON field '", command, ".", command,
                                                      "' is missing but a required field"));
  }
  return WrongTypeError(command, command, target.type(), "array");
}

// {user: "name", db: "name"}
absl::Status CheckUser(std::string_view where, bson::ValueView entry) {
  if (!entry.IsDocument()) return WrongTypeError(where, "user", entry.type(), "object");
  bool has_user = false;
  bool has_db = false;
  for (const bson::Element& element : entry.AsDocument()) {
    if (element.key != "user" && element.key != "db") {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field '", where, ".", element.key, "' is an unknown field."));
    }
    if (element.value.IsNullish()) continue;
    if (!element.value.IsString()) {
      return WrongTypeError(where, element.key, element.value.type(), "string");
    }
    (element.key == "user" ? has_user : has_db) = true;
  }
  if (has_user && has_db) return absl::OkStatus();
  return Error(ErrorCode::kIDLFailedToParse,
               StrCat("BSON field '", where, ".", has_user ? "db" : "user",
                      "' is missing but a required field"));
}

// Sessions of named users: there are no users, so only the empty list names any session.
absl::Status RunKillAllSessions(CommandContext& context, const Arguments& arguments,
                                bson::Builder&) {
  const bson::ValueView target = arguments.target();
  MAYFLY_RETURN_IF_ERROR(CheckArray("killAllSessions", target));
  if (target.AsDocument().empty()) {
    KillAllSessions(context);
    return absl::OkStatus();
  }
  for (const bson::Element& element : target.AsDocument()) {
    if (element.value.IsNullish()) continue;
    MAYFLY_RETURN_IF_ERROR(
        CheckUser(StrCat("killAllSessions.killAllSessions.", element.key), element.value));
  }
  return absl::OkStatus();
}

struct Pattern {
  std::vector<SessionId> sessions;  // of lsid patterns
  bool everyone = false;            // the empty pattern
};

absl::Status ReadPattern(const bson::Element& entry, Pattern* out) {
  static constexpr std::string_view kWhere = "killAllSessionsByPattern.pattern";
  if (!entry.value.IsDocument()) {
    return WrongTypeError(kWhere, entry.key, entry.value.type(), "object");
  }
  bool narrowed = false;
  for (const bson::Element& element : entry.value.AsDocument()) {
    const bson::ValueView value = element.value;
    if (element.key == "lsid") {
      MAYFLY_ASSIGN_OR_RETURN(const SessionId id, ParseSessionId(value, kWhere));
      out->sessions.push_back(id);
    } else if (element.key == "uid") {
      if (value.type() != bson::Type::kBinary) {
        return WrongTypeError(kWhere, "uid", value.type(), "binData");
      }
    } else if (element.key == "users" || element.key == "roles") {
      if (!value.IsArray()) return WrongTypeError(kWhere, element.key, value.type(), "array");
    } else {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field '", kWhere, ".", element.key, "' is an unknown field."));
    }
    narrowed = true;
  }
  if (!narrowed) out->everyone = true;
  return absl::OkStatus();
}

absl::Status RunKillAllSessionsByPattern(CommandContext& context, const Arguments& arguments,
                                         bson::Builder&) {
  const bson::ValueView target = arguments.target();
  MAYFLY_RETURN_IF_ERROR(CheckArray("killAllSessionsByPattern", target));
  Pattern pattern{.everyone = target.AsDocument().empty()};
  for (const bson::Element& element : target.AsDocument()) {
    MAYFLY_RETURN_IF_ERROR(ReadPattern(element, &pattern));
  }
  if (pattern.everyone) {
    KillAllSessions(context);
  } else {
    KillSessions(context, pattern.sessions);
  }
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "killSessions",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunKillSessions,
     .help = "Stops the operations of sessions and closes their cursors."},
    {.name = "killAllSessions",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunKillAllSessions,
     .help = "The same for the sessions of users, or for every session."},
    {.name = "killAllSessionsByPattern",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunKillAllSessionsByPattern,
     .help = "The same for the sessions that match a pattern."},
};

}  // namespace

std::span<const CommandRow> KillSessionsCommands() { return kRows; }

}  // namespace mayfly::commands

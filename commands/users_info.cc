// usersInfo, rolesInfo: who may do what. There are no users and no roles of one's own.
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

constexpr std::array kUsersArguments = {
    ArgSpec{"showCredentials", ArgType::kBool, ArgUse::kIgnored, "show hashes of passwords"},
    ArgSpec{"showCustomData", ArgType::kBool, ArgUse::kIgnored, "show notes about users"},
    ArgSpec{"showPrivileges", ArgType::kBool, ArgUse::kIgnored, "show what users may do"},
    ArgSpec{"showAuthenticationRestrictions", ArgType::kBool, ArgUse::kIgnored,
            "show whence users may come"},
    ArgSpec{"filter", ArgType::kDocument, ArgUse::kIgnored, "only users that match"},
};
constexpr std::array kRolesArguments = {
    ArgSpec{"showPrivileges", ArgType::kAny, ArgUse::kIgnored, "show what roles allow"},
    ArgSpec{"showBuiltinRoles", ArgType::kBool, ArgUse::kIgnored, "show roles that are built in"},
    ArgSpec{"showAuthenticationRestrictions", ArgType::kBool, ArgUse::kIgnored,
            "show whence users of a role may come"},
};

absl::Status CheckTarget(std::string_view command, bson::ValueView target) {
  if (!target.IsNullish()) return absl::OkStatus();
  return base::Error(
      base::ErrorCode::kIDLFailedToParse,
      base::StrCat("BSON field '", command, ".", command, "' is missing but a required field"));
}

absl::Status RunUsersInfo(CommandContext&, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckTarget("usersInfo", arguments.target()));
  reply.OpenArray("users").Close();
  return absl::OkStatus();
}

absl::Status RunRolesInfo(CommandContext&, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckTarget("rolesInfo", arguments.target()));
  reply.OpenArray("roles").Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "usersInfo",
     .flags = kNoApiVersion,
     .run = RunUsersInfo,
     .arguments = kUsersArguments,
     .help = "The users of a database: none."},
    {.name = "rolesInfo",
     .flags = kNoApiVersion,
     .run = RunRolesInfo,
     .arguments = kRolesArguments,
     .help = "The roles of a database that somebody made: none."},
};

}  // namespace

std::span<const CommandRow> UserCommands() { return kRows; }

}  // namespace mayfly::commands

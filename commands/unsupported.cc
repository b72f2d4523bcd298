// Commands that are known by name only, with the error that a mongod without the feature gives.
#include "base/status.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

// Of routers of a sharded cluster, of Atlas, and of older versions.
constexpr Refusal kNoSuchCommand = {ErrorCode::kCommandNotFound, "no such command: '{}'"};
constexpr Refusal kNotSupported = {ErrorCode::kCommandNotSupported,
                                   "Command {} is not supported by this server"};
// There are no users, so nobody can be who they claim to be.
constexpr Refusal kNotAuthenticated = {ErrorCode::kAuthenticationFailed, "Authentication failed."};

template <const Refusal& kRefusal>
absl::Status Refuse(CommandContext& context, const Arguments&, bson::Builder&) {
  std::string text(kRefusal.text);
  const size_t at = text.find("{}");
  if (at != std::string::npos) text.replace(at, 2, context.invocation.body.First().key);
  return Error(kRefusal.code, text);
}

template <const Refusal& kRefusal>
constexpr CommandRow Row(std::string_view name, std::string_view help) {
  return {.name = name,
          .flags = kUnsupported | kAnyFields | kNoApiVersion,
          .run = Refuse<kRefusal>,
          .help = help,
          .refusal = &kRefusal};
}

constexpr std::string_view kCluster = "Of sharded clusters' routers only.";
constexpr std::string_view kUsers = "Users and roles are not offered yet.";
constexpr std::string_view kGone = "No longer in MongoDB.";

constexpr CommandRow kRows[] = {
    Row<kNoSuchCommand>("addShard", kCluster),
    Row<kNotSupported>("applyOps", "There is no log of operations to apply."),
    Row<kNoSuchCommand>("atlasVersion", "Of Atlas only; shells ask for it to know where they are."),
    Row<kNotAuthenticated>("authenticate", kUsers),
    Row<kNoSuchCommand>("balancerStart", kCluster),
    Row<kNoSuchCommand>("balancerStatus", kCluster),
    Row<kNoSuchCommand>("balancerStop", kCluster),
    Row<kNotSupported>("createRole", kUsers),
    Row<kNotSupported>("createUser", kUsers),
    Row<kNotSupported>("dropAllRolesFromDatabase", kUsers),
    Row<kNotSupported>("dropAllUsersFromDatabase", kUsers),
    Row<kNotSupported>("dropRole", kUsers),
    Row<kNotSupported>("dropUser", kUsers),
    Row<kNoSuchCommand>("enableSharding", kCluster),
    Row<kNoSuchCommand>("eval", kGone),
    Row<kNoSuchCommand>("geoNear", kGone),
    Row<kNoSuchCommand>("getFreeMonitoringStatus", kGone),
    Row<kNoSuchCommand>("getLastError", kGone),
    Row<kNotSupported>("grantPrivilegesToRole", kUsers),
    Row<kNotSupported>("grantRolesToRole", kUsers),
    Row<kNotSupported>("grantRolesToUser", kUsers),
    Row<kNoSuchCommand>("group", kGone),
    Row<kNoSuchCommand>("isdbgrid", kCluster),
    Row<kNoSuchCommand>("listShards", kCluster),
    Row<kNotSupported>("mapReduce", "There is no JavaScript engine."),
    Row<kNoSuchCommand>("moveChunk", kCluster),
    Row<kNoSuchCommand>("removeShard", kCluster),
    Row<kNoSuchCommand>("reshardCollection", kCluster),
    Row<kNotSupported>("revokePrivilegesFromRole", kUsers),
    Row<kNotSupported>("revokeRolesFromRole", kUsers),
    Row<kNotSupported>("revokeRolesFromUser", kUsers),
    Row<kNotAuthenticated>("saslContinue", kUsers),
    Row<kNotAuthenticated>("saslStart", kUsers),
    Row<kNoSuchCommand>("setFreeMonitoring", kGone),
    Row<kNoSuchCommand>("shardCollection", kCluster),
    Row<kNoSuchCommand>("split", kCluster),
    Row<kNotSupported>("updateRole", kUsers),
    Row<kNotSupported>("updateUser", kUsers),
};

}  // namespace

std::span<const CommandRow> UnsupportedCommands() { return kRows; }

}  // namespace mayfly::commands

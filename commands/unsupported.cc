// Commands that are known by name only, with the error that a mongod without the feature gives.
#include "base/status.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

std::string_view NameOf(const CommandContext& context) {
  return context.invocation.body.First().key;
}

// Of routers of a sharded cluster, of Atlas, and of older versions.
absl::Status NoSuchCommand(CommandContext& context, const Arguments&, bson::Builder&) {
  return Error(ErrorCode::kCommandNotFound, StrCat("no such command: '", NameOf(context), "'"));
}

absl::Status NotSupported(CommandContext& context, const Arguments&, bson::Builder&) {
  return Error(ErrorCode::kCommandNotSupported,
               StrCat("Command ", NameOf(context), " is not supported by this server"));
}

// There are no users, so nobody can be who they claim to be.
absl::Status NotAuthenticated(CommandContext&, const Arguments&, bson::Builder&) {
  return Error(ErrorCode::kAuthenticationFailed, "Authentication failed.");
}

absl::Status NoTransactions(CommandContext&, const Arguments&, bson::Builder&) {
  return Error(ErrorCode::kIllegalOperation,
               "Multi-document transactions are not supported by this server");
}

constexpr CommandRow Row(std::string_view name, Handler run, std::string_view help) {
  return {
      .name = name, .flags = kUnsupported | kAnyFields | kNoApiVersion, .run = run, .help = help};
}

constexpr std::string_view kCluster = "Of sharded clusters' routers only.";
constexpr std::string_view kUsers = "Users and roles are not offered yet.";
constexpr std::string_view kGone = "No longer in MongoDB.";

constexpr CommandRow kRows[] = {
    Row("abortTransaction", NoTransactions, "Transactions are not offered yet."),
    Row("addShard", NoSuchCommand, kCluster),
    Row("applyOps", NotSupported, "There is no log of operations to apply."),
    Row("atlasVersion", NoSuchCommand, "Of Atlas only; shells ask for it to know where they are."),
    Row("authenticate", NotAuthenticated, kUsers),
    Row("balancerStart", NoSuchCommand, kCluster),
    Row("balancerStatus", NoSuchCommand, kCluster),
    Row("balancerStop", NoSuchCommand, kCluster),
    Row("commitTransaction", NoTransactions, "Transactions are not offered yet."),
    Row("createRole", NotSupported, kUsers),
    Row("createUser", NotSupported, kUsers),
    Row("dropAllRolesFromDatabase", NotSupported, kUsers),
    Row("dropAllUsersFromDatabase", NotSupported, kUsers),
    Row("dropRole", NotSupported, kUsers),
    Row("dropUser", NotSupported, kUsers),
    Row("enableSharding", NoSuchCommand, kCluster),
    Row("eval", NoSuchCommand, kGone),
    Row("geoNear", NoSuchCommand, kGone),
    Row("getFreeMonitoringStatus", NoSuchCommand, kGone),
    Row("getLastError", NoSuchCommand, kGone),
    Row("grantPrivilegesToRole", NotSupported, kUsers),
    Row("grantRolesToRole", NotSupported, kUsers),
    Row("grantRolesToUser", NotSupported, kUsers),
    Row("group", NoSuchCommand, kGone),
    Row("isdbgrid", NoSuchCommand, kCluster),
    Row("listShards", NoSuchCommand, kCluster),
    Row("mapReduce", NotSupported, "There is no JavaScript engine."),
    Row("moveChunk", NoSuchCommand, kCluster),
    Row("removeShard", NoSuchCommand, kCluster),
    Row("reshardCollection", NoSuchCommand, kCluster),
    Row("revokePrivilegesFromRole", NotSupported, kUsers),
    Row("revokeRolesFromRole", NotSupported, kUsers),
    Row("revokeRolesFromUser", NotSupported, kUsers),
    Row("saslContinue", NotAuthenticated, kUsers),
    Row("saslStart", NotAuthenticated, kUsers),
    Row("setFreeMonitoring", NoSuchCommand, kGone),
    Row("shardCollection", NoSuchCommand, kCluster),
    Row("split", NoSuchCommand, kCluster),
    Row("updateRole", NotSupported, kUsers),
    Row("updateUser", NotSupported, kUsers),
};

}  // namespace

std::span<const CommandRow> UnsupportedCommands() { return kRows; }

}  // namespace mayfly::commands

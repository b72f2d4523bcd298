// replSetGetStatus, replSetGetConfig and their kin: a replica set with one member, this server.
#include <array>

#include "base/status.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/replica_set.h"

namespace mayfly::commands {
namespace {

constexpr int32_t kPrimary = 1;  // the member state

absl::Status CheckIsReplicaSet(const CommandContext& context) {
  if (context.services.facts.replica_set) return absl::OkStatus();
  return base::Error(base::ErrorCode::kNoReplicationEnabled, "not running with --replSet");
}

void AppendOpTime(const CommandContext& context, std::string_view key, bson::Builder& reply) {
  reply.OpenDocument(key).Timestamp("ts", NewestClusterTime(context)).Int64("t", kElectionTerm);
  reply.Close();
}

void AppendMember(const CommandContext& context, bson::Builder& reply) {
  const ServerFacts& facts = context.services.facts;
  reply.PushOpenDocument().Int32("_id", 0).String("name", OwnAddress(context)).Double("health", 1);
  reply.Int32("state", kPrimary).String("stateStr", "PRIMARY");
  reply.Int32("uptime", static_cast<int32_t>((context.now_ms - facts.start_ms) / 1000));
  AppendOpTime(context, "optime", reply);
  reply.Date("optimeDate", context.now_ms).Date("lastAppliedWallTime", context.now_ms);
  reply.Date("lastDurableWallTime", context.now_ms);
  reply.String("syncSourceHost", "").Int32("syncSourceId", -1).String("infoMessage", "");
  reply.Timestamp("electionTime", {static_cast<uint32_t>(facts.start_ms / 1000), 1});
  reply.Date("electionDate", facts.start_ms);
  reply.Int32("configVersion", kConfigVersion)
      .Int32("configTerm", static_cast<int32_t>(kElectionTerm));
  reply.Bool("self", true).String("lastHeartbeatMessage", "").Close();
}

absl::Status RunStatus(CommandContext& context, const Arguments&, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckIsReplicaSet(context));
  reply.String("set", context.services.facts.set_name).Date("date", context.now_ms);
  reply.Int32("myState", kPrimary).Int64("term", kElectionTerm);
  reply.String("syncSourceHost", "").Int32("syncSourceId", -1);
  reply.Int64("heartbeatIntervalMillis", kHeartbeatMs);
  reply.Int32("majorityVoteCount", 1).Int32("writeMajorityCount", 1);
  reply.Int32("votingMembersCount", 1).Int32("writableVotingMembersCount", 1);
  reply.OpenDocument("optimes");
  AppendOpTime(context, "lastCommittedOpTime", reply);
  reply.Date("lastCommittedWallTime", context.now_ms);
  for (const std::string_view key : {"readConcernMajorityOpTime", "appliedOpTime", "durableOpTime"})
    AppendOpTime(context, key, reply);
  reply.Date("lastAppliedWallTime", context.now_ms).Date("lastDurableWallTime", context.now_ms);
  reply.Close().OpenArray("members");
  AppendMember(context, reply);
  reply.Close();
  return absl::OkStatus();
}

void AppendSettings(bson::Builder& reply) {
  reply.OpenDocument("settings").Bool("chainingAllowed", true);
  reply.Int32("heartbeatIntervalMillis", static_cast<int32_t>(kHeartbeatMs));
  reply.Int32("heartbeatTimeoutSecs", 10).Int32("electionTimeoutMillis", 10000);
  reply.Int32("catchUpTimeoutMillis", -1).Int32("catchUpTakeoverDelayMillis", 30000);
  reply.OpenDocument("getLastErrorModes").Close();
  reply.OpenDocument("getLastErrorDefaults").Int32("w", 1).Int32("wtimeout", 0).Close();
  reply.Close();
}

absl::Status RunConfig(CommandContext& context, const Arguments&, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckIsReplicaSet(context));
  reply.OpenDocument("config").String("_id", context.services.facts.set_name);
  reply.Int32("version", kConfigVersion).Int32("term", static_cast<int32_t>(kElectionTerm));
  reply.OpenArray("members").PushOpenDocument().Int32("_id", 0);
  reply.String("host", OwnAddress(context)).Bool("arbiterOnly", false).Bool("buildIndexes", true);
  reply.Bool("hidden", false).Double("priority", 1).OpenDocument("tags").Close();
  reply.Int64("secondaryDelaySecs", 0).Int32("votes", 1).Close().Close();
  reply.Int64("protocolVersion", 1).Bool("writeConcernMajorityJournalDefault", true);
  AppendSettings(reply);
  reply.Close();
  return absl::OkStatus();
}

absl::Status RunInitiate(CommandContext& context, const Arguments&, bson::Builder&) {
  MAYFLY_RETURN_IF_ERROR(CheckIsReplicaSet(context));
  return base::Error(base::ErrorCode::kAlreadyInitialized, "already initialized");
}

absl::Status RunStepDown(CommandContext& context, const Arguments&, bson::Builder&) {
  MAYFLY_RETURN_IF_ERROR(CheckIsReplicaSet(context));
  return base::Error(base::ErrorCode::kExceededTimeLimit,
                     "No electable secondaries caught up: the replica set has one member");
}

constexpr std::array kStatusArguments = {
    ArgSpec{"initialSync", ArgType::kNumber, ArgUse::kIgnored, "progress of an initial sync"},
};
constexpr std::array kConfigArguments = {
    ArgSpec{"commitmentStatus", ArgType::kBool, ArgUse::kIgnored, "whether it is committed"},
};

constexpr CommandRow kRows[] = {
    {.name = "replSetGetStatus",
     .flags = kAdminOnly | kNoApiVersion | kAnyFields,
     .run = RunStatus,
     .arguments = kStatusArguments,
     .help = "State of the replica set, which has one member."},
    {.name = "replSetGetConfig",
     .flags = kAdminOnly | kNoApiVersion | kAnyFields,
     .run = RunConfig,
     .arguments = kConfigArguments,
     .help = "Configuration of the replica set."},
    {.name = "replSetInitiate",
     .flags = kAdminOnly | kNoApiVersion | kAnyFields,
     .run = RunInitiate,
     .help = "The set exists from the start, so this is always refused."},
    {.name = "replSetStepDown",
     .flags = kAdminOnly | kNoApiVersion | kAnyFields,
     .run = RunStepDown,
     .help = "Nobody could take over, so this is always refused."},
};

}  // namespace

std::span<const CommandRow> ReplicaSetCommands() { return kRows; }

}  // namespace mayfly::commands

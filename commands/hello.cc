// hello, isMaster: who this server is, in the terms of a replica set with one member.
#include <algorithm>
#include <array>
#include <limits>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/replica_set.h"

namespace mayfly::commands {
namespace {

constexpr int32_t kMaxWireVersion = 27;  // MongoDB 8.2
constexpr int32_t kSessionTimeoutMinutes = 30;
constexpr int64_t kMaxMetadataBytes = 512;
// Grows when the topology changes, which it does not while this process runs.
constexpr int64_t kTopologyCounter = 6;
// The server supports these, in the order of its own preference.
constexpr std::array<std::string_view, 3> kCompressors = {"snappy", "zstd", "zlib"};

constexpr std::array kHelloArguments = {
    ArgSpec{"helloOk", ArgType::kBool, ArgUse::kOptional, "the client knows hello"},
    ArgSpec{"client", ArgType::kDocument, ArgUse::kOptional,
            "the driver's description of itself; first hello only"},
    ArgSpec{"compression", ArgType::kArray, ArgUse::kOptional, "compressors the client can use"},
    ArgSpec{"topologyVersion", ArgType::kDocument, ArgUse::kOptional,
            "answer only when it has changed"},
    ArgSpec{"maxAwaitTimeMS", ArgType::kNumber, ArgUse::kOptional, "or after so long"},
    ArgSpec{"saslSupportedMechs", ArgType::kAny, ArgUse::kOptional,
            "user whose mechanisms are asked for"},
    ArgSpec{"speculativeAuthenticate", ArgType::kDocument, ArgUse::kIgnored,
            "authentication is not required"},
    ArgSpec{"loadBalanced", ArgType::kFlag, ArgUse::kIgnored, "behind a load balancer"},
    ArgSpec{"forShell", ArgType::kFlag, ArgUse::kIgnored, "sent by shells"},
    ArgSpec{"hostInfo", ArgType::kString, ArgUse::kIgnored, "sent by servers"},
    ArgSpec{"internalClient", ArgType::kDocument, ArgUse::kIgnored, "sent by servers"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kHelloArguments, name); }

absl::Status TakeMetadata(CommandContext& context, const Arguments& arguments) {
  const bson::ValueView metadata = arguments[Arg("client")];
  if (metadata.IsMissing()) return absl::OkStatus();
  ClientState& client = context.client();
  if (client.said_hello && !client.metadata.empty()) {
    return base::Error(base::ErrorCode::kClientMetadataCannotBeMutated,
                       "The client metadata document may only be sent in the first hello");
  }
  const bson::View document = metadata.AsDocument();
  if (document.size() > kMaxMetadataBytes) {
    return base::Error(base::ErrorCode::kBadValue,
                       base::StrCat("The client metadata document must be less than or equal to ",
                                    kMaxMetadataBytes, " bytes"));
  }
  client.metadata = bson::Document(document);
  const bson::ValueView application = document.Find("application");
  if (application.IsDocument()) {
    const bson::ValueView name = application.AsDocument().Find("name");
    if (name.IsString()) client.app_name = std::string(name.AsString());
  }
  return absl::OkStatus();
}

// "db.user". There are no users, so there is nothing to answer.
absl::Status CheckMechanismsUser(bson::ValueView user) {
  if (user.IsMissing()) return absl::OkStatus();
  const bool fits = user.IsString() && user.AsString().find('.') != std::string_view::npos;
  if (fits) return absl::OkStatus();
  return base::Error(base::ErrorCode::kBadValue,
                     "saslSupportedMechs must be a string of the form 'database.user'");
}

void AppendTopologyVersion(const CommandContext& context, bson::Builder& reply) {
  reply.OpenDocument("topologyVersion");
  reply.ObjectId("processId", context.services.facts.topology_process_id)
      .Int64("counter", kTopologyCounter);
  reply.Close();
}

void AppendReplicaSet(const CommandContext& context, bson::Builder& reply) {
  const ServerFacts& facts = context.services.facts;
  const std::string me = OwnAddress(context);
  reply.OpenArray("hosts").PushString(me).Close();
  reply.String("setName", facts.set_name).Int32("setVersion", kConfigVersion);
  reply.Bool("secondary", false).String("primary", me).String("me", me);
  bson::ObjectId election;
  election.bytes = {0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1};
  reply.ObjectId("electionId", election);
  const bson::Timestamp now = NewestClusterTime(context);
  reply.OpenDocument("lastWrite");
  reply.OpenDocument("opTime").Timestamp("ts", now).Int64("t", kElectionTerm).Close();
  reply.Date("lastWriteDate", context.now_ms);
  reply.OpenDocument("majorityOpTime").Timestamp("ts", now).Int64("t", kElectionTerm).Close();
  reply.Date("majorityWriteDate", context.now_ms).Close();
}

void AppendCompression(const Arguments& arguments, bson::Builder& reply) {
  const bson::ValueView offered = arguments[Arg("compression")];
  if (!offered.IsArray()) return;
  std::vector<std::string_view> common;
  for (const bson::Element& element : offered.AsDocument()) {
    if (!element.value.IsString()) continue;
    const std::string_view name = element.value.AsString();
    if (std::find(kCompressors.begin(), kCompressors.end(), name) != kCompressors.end()) {
      common.push_back(name);
    }
  }
  if (common.empty()) return;
  reply.OpenArray("compression");
  for (const std::string_view name : common) reply.PushString(name);
  reply.Close();
}

// The request for the next reply of a stream: this one, with the version that the client knows
// then.
std::string NextOfStream(const CommandContext& context) {
  bson::Builder next;
  for (const bson::Element& element : context.invocation.body) {
    if (element.key == "topologyVersion") {
      AppendTopologyVersion(context, next);
    } else if (element.key != "client") {
      next.Append(element);
    }
  }
  return next.Finish().TakeBytes();
}

// An awaiting hello is answered when the topology changes, which it does only by the end of this
// process, or after maxAwaitTimeMS.
absl::Status ArrangeWaiting(CommandContext& context, const Arguments& arguments) {
  const bool has_version = !arguments[Arg("topologyVersion")].IsMissing();
  const bool has_wait = !arguments[Arg("maxAwaitTimeMS")].IsMissing();
  if (has_version != has_wait) {
    return base::Error(31368,
                       "A request with either topologyVersion or maxAwaitTimeMS must include both");
  }
  if (!has_version) {
    if (context.invocation.exhaust_allowed) {
      return base::Error(51756, "An exhaust hello needs topologyVersion and maxAwaitTimeMS");
    }
    return absl::OkStatus();
  }
  const int64_t wait_ms = arguments.Integer(Arg("maxAwaitTimeMS"), 0);
  if (wait_ms < 0 || wait_ms > std::numeric_limits<int32_t>::max()) {
    return base::Error(31373, "maxAwaitTimeMS must be a non-negative 32-bit integer");
  }
  const bson::View version = arguments.Document(Arg("topologyVersion"));
  const bson::ValueView process = version.Find("processId");
  const bson::ValueView counter = version.Find("counter");
  if (process.type() != bson::Type::kObjectId || !counter.IsNumber()) {
    return base::Error(base::ErrorCode::kIDLFailedToParse,
                       "topologyVersion needs processId and counter");
  }
  const bool same = process.AsObjectId() == context.services.facts.topology_process_id;
  if (same && bson::ToInt64Truncated(counter) > kTopologyCounter) {
    return base::Error(31382,
                       "Received a topology version with a counter greater than the server's");
  }
  if (same) context.outcome->delay_ms = wait_ms;
  if (context.invocation.exhaust_allowed) {
    context.outcome->more_to_come = true;
    context.outcome->next_body = NextOfStream(context);
  }
  return absl::OkStatus();
}

absl::Status RunHelloAs(std::string_view primary_field, CommandContext& context,
                        const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckMechanismsUser(arguments[Arg("saslSupportedMechs")]));
  MAYFLY_RETURN_IF_ERROR(TakeMetadata(context, arguments));
  MAYFLY_RETURN_IF_ERROR(ArrangeWaiting(context, arguments));
  context.client().said_hello = true;
  if (arguments.Flag(Arg("helloOk"))) reply.Bool("helloOk", true);
  reply.Bool(primary_field, true);
  AppendTopologyVersion(context, reply);
  if (context.services.facts.replica_set) AppendReplicaSet(context, reply);
  reply.Int32("maxBsonObjectSize", base::kMaxBsonObjectSize);
  reply.Int32("maxMessageSizeBytes", base::kMaxMessageSize);
  reply.Int32("maxWriteBatchSize", base::kMaxWriteBatchSize);
  reply.Date("localTime", context.now_ms);
  reply.Int32("logicalSessionTimeoutMinutes", kSessionTimeoutMinutes);
  reply.Int32("connectionId", static_cast<int32_t>(context.client().connection_id));
  reply.Int32("minWireVersion", 0).Int32("maxWireVersion", kMaxWireVersion).Bool("readOnly", false);
  AppendCompression(arguments, reply);
  return absl::OkStatus();
}

absl::Status RunHello(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  return RunHelloAs("isWritablePrimary", context, arguments, reply);
}

absl::Status RunIsMaster(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  return RunHelloAs("ismaster", context, arguments, reply);
}

constexpr CommandRow kRows[] = {
    {.name = "hello",
     .place = Place::kConnection,
     .flags = kHandshake | kAnyFields,
     .run = RunHello,
     .arguments = kHelloArguments,
     .help = "Describes this server and its place in the replica set."},
    {.name = "isMaster",
     .alias = "ismaster",
     .place = Place::kConnection,
     .flags = kHandshake | kAnyFields | kNoApiVersion,
     .run = RunIsMaster,
     .arguments = kHelloArguments,
     .help = "The older name of hello."},
};

}  // namespace

std::span<const CommandRow> HelloCommands() { return kRows; }

}  // namespace mayfly::commands

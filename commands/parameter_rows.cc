// The list of server parameters.
#include "base/status.h"
#include "base/strings.h"
#include "commands/arguments.h"
#include "commands/log_verbosity.h"
#include "commands/parameters.h"

namespace mayfly::commands {
namespace {

constexpr double kMaxInt64 = 9.2e18;
constexpr int32_t kMebibyte = 1024 * 1024;

absl::StatusOr<bson::Value> ConvertLogVerbosity(const ParameterRow& row, bson::ValueView value,
                                                const bson::Value& was) {
  if (!value.IsDocument()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat("log component verbosity is not a BSON object: ",
                                    bson::TypeName(value.type())));
  }
  MAYFLY_ASSIGN_OR_RETURN(const bson::Document changed,
                          ChangeLogVerbosity(was.view().AsDocument(), value.AsDocument()));
  return bson::Value::FromDocument(changed);
}

absl::StatusOr<bson::Value> RefuseFeatureVersion(const ParameterRow&, bson::ValueView,
                                                 const bson::Value&) {
  return base::Error(base::ErrorCode::kIllegalOperation,
                     "Cannot set featureCompatibilityVersion via setParameter, use the command "
                     "setFeatureCompatibilityVersion");
}

constexpr ParameterRow kRows[] = {
    {.name = "KeysRotationIntervalSec",
     .by_default = 7776000,
     .settable = kAtStartup,
     .help = "How long a key that signs cluster times is used.",
     .min = 1},
    {.name = "ShardingTaskExecutorPoolReplicaSetMatching",
     .by_default = std::string_view("automatic"),
     .settable = kAlways,
     .help = "How pools of connections to shards are sized; there are none here."},
    {.name = "allowDiskUseByDefault",
     .by_default = true,
     .help = "Whether stages may use the disk when a command does not say."},
    {.name = "authSchemaVersion",
     .by_default = 5,
     .settable = kNever,
     .help = "Version of the format of stored users."},
    {.name = "authenticationMechanisms",
     .by_default = JsonText{R"({"v": ["SCRAM-SHA-1", "SCRAM-SHA-256"]})"},
     .settable = kAtStartup,
     .help = "Mechanisms by which clients may authenticate."},
    {.name = "automationServiceDescriptor",
     .by_default = std::string_view(""),
     .help = "A note for tools that manage servers.",
     .max_bytes = 64},
    {.name = "clusterAuthMode",
     .by_default = std::string_view("undefined"),
     .settable = kNever,
     .help = "How members of a set authenticate; there is one member here."},
    {.name = "cursorTimeoutMillis",
     .by_default = int64_t{600000},
     .help = "Cursors that are idle for so long are closed.",
     .min = 1,
     .max = kMaxInt64},
    {.name = "enableLocalhostAuthBypass",
     .by_default = true,
     .settable = kAtStartup,
     .help = "Whether clients of this machine may make the first user."},
    {.name = "enableTestCommands",
     .by_default = false,
     .settable = kAtStartup,
     .help = "Whether commands for tests are offered."},
    {.name = "featureCompatibilityVersion",
     .by_default = JsonText{R"({"v": {"version": "8.2"}})"},
     .settable = kAtRuntime,
     .help = "Version of the data's format as clients see it.",
     .convert = RefuseFeatureVersion},
    {.name = "internalDocumentSourceGroupMaxMemoryBytes",
     .by_default = int64_t{100} * kMebibyte,
     .help = "Memory that one $group stage may use.",
     .min = 1,
     .max = kMaxInt64},
    {.name = "internalQueryExecMaxBlockingSortBytes",
     .by_default = int64_t{100} * kMebibyte,
     .help = "The older name of internalQueryMaxBlockingSortMemoryUsageBytes.",
     .min = 0,
     .max = kMaxInt64},
    {.name = "internalQueryFacetBufferSizeBytes",
     .by_default = 100 * kMebibyte,
     .help = "Memory that one $facet stage may buffer.",
     .min = 1},
    {.name = "internalQueryMaxBlockingSortMemoryUsageBytes",
     .by_default = int64_t{100} * kMebibyte,
     .help = "Memory that one sort without an index may use.",
     .min = 0,
     .max = kMaxInt64},
    {.name = "journalCommitInterval",
     .by_default = 100,
     .settable = kAtStartup,
     .help = "Milliseconds between syncs of the log.",
     .min = 1,
     .max = 500},
    {.name = "localLogicalSessionTimeoutMinutes",
     .by_default = 30,
     .settable = kNever,
     .help = "Sessions that are idle for so long end."},
    {.name = "logComponentVerbosity",
     .by_default = JsonText{R"({"v": {}})"},
     .help = "How much each component writes to the log; -1: as its parent.",
     .convert = ConvertLogVerbosity},
    {.name = "logLevel",
     .by_default = 0,
     .help = "How much is written to the log: 0 to 5.",
     .min = 0,
     .max = 5},
    {.name = "logicalSessionRefreshMillis",
     .by_default = 300000,
     .settable = kAtStartup,
     .help = "How often sessions are written down; they are kept in memory here.",
     .min = 1},
    {.name = "maxBSONDepth",
     .by_default = 200,
     .settable = kNever,
     .help = "Levels of a document that arrives."},
    {.name = "maxSessions",
     .by_default = 1000000,
     .settable = kNever,
     .help = "Sessions that can be in use at a time."},
    {.name = "notablescan",
     .by_default = false,
     .help = "Refuses queries that would scan a whole collection."},
    {.name = "quiet", .by_default = false, .help = "Writes less to the log."},
    {.name = "saslHostName",
     .by_default = std::string_view(""),
     .settable = kAtStartup,
     .help = "Name of this host for authentication."},
    {.name = "scramIterationCount",
     .by_default = 10000,
     .help = "Rounds of hashing for SCRAM-SHA-1.",
     .min = 5000},
    {.name = "scramSHA256IterationCount",
     .by_default = 15000,
     .help = "Rounds of hashing for SCRAM-SHA-256.",
     .min = 5000},
    {.name = "sslMode",
     .by_default = std::string_view("disabled"),
     .settable = kNever,
     .help = "Whether connections are encrypted; the older name of tlsMode."},
    {.name = "tlsMode",
     .by_default = std::string_view("disabled"),
     .settable = kNever,
     .help = "Whether connections are encrypted."},
    {.name = "transactionLifetimeLimitSeconds",
     .by_default = 60,
     .help = "Transactions that are open for so long are aborted.",
     .min = 1},
    {.name = "ttlMonitorEnabled",
     .by_default = true,
     .help = "Whether expired documents are removed from storage. Reads hide them in any case."},
    {.name = "ttlMonitorSleepSecs",
     .by_default = 60,
     .help = "Seconds between removals of what a date index expires; removed when due until set.",
     .min = 1},
};

}  // namespace

std::span<const ParameterRow> ParameterRows() { return kRows; }

}  // namespace mayfly::commands

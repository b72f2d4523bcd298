// The sections of serverStatus.
#include <algorithm>

#include "commands/machine.h"
#include "commands/metrics.h"
#include "commands/operation_registry.h"
#include "commands/parameters.h"
#include "commands/replica_set.h"
#include "commands/server_status.h"
#include "commands/sessions.h"
#include "commands/state.h"
#include "engine/cursor/cursor.h"
#include "ttl/service.h"

namespace mayfly::commands {
namespace {

constexpr int64_t kMebibyte = 1024 * 1024;

void AppendAsserts(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  out.Int32("regular", 0).Int32("warning", 0).Int32("msg", 0);
  out.Int64("user", context.services.metrics.failures());
  out.Int32("tripwire", 0).Int32("rollovers", 0);
}

void AppendCatalogStats(CommandContext&, const StatusFacts& facts, bson::Builder& out) {
  out.Int64("collections", facts.collections).Int64("capped", facts.capped);
  out.Int64("clustered", 0).Int64("timeseries", 0).Int64("views", facts.views);
  out.Int64("internalCollections", facts.system_collections);
  out.Int64("internalViews", facts.system_views);
}

void AppendConnections(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const Metrics& metrics = context.services.metrics;
  const int64_t current = metrics.connections();
  const int64_t active = static_cast<int64_t>(context.services.operations.All().size());
  out.Int64("current", current);
  out.Int64("available", std::max<int64_t>(0, context.services.facts.max_connections - current));
  out.Int64("totalCreated", metrics.connections_created()).Int64("active", active);
  out.Int64("threaded", 0);
}

void AppendExtraInfo(CommandContext&, const StatusFacts&, bson::Builder& out) {
  const ProcessUse use = ReadProcessUse();
  out.String("note", "fields vary by platform");
  out.Int64("user_time_us", use.user_us).Int64("system_time_us", use.system_us);
  out.Int64("maximum_resident_set_kb", use.max_resident_kb);
  out.Int64("input_blocks", use.blocks_read).Int64("output_blocks", use.blocks_written);
  out.Int64("page_reclaims", use.soft_faults).Int64("page_faults", use.hard_faults);
  out.Int64("voluntary_context_switches", use.voluntary_switches);
  out.Int64("involuntary_context_switches", use.involuntary_switches);
  out.Int32("threads", use.threads);
}

void AppendFeatureVersion(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const bson::Value version = context.services.parameters.Get("featureCompatibilityVersion");
  const bson::ValueView text = version.view().AsDocument().Find("version");
  out.OpenDocument("major").Append("version", text).Close();
}

void AppendGlobalLock(CommandContext& context, const StatusFacts& facts, bson::Builder& out) {
  const int64_t active = static_cast<int64_t>(context.services.operations.All().size());
  out.Int64("totalTime", (context.now_ms - context.services.facts.start_ms) * 1000);
  out.OpenDocument("currentQueue").Int64("total", facts.queued_operations);
  out.Int64("readers", 0).Int64("writers", 0).Close();
  out.OpenDocument("activeClients").Int64("total", active);
  out.Int64("readers", 0).Int64("writers", 0).Close();
}

// There is no lock manager: operations of a database run one after the other.
void AppendLocks(CommandContext&, const StatusFacts&, bson::Builder&) {}

void AppendSessions(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const SessionStats stats = context.services.sessions.Stats();
  out.Int64("activeSessionsCount", stats.active).Int32("sessionsCollectionJobCount", 0);
  out.Int32("lastSessionsCollectionJobDurationMillis", 0);
  out.Int64("lastSessionsCollectionJobEntriesRefreshed", 0);
  out.Int64("lastSessionsCollectionJobEntriesEnded", stats.ended);
  out.Int64("sessionCatalogSize", stats.active);
}

void AppendMemory(CommandContext&, const StatusFacts&, bson::Builder& out) {
  const ProcessUse use = ReadProcessUse();
  out.Int32("bits", 8 * static_cast<int32_t>(sizeof(void*)));
  out.Int64("resident", std::max<int64_t>(1, use.resident_bytes / kMebibyte));
  out.Int64("virtual", std::max<int64_t>(1, use.virtual_bytes / kMebibyte));
  out.Bool("supported", true);
}

void AppendMirroredReads(CommandContext&, const StatusFacts&, bson::Builder& out) {
  out.Int64("seen", 0).Int64("sent", 0).Int64("erroredDuringSend", 0);
}

void AppendNetwork(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const Metrics& metrics = context.services.metrics;
  out.Int64("bytesIn", metrics.bytes_in()).Int64("bytesOut", metrics.bytes_out());
  out.Int64("physicalBytesIn", metrics.bytes_in()).Int64("physicalBytesOut", metrics.bytes_out());
  out.Int64("numRequests", metrics.requests());
}

// {opLatencies: {histograms: true}} asks for the histograms, too.
void AppendOperationLatencies(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const bson::ValueView options = context.invocation.body.Find("opLatencies");
  const bson::ValueView flag =
      options.IsDocument() ? options.AsDocument().Find("histograms") : bson::ValueView();
  const bool histograms = flag.IsBool() && flag.AsBool();
  AppendLatencies(context.state->usage.Total(), histograms, out);
}

struct CounterRow {
  std::string_view name;
  OpCounter counter;
};
constexpr CounterRow kCounters[] = {
    {"insert", OpCounter::kInsert},   {"query", OpCounter::kQuery},
    {"update", OpCounter::kUpdate},   {"delete", OpCounter::kDelete},
    {"getmore", OpCounter::kGetMore}, {"command", OpCounter::kCommand},
};

void AppendCounters(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  for (const CounterRow& row : kCounters) {
    out.Int64(row.name, context.services.metrics.Get(row.counter));
  }
}

// Nothing is replicated to this member.
void AppendReplicatedCounters(CommandContext&, const StatusFacts&, bson::Builder& out) {
  for (const CounterRow& row : kCounters) out.Int64(row.name, 0);
}

void AppendReplicaSet(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const ServerFacts& facts = context.services.facts;
  const std::string me = OwnAddress(context);
  out.OpenArray("hosts").PushString(me).Close().String("setName", facts.set_name);
  out.Int32("setVersion", kConfigVersion).Bool("isWritablePrimary", true);
  out.Bool("secondary", false).String("primary", me).String("me", me).Int32("rbid", 1);
}

void AppendStorageEngine(CommandContext& context, const StatusFacts& facts, bson::Builder& out) {
  const std::string& name = context.services.facts.storage_engine;
  out.String("name", name).Bool("supportsCommittedReads", true);
  out.Bool("supportsSnapshotReadConcern", false).Bool("readOnly", false);
  out.Bool("persistent", name != "memory").Bool("backupCursorOpen", false);
  out.Int64("databases", facts.databases).Int64("fileBytes", facts.file_bytes);
  out.Int64("logBytes", facts.log_bytes).Int64("freeBytes", facts.free_bytes);
  out.Int64("commits", facts.commits);
}

void AppendTransactions(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const SessionStats stats = context.services.sessions.Stats();
  out.Int64("retriedCommandsCount", stats.writes_repeated);
  out.Int64("retriedStatementsCount", stats.writes_repeated);
  for (const std::string_view name :
       {"currentActive", "currentInactive", "currentOpen", "totalAborted", "totalCommitted",
        "totalStarted", "totalPrepared", "currentPrepared"}) {
    out.Int64(name, 0);
  }
}

void AppendCursorMetrics(CommandContext& context, const StatusFacts&, bson::Builder& out) {
  const engine::CursorRegistry& cursors = context.services.cursors;
  out.Int64("timedOut", cursors.timed_out());
  out.OpenDocument("open").Int64("total", cursors.open()).Close();
}

void AppendClockState(const ttl::ClockGuard::State& clock, bson::Builder& out) {
  out.Bool("paused", clock.suspicious);
  if (!clock.suspicious) return;
  out.String("pauseReason", clock.reason).Date("pausedSince", clock.since_ms);
  out.Int64("clockOffByMillis", clock.off_by_ms).Int64("resumesInMillis", clock.trusted_in_ms);
}

void AppendTtlMetrics(CommandContext& context, const StatusFacts& facts, bson::Builder& out) {
  const ttl::Service& service = context.services.ttl;
  const ttl::ServiceMetrics& metrics = service.metrics();
  const auto read = [](const std::atomic<int64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  out.Int64("deletedDocuments", read(metrics.deleted_documents));
  out.Int64("passes", read(metrics.passes)).Int64("subPasses", read(metrics.sub_passes));
  out.Int64("failedCollections", read(metrics.failed_collections));
  out.Int64("sweptIndexEntries", read(metrics.swept_entries));
  out.Int64("vacuumedPages", read(metrics.vacuumed_pages));
  out.Int64("dutyPercent", read(metrics.duty_percent));
  out.Int64("backlog", facts.backlog.documents).Bool("backlogIsPartial", facts.backlog.partial);
  out.Int64(
      "backlogAgeMillis",
      std::max<int64_t>(0, context.now_ms - facts.backlog.oldest_due_ms.value_or(context.now_ms)));
  out.Bool("diskFull", metrics.disk_full.load(std::memory_order_relaxed));
  AppendClockState(service.clock_state(), out);
  const ttl::RemovalLog* log = service.removal_log();
  if (log == nullptr) return;
  out.OpenDocument("log").Int64("written", log->written()).Int64("dropped", log->dropped()).Close();
}

constexpr StatusSection kMetrics[] = {
    {"cursor", AppendCursorMetrics},
    {"ttl", AppendTtlMetrics},
};

void AppendMetrics(CommandContext& context, const StatusFacts& facts, bson::Builder& out) {
  for (const StatusSection& section : MetricsSections()) {
    out.OpenDocument(section.name);
    section.append(context, facts, out);
    out.Close();
  }
}

constexpr StatusSection kSections[] = {
    {"asserts", AppendAsserts},
    {"catalogStats", AppendCatalogStats},
    {"connections", AppendConnections},
    {"extra_info", AppendExtraInfo},
    {"featureCompatibilityVersion", AppendFeatureVersion},
    {"globalLock", AppendGlobalLock},
    {"locks", AppendLocks},
    {"logicalSessionRecordCache", AppendSessions},
    {"mem", AppendMemory},
    {"metrics", AppendMetrics},
    {.name = "mirroredReads", .append = AppendMirroredReads, .by_default = false},
    {"network", AppendNetwork},
    {"opLatencies", AppendOperationLatencies},
    {"opcounters", AppendCounters},
    {"opcountersRepl", AppendReplicatedCounters},
    {.name = "repl", .append = AppendReplicaSet, .replica_set_only = true},
    {"storageEngine", AppendStorageEngine},
    {"transactions", AppendTransactions},
};

}  // namespace

std::span<const StatusSection> StatusSections() { return kSections; }

std::span<const StatusSection> MetricsSections() { return kMetrics; }

}  // namespace mayfly::commands

// serverStatus: counters and states of this server, in sections.
#include "commands/server_status.h"

#include "base/status.h"
#include "bson/number.h"
#include "commands/families.h"
#include "commands/version.h"
#include "engine/catalog/collection.h"

namespace mayfly::commands {
namespace {

// Expired documents are counted so far.
constexpr int64_t kMaxBacklogCounted = 1'000;

void AddCatalog(const engine::Catalog& catalog, StatusFacts* facts) {
  for (const auto& collection : catalog.All()) {
    const bool is_system = collection->name().starts_with("system.");
    const bool is_view = collection->options().IsView();
    if (is_view) {
      ++(is_system ? facts->system_views : facts->views);
    } else {
      ++(is_system ? facts->system_collections : facts->collections);
      if (collection->options().capped) ++facts->capped;
    }
  }
}

absl::Status AddDatabase(CommandContext& context, const std::string& name, StatusFacts* facts) {
  MAYFLY_ASSIGN_OR_RETURN(const auto database,
                          context.services.engine.Open(name, engine::Store::IfMissing::kNull));
  if (database == nullptr) return absl::OkStatus();
  const engine::DatabaseStats stats = database->storage().Stats();
  ++facts->databases;
  facts->queued_operations += stats.queued;
  facts->file_bytes += stats.file_bytes;
  facts->log_bytes += stats.log_bytes;
  facts->free_bytes += stats.free_bytes;
  facts->commits += stats.commits;
  return database->storage().Run(
      {.access = engine::Access::kRead}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(const engine::Catalog* catalog, database->GetCatalog(transaction));
        AddCatalog(*catalog, facts);
        for (const auto& collection : catalog->All()) {
          if (collection->IsView()) continue;
          MAYFLY_RETURN_IF_ERROR(ttl::AddBacklog(transaction, *collection, context.now_ms,
                                                 kMaxBacklogCounted, &facts->backlog));
        }
        return absl::OkStatus();
      });
}

// One operation in each database. A database that is dropped meanwhile counts as gone.
StatusFacts CollectFacts(CommandContext& context) {
  StatusFacts facts;
  for (const std::string& name : context.services.engine.ListDatabases()) {
    AddDatabase(context, name, &facts).IgnoreError();
  }
  return facts;
}

// MongoDB takes anything for a truth value here.
bool IsWanted(bson::ValueView toggle, bool by_default) {
  if (toggle.IsMissing()) return by_default;
  if (toggle.IsNullish()) return false;
  if (toggle.IsBool()) return toggle.AsBool();
  return !toggle.IsNumber() || bson::IsNonZero(toggle);
}

void AppendIdentity(CommandContext& context, bson::Builder& reply) {
  const ServerFacts& facts = context.services.facts;
  const int64_t uptime_ms = context.now_ms - facts.start_ms;
  reply.String("host", facts.host).String("version", kMongoVersion).String("process", "mongod");
  reply.OpenArray("service").PushString("shard").Close();
  reply.Int64("pid", facts.process_id).Double("uptime", static_cast<double>(uptime_ms / 1000));
  reply.Int64("uptimeMillis", uptime_ms).Int64("uptimeEstimate", uptime_ms / 1000);
  reply.Date("localTime", context.now_ms);
}

absl::Status RunServerStatus(CommandContext& context, const Arguments&, bson::Builder& reply) {
  const bson::View body = context.invocation.body;
  const bool replica_set = context.services.facts.replica_set;
  const bool all = IsWanted(body.Find("all"), false);
  const bool none = IsWanted(body.Find("none"), false);
  AppendIdentity(context, reply);
  const StatusFacts facts = CollectFacts(context);
  for (const StatusSection& section : StatusSections()) {
    if (section.replica_set_only && !replica_set) continue;
    const bool by_default = all || (section.by_default && !none);
    if (!IsWanted(body.Find(section.name), by_default)) continue;
    reply.OpenDocument(section.name);
    section.append(context, facts, reply);
    reply.Close();
  }
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "serverStatus",
     .place = Place::kWorker,
     .flags = kAnyFields | kNoApiVersion | kNoConcerns,
     .run = RunServerStatus,
     .help = "Counters and states of this server; {section: 0} leaves a section out."},
};

}  // namespace

std::span<const CommandRow> ServerStatusCommands() { return kRows; }

}  // namespace mayfly::commands

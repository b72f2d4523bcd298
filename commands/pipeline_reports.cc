#include "commands/pipeline_reports.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/current_op.h"
#include "commands/list_collections.h"
#include "commands/sessions.h"
#include "commands/state.h"
#include "commands/statistics.h"
#include "engine/aggregate/report_options.h"
#include "engine/exec/count.h"

namespace mayfly::commands {
namespace {

constexpr uint8_t kGenericBinary = 0;
// The SHA-256 of nothing: who a session is of where nobody logs in.
constexpr std::string_view kNoUser(
    "\xe3\xb0\xc4\x42\x98\xfc\x1c\x14\x9a\xfb\xf4\xc8\x99\x6f\xb9\x24"
    "\x27\xae\x41\xe4\x64\x9b\x93\x4c\xa4\x95\x99\x1b\x78\x52\xb8\x55",
    32);

using Documents = std::vector<bson::Document>;
using ReportFunction = absl::StatusOr<Documents> (*)(CommandContext&, bson::ValueView,
                                                     const engine::Namespace&);

std::string Host(const CommandContext& context) {
  const ServerFacts& facts = context.services.facts;
  return base::StrCat(facts.host, ":", facts.port);
}

// The section of $collStats that is asked for; missing if it is not, or with null only.
bson::ValueView Section(bson::ValueView spec, std::string_view name) {
  for (const bson::Element& element : spec.AsDocument()) {
    if (element.key == name && !element.value.IsNullish()) return element.value;
  }
  return {};
}

absl::StatusOr<Documents> CollectionStats(CommandContext& context, bson::ValueView spec,
                                          const engine::Namespace& ns) {
  const auto collection = context.FindCollection(ns.collection);
  const bson::ValueView storage = Section(spec, "storageStats");
  const bson::ValueView count = Section(spec, "count");
  const bson::ValueView scans = Section(spec, "queryExecStats");
  if (!storage.IsMissing() || !count.IsMissing() || !scans.IsMissing()) {
    if (collection == nullptr) return NamespaceNotFound(ns.ToString());
    if (collection->IsView()) return NotOnView(ns.ToString());
  }
  bson::Builder builder;
  builder.String("ns", ns.ToString()).String("host", Host(context));
  builder.Date("localTime", context.now_ms);
  if (const bson::ValueView latencies = Section(spec, "latencyStats"); !latencies.IsMissing()) {
    const bson::ValueView histograms = latencies.AsDocument().Find("histograms");
    builder.OpenDocument("latencyStats");
    AppendLatencies(context.state->usage.Of(ns.database, ns.collection),
                    histograms.IsBool() && histograms.AsBool(), builder);
    builder.Close();
  }
  if (!storage.IsMissing()) {
    builder.OpenDocument("storageStats");
    MAYFLY_RETURN_IF_ERROR(AppendSizes(context, collection, engine::ScaleOf(storage), builder));
    builder.Close();
  }
  if (!count.IsMissing()) {
    engine::ExecutionContext execution = MakeExecutionContext(context);
    MAYFLY_ASSIGN_OR_RETURN(const int64_t visible, engine::CountVisible(execution, collection));
    builder.Append("count", bson::Value::IntFitting(visible));
  }
  if (!scans.IsMissing()) {
    builder.OpenDocument("queryExecStats").OpenDocument("collectionScans");
    builder.Int64("total", collection->scans()).Int64("nonTailable", collection->scans());
    builder.Close().Close();
  }
  Documents documents;
  documents.push_back(builder.Finish());
  return documents;
}

absl::StatusOr<Documents> IndexStats(CommandContext& context, bson::ValueView,
                                     const engine::Namespace& ns) {
  const auto collection = context.FindCollection(ns.collection);
  Documents documents;
  if (collection == nullptr) return documents;
  for (const auto& index : collection->ReadyIndexes()) {
    bson::Builder builder;
    builder.String("name", index->spec.name).Document("key", index->spec.key);
    builder.String("host", Host(context));
    builder.OpenDocument("accesses")
        .Int64("ops", index->usage->operations)
        .Date("since", index->usage->since_ms != 0 ? index->usage->since_ms
                                                   : context.services.facts.start_ms)
        .Close();
    builder.Document("spec", index->spec.stored);
    documents.push_back(builder.Finish());
  }
  return documents;
}

absl::StatusOr<Documents> CurrentOperations(CommandContext& context, bson::ValueView spec,
                                            const engine::Namespace&) {
  MAYFLY_ASSIGN_OR_RETURN(Documents documents, DescribeOperations(context));
  const bson::ValueView idle_cursors = Section(spec, "idleCursors");
  if (idle_cursors.IsBool() && idle_cursors.AsBool()) {
    Documents cursors = DescribeIdleCursors(context);
    std::move(cursors.begin(), cursors.end(), std::back_inserter(documents));
  }
  return documents;
}

// Plans are chosen anew for each query: the cache is always empty.
absl::StatusOr<Documents> PlanCache(CommandContext& context, bson::ValueView,
                                    const engine::Namespace& ns) {
  const auto collection = context.FindCollection(ns.collection);
  if (collection == nullptr) {
    return base::Error(50933, base::StrCat("collection '", ns.ToString(), "' does not exist"));
  }
  return Documents();
}

// There are no users, so no session is any user's.
absl::StatusOr<Documents> Sessions(CommandContext& context, bson::ValueView spec,
                                   const engine::Namespace&) {
  Documents documents;
  const bson::ValueView users = spec.AsDocument().Find("users");
  if (users.IsArray()) {
    for (const bson::Element& user : users.AsDocument()) {
      if (!user.value.IsNullish()) return documents;
    }
  }
  context.services.sessions.ForEach([&](const SessionId& id, int64_t last_use_ms) {
    bson::Builder builder;
    builder.OpenDocument("_id").AppendAll(id.ToLsid());
    builder.Binary("uid", kGenericBinary, kNoUser).Close().Date("lastUse", last_use_ms);
    documents.push_back(builder.Finish());
  });
  return documents;
}

// Nothing of the kind is kept here.
absl::StatusOr<Documents> Nothing(CommandContext&, bson::ValueView, const engine::Namespace&) {
  return Documents();
}

void AddCollections(const engine::Catalog& catalog, std::string_view database, bool shards,
                    Documents* documents) {
  for (const auto& collection : catalog.All()) {
    bson::Builder builder;
    builder.String("db", database).String("ns", base::StrCat(database, ".", collection->name()));
    AppendDescription(*collection, false, builder);
    builder.Bool("sharded", false);
    if (shards) builder.OpenArray("shards").Close();
    documents->push_back(builder.Finish());
  }
}

// Of one other database, or of any while none is at work.
absl::Status AddDatabase(CommandContext& context, const std::string& name, bool shards,
                         Documents* documents) {
  return ReadDatabase(context, name, [&](engine::Transaction&, const engine::Catalog& catalog) {
    AddCollections(catalog, name, shards, documents);
    return absl::OkStatus();
  });
}

absl::StatusOr<Documents> ClusterCatalog(CommandContext& context, bson::ValueView spec,
                                         const engine::Namespace& ns) {
  const bson::ValueView wanted = spec.AsDocument().Find("shards");
  const bool shards = wanted.IsBool() && wanted.AsBool();
  Documents documents;
  if (ns.database != "admin") {
    if (context.catalog != nullptr)
      AddCollections(*context.catalog, ns.database, shards, &documents);
    return documents;
  }
  if (context.transaction != nullptr) {
    return base::Error(base::ErrorCode::kCommandNotSupported,
                       "$listClusterCatalog on admin cannot be written into a collection here");
  }
  for (const std::string& name : AllDatabases(context)) {
    MAYFLY_RETURN_IF_ERROR(context.interrupt->Check());
    MAYFLY_RETURN_IF_ERROR(AddDatabase(context, name, shards, &documents));
  }
  return documents;
}

struct ReportRow {
  std::string_view stage;
  ReportFunction run;
};

constexpr ReportRow kReports[] = {
    {"$collStats", CollectionStats},
    {"$indexStats", IndexStats},
    {"$currentOp", CurrentOperations},
    {"$planCacheStats", PlanCache},
    {"$listLocalSessions", Sessions},
    {"$listSessions", Sessions},
    {"$listClusterCatalog", ClusterCatalog},
    {"$querySettings", Nothing},
    {"$queryStats", Nothing},
    {"$listSampledQueries", Nothing},
};

}  // namespace

absl::StatusOr<std::vector<bson::Document>> PipelineReports::Report(std::string_view stage,
                                                                    bson::ValueView spec,
                                                                    const engine::Namespace& ns) {
  for (const ReportRow& row : kReports) {
    if (row.stage == stage) return row.run(context_, spec, ns);
  }
  return base::Error(base::ErrorCode::kInvalidPipelineOperator,
                     base::StrCat("this server has nothing to report for ", stage));
}

}  // namespace mayfly::commands

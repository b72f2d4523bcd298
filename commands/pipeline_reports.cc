#include "commands/pipeline_reports.h"

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/current_op.h"
#include "engine/exec/count.h"

namespace mayfly::commands {
namespace {

using Documents = std::vector<bson::Document>;
using ReportFunction = absl::StatusOr<Documents> (*)(CommandContext&, bson::ValueView,
                                                     const engine::Namespace&);

absl::StatusOr<Documents> CollectionStats(CommandContext& context, bson::ValueView spec,
                                          const engine::Namespace& ns) {
  const auto collection = context.FindCollection(ns.collection);
  if (collection == nullptr) return NamespaceNotFound(ns.ToString());
  bson::Builder builder;
  builder.String("ns", ns.ToString()).String("host", context.services.facts.host);
  builder.Date("localTime", context.now_ms);
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(const engine::Extent visible,
                          engine::MeasureVisible(execution, collection));
  if (spec.IsDocument() && spec.AsDocument().Has("storageStats")) {
    builder.OpenDocument("storageStats")
        .Int64("size", visible.bytes)
        .Int64("count", visible.documents);
    builder.Int64("avgObjSize", visible.documents == 0 ? 0 : visible.bytes / visible.documents);
    builder.Int64("storageSize", collection->counters().data_bytes)
        .Bool("capped", collection->options().capped);
    builder.Int32("nindexes", collection->CountedIndexes()).Close();
  }
  if (spec.IsDocument() && spec.AsDocument().Has("count"))
    builder.Int64("count", visible.documents);
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
    builder.String("host", context.services.facts.host);
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

absl::StatusOr<Documents> CurrentOperations(CommandContext& context, bson::ValueView,
                                            const engine::Namespace&) {
  return DescribeOperations(context);
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

struct ReportRow {
  std::string_view stage;
  ReportFunction run;
};

constexpr ReportRow kReports[] = {
    {"$collStats", CollectionStats},
    {"$indexStats", IndexStats},
    {"$currentOp", CurrentOperations},
    {"$planCacheStats", PlanCache},
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

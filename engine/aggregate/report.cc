// Stages that report facts about the server: the host makes their documents.
#include "base/strings.h"
#include "engine/aggregate/report_options.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

class ReportStream final : public Stream {
 public:
  explicit ReportStream(std::vector<bson::Document> documents) : documents_(std::move(documents)) {}
  absl::StatusOr<bool> Next(Row* row) override {
    if (next_ >= documents_.size()) return false;
    *row = Row();
    row->Own(documents_[next_++]);
    return true;
  }

 private:
  const std::vector<bson::Document> documents_;
  size_t next_ = 0;
};

class ReportStage final : public Stage {
 public:
  ReportStage(const StageRow& row, Namespace ns) : Stage(row), ns_(std::move(ns)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream>,
                                                     const Runtime& runtime) const override {
    if (!runtime.host) {
      return base::Error(base::ErrorCode::kInternalError,
                         base::StrCat(row().name, " needs a host"));
    }
    MAYFLY_ASSIGN_OR_RETURN(std::vector<bson::Document> documents,
                            runtime.host->Report(row().name, spec().Find(row().name), ns_));
    return std::make_unique<ReportStream>(std::move(documents));
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kDropsOthers; }
  bool IsSource() const override { return true; }

 private:
  const Namespace ns_;
};

using OperandCheck = absl::Status (*)(bson::ValueView operand, const Namespace& ns);

template <OperandCheck kCheck>
absl::Status Parse(bson::ValueView operand, const StageRow& row, const PipelineContext& context,
                   std::vector<StagePtr>* out) {
  MAYFLY_RETURN_IF_ERROR(kCheck(operand, context.ns));
  out->push_back(std::make_unique<ReportStage>(row, context.ns));
  return absl::OkStatus();
}

// The stable API has no more of it than `count`.
absl::Status ParseCollStats(bson::ValueView operand, const StageRow& row,
                            const PipelineContext& context, std::vector<StagePtr>* out) {
  MAYFLY_RETURN_IF_ERROR(Parse<CheckCollStats>(operand, row, context, out));
  if (!context.expressions.strict_api) return absl::OkStatus();
  for (const bson::Element& option : operand.AsDocument()) {
    if (option.key == "count") continue;
    return base::Error(base::ErrorCode::kAPIStrictError,
                       base::StrCat("$collStats must not have '", option.key,
                                    "' with 'apiStrict: true' in API Version 1"));
  }
  return absl::OkStatus();
}

absl::Status ParseShardedData(bson::ValueView operand, const StageRow&, const PipelineContext&,
                              std::vector<StagePtr>*) {
  if (!operand.IsDocument() || !operand.AsDocument().empty()) {
    return base::Error(6789100,
                       "The $shardedDataDistribution stage specification must be an empty object");
  }
  return base::Error(6789101, "The $shardedDataDistribution stage can only be run on router");
}

// About the collection or the database that is read.
constexpr StageRow Report(std::string_view name, StageParser parse, std::string_view help) {
  return {.name = name,
          .parse = parse,
          .help = help,
          .position = StagePosition::kFirst,
          .in_facet = false,
          .in_transaction = false,
          .stable_api = false};
}

// About the server.
constexpr StageRow ServerReport(std::string_view name, StageParser parse, std::string_view help) {
  StageRow row = Report(name, parse, help);
  row.server_wide = true;
  row.without_collection = true;
  row.local_reads_only = true;
  return row;
}

constexpr StageRow NotInSubPipelines(StageRow row) {
  row.in_sub_pipeline = false;
  return row;
}

constexpr StageRow CollStats() {
  StageRow row = Report("$collStats", ParseCollStats, "reports sizes and counts of the collection");
  row.stable_api = true;
  return row;
}

constexpr StageRow PlanCacheStats() {
  StageRow row = Report("$planCacheStats", Parse<CheckPlanCacheStats>, "reports the plan cache");
  row.local_reads_only = true;
  return row;
}

constexpr StageRow ListSessions() {
  StageRow row = NotInSubPipelines(ServerReport("$listSessions", Parse<CheckListSessions>,
                                                "reports the sessions of all servers"));
  row.without_collection = false;
  return row;
}

constexpr StageRow ListClusterCatalog() {
  StageRow row = ServerReport("$listClusterCatalog", Parse<CheckListClusterCatalog>,
                              "reports the collections of the database; of all databases on admin");
  row.server_wide = false;
  return row;
}

constexpr StageRow ShardedDataDistribution() {
  StageRow row = ServerReport("$shardedDataDistribution", ParseShardedData,
                              "reports how collections are spread over shards");
  row.local_reads_only = false;
  row.support = base::Support::kRefused;
  return row;
}

}  // namespace

const StageRow kCollStatsRow = CollStats();
const StageRow kIndexStatsRow =
    Report("$indexStats", Parse<CheckIndexStats>, "reports the use of every index");
const StageRow kPlanCacheStatsRow = PlanCacheStats();
const StageRow kCurrentOpRow = NotInSubPipelines(
    ServerReport("$currentOp", Parse<CheckCurrentOp>, "reports running operations"));
const StageRow kListLocalSessionsRow = NotInSubPipelines(ServerReport(
    "$listLocalSessions", Parse<CheckListLocalSessions>, "reports the sessions of this server"));
const StageRow kListSessionsRow = ListSessions();
const StageRow kListClusterCatalogRow = ListClusterCatalog();
const StageRow kQuerySettingsRow = ServerReport("$querySettings", Parse<CheckQuerySettings>,
                                                "reports query settings; there are none here");
const StageRow kQueryStatsRow =
    ServerReport("$queryStats", Parse<CheckQueryStats>,
                 "reports collected query statistics; none are collected");
const StageRow kListSampledQueriesRow = ServerReport(
    "$listSampledQueries", Parse<CheckSampledQueries>, "reports sampled queries; none are sampled");
const StageRow kShardedDataDistributionRow = ShardedDataDistribution();

}  // namespace mayfly::engine

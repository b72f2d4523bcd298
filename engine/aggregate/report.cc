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

absl::Status ParseShardedData(bson::ValueView operand, const StageRow&, const PipelineContext&,
                              std::vector<StagePtr>*) {
  if (!operand.IsDocument() || !operand.AsDocument().empty()) {
    return base::Error(6789100,
                       "The $shardedDataDistribution stage specification must be an empty object");
  }
  return base::Error(6789101, "The $shardedDataDistribution stage can only be run on router");
}

}  // namespace

const StageRow kCollStatsRow = {.name = "$collStats",
                                .parse = Parse<CheckCollStats>,
                                .help = "reports sizes and counts of the collection",
                                .position = StagePosition::kFirst,
                                .in_facet = false,
                                .in_transaction = false};
const StageRow kIndexStatsRow = {.name = "$indexStats",
                                 .parse = Parse<CheckIndexStats>,
                                 .help = "reports the use of every index",
                                 .position = StagePosition::kFirst,
                                 .in_facet = false,
                                 .in_transaction = false,
                                 .stable_api = false};
const StageRow kPlanCacheStatsRow = {.name = "$planCacheStats",
                                     .parse = Parse<CheckPlanCacheStats>,
                                     .help = "reports the plan cache",
                                     .position = StagePosition::kFirst,
                                     .in_facet = false,
                                     .in_transaction = false,
                                     .local_reads_only = true,
                                     .stable_api = false};
const StageRow kCurrentOpRow = {.name = "$currentOp",
                                .parse = Parse<CheckCurrentOp>,
                                .help = "reports running operations",
                                .position = StagePosition::kFirst,
                                .in_facet = false,
                                .in_sub_pipeline = false,
                                .in_transaction = false,
                                .server_wide = true,
                                .without_collection = true,
                                .local_reads_only = true,
                                .stable_api = false};
const StageRow kListLocalSessionsRow = {.name = "$listLocalSessions",
                                        .parse = Parse<CheckListSessions>,
                                        .help = "reports the sessions of this server",
                                        .position = StagePosition::kFirst,
                                        .in_facet = false,
                                        .in_sub_pipeline = false,
                                        .in_transaction = false,
                                        .server_wide = true,
                                        .without_collection = true,
                                        .local_reads_only = true,
                                        .stable_api = false};
const StageRow kListSessionsRow = {.name = "$listSessions",
                                   .parse = Parse<CheckListSessions>,
                                   .help = "reports the sessions of all servers",
                                   .position = StagePosition::kFirst,
                                   .in_facet = false,
                                   .in_sub_pipeline = false,
                                   .in_transaction = false,
                                   .server_wide = true,
                                   .local_reads_only = true,
                                   .stable_api = false};

const StageRow kListClusterCatalogRow = {
    .name = "$listClusterCatalog",
    .parse = Parse<CheckListClusterCatalog>,
    .help = "reports the collections of the database; of all databases on admin",
    .position = StagePosition::kFirst,
    .in_facet = false,
    .in_transaction = false,
    .without_collection = true,
    .local_reads_only = true,
    .stable_api = false};
const StageRow kQuerySettingsRow = {.name = "$querySettings",
                                    .parse = Parse<CheckQuerySettings>,
                                    .help = "reports query settings; there are none here",
                                    .position = StagePosition::kFirst,
                                    .in_facet = false,
                                    .in_transaction = false,
                                    .server_wide = true,
                                    .without_collection = true,
                                    .local_reads_only = true,
                                    .stable_api = false};
const StageRow kQueryStatsRow = {.name = "$queryStats",
                                 .parse = Parse<CheckQueryStats>,
                                 .help = "reports collected query statistics; none are collected",
                                 .position = StagePosition::kFirst,
                                 .in_facet = false,
                                 .in_transaction = false,
                                 .server_wide = true,
                                 .without_collection = true,
                                 .local_reads_only = true,
                                 .stable_api = false};
const StageRow kListSampledQueriesRow = {.name = "$listSampledQueries",
                                         .parse = Parse<CheckSampledQueries>,
                                         .help = "reports sampled queries; none are sampled",
                                         .position = StagePosition::kFirst,
                                         .in_facet = false,
                                         .in_transaction = false,
                                         .server_wide = true,
                                         .without_collection = true,
                                         .local_reads_only = true,
                                         .stable_api = false};
const StageRow kShardedDataDistributionRow = {
    .name = "$shardedDataDistribution",
    .parse = ParseShardedData,
    .help = "reports how collections are spread over shards",
    .position = StagePosition::kFirst,
    .in_facet = false,
    .in_transaction = false,
    .server_wide = true,
    .without_collection = true,
    .stable_api = false,
    .support = base::Support::kRefused};

}  // namespace mayfly::engine

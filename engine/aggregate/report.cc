// Stages that report facts about the server: the host makes their documents.
#include "base/strings.h"
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

absl::Status ParseObject(bson::ValueView operand, const StageRow& row,
                         const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat(row.name, " must take a nested object but found: ",
                                    bson::TypeName(operand.type())));
  }
  out->push_back(std::make_unique<ReportStage>(row, context.ns));
  return absl::OkStatus();
}

absl::Status CheckOption(const bson::Element& option) {
  const bool scale = option.key == "scale";
  if (scale ? option.value.IsNumber() : option.value.IsDocument()) return absl::OkStatus();
  return base::Error(base::ErrorCode::kTypeMismatch,
                     base::StrCat("BSON field '$collStats.", option.key, "' is the wrong type '",
                                  bson::TypeName(option.value.type()), "'"));
}

absl::Status ParseCollStats(bson::ValueView operand, const StageRow& row,
                            const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(5447000, base::StrCat("$collStats must take a nested object but found: ",
                                             bson::TypeName(operand.type())));
  }
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key != "latencyStats" && element.key != "storageStats" && element.key != "count" &&
        element.key != "queryExecStats" && element.key != "operationStats") {
      return base::Error(
          40415, base::StrCat("BSON field '$collStats.", element.key, "' is an unknown field."));
    }
    MAYFLY_RETURN_IF_ERROR(CheckOption(element));
    const bool empty_only = element.key == "count" || element.key == "queryExecStats";
    if (empty_only && !element.value.AsDocument().empty()) {
      return base::Error(31170, base::StrCat("argument to $collStats stage's ", element.key,
                                             " field must be an empty object, but got: ",
                                             element.value.AsDocument().Count(), " fields"));
    }
  }
  return ParseObject(operand, row, context, out);
}

absl::Status ParseIndexStats(bson::ValueView operand, const StageRow& row,
                             const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument() || !operand.AsDocument().empty()) {
    return base::Error(28803, "The $indexStats stage specification must be an empty object");
  }
  return ParseObject(operand, row, context, out);
}

}  // namespace

const StageRow kCollStatsRow = {.name = "$collStats",
                                .parse = ParseCollStats,
                                .help = "reports sizes and counts of the collection",
                                .position = StagePosition::kFirst,
                                .in_facet = false,
                                .in_transaction = false};
const StageRow kIndexStatsRow = {.name = "$indexStats",
                                 .parse = ParseIndexStats,
                                 .help = "reports the use of every index",
                                 .position = StagePosition::kFirst,
                                 .in_facet = false,
                                 .in_transaction = false};
const StageRow kPlanCacheStatsRow = {.name = "$planCacheStats",
                                     .parse = ParseObject,
                                     .help = "reports the plan cache",
                                     .position = StagePosition::kFirst,
                                     .in_facet = false,
                                     .in_transaction = false};
const StageRow kCurrentOpRow = {.name = "$currentOp",
                                .parse = ParseObject,
                                .help = "reports running operations",
                                .position = StagePosition::kFirst,
                                .in_facet = false,
                                .in_sub_pipeline = false,
                                .in_transaction = false,
                                .server_wide = true,
                                .without_collection = true};
const StageRow kListLocalSessionsRow = {.name = "$listLocalSessions",
                                        .parse = ParseObject,
                                        .help = "reports the sessions of this server",
                                        .position = StagePosition::kFirst,
                                        .in_facet = false,
                                        .in_sub_pipeline = false,
                                        .in_transaction = false,
                                        .server_wide = true,
                                        .without_collection = true};
const StageRow kListSessionsRow = {.name = "$listSessions",
                                   .parse = ParseObject,
                                   .help = "reports the sessions of all servers",
                                   .position = StagePosition::kFirst,
                                   .in_facet = false,
                                   .in_sub_pipeline = false,
                                   .in_transaction = false,
                                   .server_wide = true};

}  // namespace mayfly::engine

#include "engine/aggregate/pipeline.h"

#include <utility>

#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/sink.h"
#include "engine/aggregate/sort.h"
#include "engine/aggregate/stage.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

// Stages that report about the whole server cannot stand where a collection is read.
absl::Status CheckReadsCollection(const StageRow& row) {
  if (!row.server_wide) return absl::OkStatus();
  return base::Error(base::ErrorCode::kInvalidNamespace,
                     base::StrCat(row.name, " must be run with {aggregate: 1}"));
}

absl::Status NotInFacet(const StageRow& row) {
  return base::Error(40600,
                     base::StrCat(row.name, " is not allowed to be used within a $facet stage"));
}

absl::Status CheckPlace(const StageRow& row, const PipelineContext& context) {
  switch (context.place) {
    case PipelinePlace::kCommand:
      break;
    case PipelinePlace::kFacet:
      if (row.in_facet) break;
      return NotInFacet(row);
    case PipelinePlace::kLookup:
      MAYFLY_RETURN_IF_ERROR(CheckReadsCollection(row));
      if (row.in_sub_pipeline) break;
      return base::Error(51047,
                         base::StrCat(row.name, " is not allowed within a $lookup's sub-pipeline"));
    case PipelinePlace::kUnionWith:
      MAYFLY_RETURN_IF_ERROR(CheckReadsCollection(row));
      if (row.in_sub_pipeline) break;
      return base::Error(
          31441, base::StrCat(row.name, " is not allowed within a $unionWith's sub-pipeline"));
    case PipelinePlace::kUpdate:
    case PipelinePlace::kMerge:
      if (row.in_update) break;
      return base::Error(base::ErrorCode::kInvalidOptions,
                         base::StrCat(row.name, " is not allowed to be used within an update"));
  }
  // The innermost place refuses first.
  if (context.inside_facet && !row.in_facet) return NotInFacet(row);
  if (context.expressions.strict_api && !row.stable_api) {
    return base::Error(base::ErrorCode::kAPIStrictError,
                       base::StrCat("stage ", row.name,
                                    " is not allowed with 'apiStrict: true' in API Version 1"));
  }
  if (context.in_transaction && !row.in_transaction) {
    return base::Error(
        base::ErrorCode::kOperationNotSupportedInTransaction,
        base::StrCat("Operation not permitted in transaction :: caused by :: Aggregation stage ",
                     row.name, " cannot run within a multi-document transaction"));
  }
  return absl::OkStatus();
}

absl::Status CheckPosition(const StageRow& row, size_t index, size_t count) {
  if (row.position == StagePosition::kFirst && index != 0) {
    int code = row.name == "$geoNear" ? 40603 : 40602;
    return base::Error(code,
                       base::StrCat(row.name, " is only valid as the first stage in a pipeline."));
  }
  if (row.position == StagePosition::kLast && index + 1 != count) {
    return base::Error(40601,
                       base::StrCat(row.name, " can only be the final stage in the pipeline"));
  }
  return absl::OkStatus();
}

// One stage of the command's array, checked for form.
absl::StatusOr<bson::Element> StageElement(bson::ValueView value) {
  if (!value.IsDocument()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       "Each element of the 'pipeline' array must be an object");
  }
  if (value.AsDocument().Count() != 1) {
    return base::Error(40323,
                       "A pipeline stage specification object must contain exactly one field.");
  }
  return value.AsDocument().First();
}

bool IsEmptyMatch(const Stage& stage) {
  const bson::ValueView operand = stage.spec().Find("$match");
  return operand.IsDocument() && operand.AsDocument().empty();
}

// {$match: {}} before $geoNear is as good as nothing, and does not keep it from being the first.
void DropEmptyFiltersBeforeNear(std::vector<StagePtr>* stages, std::vector<const StageRow*>* rows) {
  size_t i = 0;
  while (i < stages->size() && IsEmptyMatch(*(*stages)[i])) ++i;
  if (i == stages->size() || !(*stages)[i]->IsNear()) return;
  stages->erase(stages->begin(), stages->begin() + static_cast<std::ptrdiff_t>(i));
  rows->erase(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(i));
}

// Without a collection the first stage must be one that needs none.
absl::Status CheckSource(const std::vector<const StageRow*>& rows, const PipelineContext& context) {
  if (context.place != PipelinePlace::kCommand) return absl::OkStatus();
  const bool needs_none = !rows.empty() && rows[0]->without_collection;
  if (context.ns.collection.empty() && !needs_none) {
    const std::string what =
        rows.empty() ? "an empty pipeline" : base::StrCat("'", rows[0]->name, "'");
    return base::Error(
        base::ErrorCode::kInvalidNamespace,
        base::StrCat("{aggregate: 1} is not valid for ", what, "; a collection is required."));
  }
  if (!context.ns.collection.empty() && needs_none) {
    return base::Error(base::ErrorCode::kInvalidNamespace,
                       base::StrCat(rows[0]->name, " must be run with {aggregate: 1}"));
  }
  return absl::OkStatus();
}

// [$sort, $match] becomes [$match, $sort]: the same documents in the same order, fewer to sort.
void MoveFiltersBeforeSorts(std::vector<StagePtr>* stages) {
  for (size_t i = 1; i < stages->size(); ++i) {
    if (!(*stages)[i]->filter()) continue;
    for (size_t j = i; j > 0 && (*stages)[j - 1]->sort(); --j)
      std::swap((*stages)[j], (*stages)[j - 1]);
  }
}

// The operands of the $match stages from `begin` to `end` as one stage.
absl::Status MergeFilters(std::vector<StagePtr>* stages, size_t begin, size_t end,
                          const PipelineContext& context) {
  bson::Builder all;
  all.OpenDocument("$match").OpenArray("$and");
  for (size_t i = begin; i < end; ++i) all.Push((*stages)[i]->spec().Find("$match"));
  bson::Document spec = all.Close().Close().Finish();
  std::vector<StagePtr> merged;
  MAYFLY_RETURN_IF_ERROR(ParseStage("$match", spec.Find("$match"), context, &merged));
  (*stages)[begin] = std::move(merged[0]);
  stages->erase(stages->begin() + begin + 1, stages->begin() + end);
  return absl::OkStatus();
}

absl::Status Optimise(std::vector<StagePtr>* stages, const PipelineContext& context) {
  MoveFiltersBeforeSorts(stages);
  for (size_t i = 0; i < stages->size(); ++i) {
    size_t end = i;
    while (end < stages->size() && (*stages)[end]->filter()) ++end;
    if (end - i > 1) MAYFLY_RETURN_IF_ERROR(MergeFilters(stages, i, end, context));
  }
  LimitSorts(stages);
  return absl::OkStatus();
}

Dependencies NeededBy(const std::vector<StagePtr>& stages, size_t begin) {
  Dependencies out;
  for (size_t i = begin; i < stages.size(); ++i) {
    switch (stages[i]->AddDependencies(&out)) {
      case Stage::Fields::kPassesOn:
        break;
      case Stage::Fields::kDropsOthers:
        return out;
      case Stage::Fields::kNeedsAll:
        out.whole_document = true;
        return out;
    }
  }
  out.whole_document = true;
  return out;
}

}  // namespace

Pipeline::Pipeline(std::vector<StagePtr> stages) : stages_(std::move(stages)) {
  size_t i = 0;
  if (i < stages_.size() && stages_[i]->filter()) filter_ = static_cast<int>(i++);
  if (i < stages_.size() && stages_[i]->sort()) sort_ = static_cast<int>(i++);
  if (i < stages_.size() && stages_[i]->skip()) skip_ = static_cast<int>(i++);
  if (i < stages_.size() && stages_[i]->limit()) limit_ = static_cast<int>(i++);
  leading_end_ = i;
  needed_ = NeededBy(stages_, leading_end_);
}

const FilterNode* Pipeline::LeadingFilter() const {
  return filter_ < 0 ? nullptr : stages_[filter_]->filter();
}
const SortPattern* Pipeline::LeadingSort() const {
  return sort_ < 0 ? nullptr : stages_[sort_]->sort();
}
std::optional<int64_t> Pipeline::LeadingSkip() const {
  return skip_ < 0 ? std::nullopt : stages_[skip_]->skip();
}
std::optional<int64_t> Pipeline::LeadingLimit() const {
  return limit_ < 0 ? std::nullopt : stages_[limit_]->limit();
}

bool Pipeline::Writes() const {
  if (stages_.empty()) return false;
  std::string_view last = stages_.back()->row().name;
  return last == "$out" || last == "$merge";
}

absl::StatusOr<std::unique_ptr<Sink>> Stage::MakeSink(const Runtime&) const { return nullptr; }

absl::StatusOr<std::unique_ptr<Sink>> Pipeline::MakeSink(const Runtime& runtime) const {
  return stages_.empty() ? std::unique_ptr<Sink>() : stages_.back()->MakeSink(runtime);
}

std::vector<Namespace> Pipeline::Namespaces() const {
  std::vector<Namespace> out;
  for (const StagePtr& stage : stages_) stage->AddNamespaces(&out);
  return out;
}

absl::StatusOr<std::unique_ptr<Stream>> Pipeline::MakeStream(std::unique_ptr<Stream> source,
                                                             const Runtime& runtime,
                                                             const Done& done) const {
  std::unique_ptr<Stream> stream = std::move(source);
  for (size_t i = 0; i < stages_.size(); ++i) {
    const int index = static_cast<int>(i);
    bool is_done = (done.filter && index == filter_) || (done.sort && index == sort_) ||
                   (done.skip && index == skip_) || (done.limit && index == limit_);
    if (is_done) continue;
    MAYFLY_ASSIGN_OR_RETURN(stream, stages_[i]->MakeStream(std::move(stream), runtime));
  }
  return stream;
}

absl::StatusOr<std::unique_ptr<Stream>> Pipeline::MakeFilteredStream(const FilterNode& filter,
                                                                     const Runtime& runtime) const {
  MAYFLY_ASSIGN_OR_RETURN(auto stream, stages_[0]->MakeStream(nullptr, runtime));
  stream = MakeMatchStream(std::move(stream), filter, runtime);
  for (size_t i = 1; i < stages_.size(); ++i) {
    MAYFLY_ASSIGN_OR_RETURN(stream, stages_[i]->MakeStream(std::move(stream), runtime));
  }
  return stream;
}

bson::Value Pipeline::Serialize() const {
  ArrayBuilder out;
  for (const StagePtr& stage : stages_) out.builder().PushDocument(stage->spec());
  return out.Finish();
}

absl::Status ParseStage(std::string_view name, bson::ValueView operand,
                        const PipelineContext& context, std::vector<StagePtr>* out) {
  const StageRow* row = FindStage(name);
  if (!row)
    return base::Error(40324, base::StrCat("Unrecognized pipeline stage name: '", name, "'"));
  const absl::Status place = CheckPlace(*row, context);
  // In a $facet the errors of the stage itself come first.
  const bool parses_first =
      context.place == PipelinePlace::kFacet && row->support == base::Support::kFull;
  if (!parses_first) MAYFLY_RETURN_IF_ERROR(place);
  const size_t before = out->size();
  MAYFLY_RETURN_IF_ERROR(row->parse(operand, *row, context, out));
  MAYFLY_RETURN_IF_ERROR(place);
  for (size_t i = before; i < out->size(); ++i) {
    if (!(*out)[i]->spec().empty()) continue;
    bson::Builder spec;
    spec.Append(name, operand);
    (*out)[i]->set_spec(spec.Finish());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Pipeline>> ParsePipeline(bson::View array,
                                                        const PipelineContext& context) {
  if (context.depth > kMaxSubPipelineDepth) {
    return base::Error(base::ErrorCode::kMaxSubPipelineDepthExceeded,
                       "Maximum number of nested sub-pipelines exceeded. Limit is 20");
  }
  const size_t count = static_cast<size_t>(array.Count());
  if (count > kMaxPipelineStages) {
    return base::Error(7749501, base::StrCat("Pipeline length must be no longer than ",
                                             kMaxPipelineStages, " stages."));
  }
  std::vector<StagePtr> stages;
  std::vector<const StageRow*> rows;
  for (const bson::Element& item : array) {
    MAYFLY_ASSIGN_OR_RETURN(bson::Element element, StageElement(item.value));
    const bool text = element.key == "$match" && element.value.IsDocument() &&
                      element.value.AsDocument().Has("$text");
    if (text && !rows.empty()) {
      return base::Error(17313, "$match with $text is only allowed as the first pipeline stage");
    }
    const StageRow* row = FindStage(element.key);
    // What is only known by name cannot fail before its position does.
    const bool in_facet = context.place == PipelinePlace::kFacet;
    if (row != nullptr && row->support == base::Support::kRefused && !in_facet) {
      MAYFLY_RETURN_IF_ERROR(CheckPosition(*row, rows.size(), count));
    }
    MAYFLY_RETURN_IF_ERROR(ParseStage(element.key, element.value, context, &stages));
    rows.push_back(row);
  }
  DropEmptyFiltersBeforeNear(&stages, &rows);
  const bool needs_source = context.ns.collection.empty();
  if (needs_source) MAYFLY_RETURN_IF_ERROR(CheckSource(rows, context));
  for (size_t i = 0; i < rows.size(); ++i)
    MAYFLY_RETURN_IF_ERROR(CheckPosition(*rows[i], i, rows.size()));
  MAYFLY_RETURN_IF_ERROR(CheckSource(rows, context));
  MAYFLY_RETURN_IF_ERROR(Optimise(&stages, context));
  return std::make_unique<Pipeline>(std::move(stages));
}

absl::Status CheckMemory(const Runtime& runtime, int64_t bytes, std::string_view stage) {
  if (bytes <= runtime.memory_limit_bytes || runtime.allow_disk_use) return absl::OkStatus();
  return base::Error(base::ErrorCode::kQueryExceededMemoryLimitNoDiskUseAllowed,
                     base::StrCat("PlanExecutor error during aggregation :: caused by :: ", stage,
                                  " exceeded memory limit of ", runtime.memory_limit_bytes,
                                  " bytes, but did not opt in to external sorting."));
}

}  // namespace mayfly::engine

// Updates by a pipeline of stages that compute fields: $set, $unset, $project, $replaceWith and
// their other names.
#include <utility>

#include "base/status.h"
#include "engine/aggregate/pipeline.h"
#include "engine/expression/variables.h"
#include "engine/update/update_kinds.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;

// The one document that goes through the stages.
class OneDocument : public Stream {
 public:
  explicit OneDocument(bson::View doc) : doc_(doc) {}
  absl::StatusOr<bool> Next(Row* row) override {
    if (std::exchange(done_, true)) return false;
    row->Borrow(doc_, kNoRecord);
    return true;
  }

 private:
  bson::View doc_;
  bool done_ = false;
};

class PipelineUpdate : public Update {
 public:
  explicit PipelineUpdate(const Variables* outer)
      : variables_(outer == nullptr ? Variables() : Variables(outer)) {
    updated_fields_.all = true;
  }

  absl::Status Parse(bson::View u, const UpdateParseContext& context) {
    if (context.constants) MAYFLY_RETURN_IF_ERROR(DefineConstants(*context.constants));
    PipelineContext pipeline_context;
    pipeline_context.expressions.variables = &variables_;
    pipeline_context.expressions.evaluation = context.evaluation;
    pipeline_context.place = PipelinePlace::kUpdate;
    MAYFLY_ASSIGN_OR_RETURN(pipeline_, ParsePipeline(u, pipeline_context));
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<bson::Document>> Apply(
      bson::View doc, const UpdateApplyContext& context) const override {
    MAYFLY_ASSIGN_OR_RETURN(bson::Document result, ApplyToSeed(doc, context));
    if (result.bytes() == doc.bytes()) return std::nullopt;
    MAYFLY_RETURN_IF_ERROR(CheckUpdatedSize(result));
    return result;
  }

  bool is_pipeline() const override { return true; }
  const UpdatedFields& updated_fields() const override { return updated_fields_; }

 protected:
  absl::StatusOr<bson::Document> ApplyToSeed(bson::View seed,
                                             const UpdateApplyContext& context) const override {
    Runtime runtime;
    runtime.evaluation = context.evaluation;
    MAYFLY_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream,
                            pipeline_->MakeStream(std::make_unique<OneDocument>(seed), runtime));
    Row row;
    MAYFLY_ASSIGN_OR_RETURN(const bool any, stream->Next(&row));
    if (!any) return Error(ErrorCode::kInternalError, "the stages of an update gave no document");
    MAYFLY_ASSIGN_OR_RETURN(bson::Document result, WithIdOf(seed, row.doc()));
    MAYFLY_RETURN_IF_ERROR(CheckStoredDepth(result));
    return result;
  }

 private:
  absl::Status DefineConstants(bson::View constants) {
    for (const bson::Element& constant : constants) {
      MAYFLY_RETURN_IF_ERROR(CheckVariableNameForWrite(constant.key));
      variables_.DefineConstant(constant.key, bson::Value(constant.value));
    }
    return absl::OkStatus();
  }

  Variables variables_;
  std::unique_ptr<Pipeline> pipeline_;
  UpdatedFields updated_fields_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Update>> ParsePipelineUpdate(
    bson::View u, const UpdateParseContext& context) {
  if (!context.array_filters.empty()) {
    return Error(ErrorCode::kFailedToParse,
                 "arrayFilters may not be specified for pipeline-style updates");
  }
  auto update = std::make_unique<PipelineUpdate>(context.variables);
  MAYFLY_RETURN_IF_ERROR(update->Parse(u, context));
  return update;
}

}  // namespace mayfly::engine

// The specification of $merge.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/aggregate/sub_pipeline.h"

namespace mayfly::engine {

struct MergeSpec {
  enum class WhenMatched : uint8_t { kMerge, kReplace, kKeepExisting, kFail, kPipeline };
  enum class WhenNotMatched : uint8_t { kInsert, kDiscard, kFail };
  struct On {
    std::string dotted;
    std::vector<std::string> path;
  };

  Namespace target;
  std::vector<On> on;
  WhenMatched when_matched = WhenMatched::kMerge;
  WhenNotMatched when_not_matched = WhenNotMatched::kInsert;
  OuterVariables let;                  // `new`, and those of `let`, for the pipeline
  std::unique_ptr<Pipeline> pipeline;  // of WhenMatched::kPipeline
  // Why that is no pipeline: of interest to the first document only.
  absl::Status pipeline_error;

  bool HasIdInKey() const {
    for (const On& field : on) {
      if (field.dotted == "_id") return true;
    }
    return false;
  }
};

absl::StatusOr<MergeSpec> ParseMergeSpec(bson::ValueView operand, const PipelineContext& context);

}  // namespace mayfly::engine

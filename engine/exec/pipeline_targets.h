// Where $out and $merge write.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/aggregate/sink.h"
#include "engine/collection/write_context.h"
#include "engine/exec/execution_context.h"

namespace mayfly::engine {

// Targets in the database of one operation, and within it.
class PipelineTargets : public TargetHost {
 public:
  // `context` is of the same operation, and must outlive this and what it opens.
  PipelineTargets(const WriteContext& write, ExecutionContext& context)
      : write_(write), context_(context) {}

  absl::StatusOr<std::unique_ptr<OutTarget>> OpenOut(const Namespace& target,
                                                     std::string_view temporary) override;
  absl::StatusOr<std::unique_ptr<MergeTarget>> OpenMerge(
      const Namespace& target, const std::vector<std::string>& on) override;

 private:
  WriteContext write_;
  ExecutionContext& context_;
};

}  // namespace mayfly::engine

// What the stages $collStats, $indexStats, $currentOp, $listLocalSessions and the like report.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "commands/command.h"
#include "engine/exec/pipeline_query.h"

namespace mayfly::commands {

class PipelineReports : public engine::PipelineReporter {
 public:
  explicit PipelineReports(CommandContext& context) : context_(context) {}
  // Error: 168 for a stage that this server has no report for.
  absl::StatusOr<std::vector<bson::Document>> Report(std::string_view stage, bson::ValueView spec,
                                                     const engine::Namespace& ns) override;

 private:
  CommandContext& context_;
};

}  // namespace mayfly::commands

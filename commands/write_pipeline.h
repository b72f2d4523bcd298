// Pipelines that end in $out or $merge: into the database that they read, or into another one.
#pragma once

#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "commands/command.h"
#include "engine/exec/execution_context.h"
#include "engine/exec/pipeline_query.h"

namespace mayfly::commands {

struct PreparedPipeline {
  std::unique_ptr<engine::ExecutionContext> execution;
  std::shared_ptr<engine::PipelineQuery> query;
};

struct PipelineWriting {
  bool bypass_validation = false;
  engine::Durability durability = engine::Durability::kCommitted;
};

// The database into which a stage of a command writes: empty unless it is $out or $merge; the
// pipeline's own, `database`, if it names none.
std::string_view WrittenDatabase(const bson::Element& stage, std::string_view database);

// Within the command's operation. If it fails, that becomes the command's failure, and what it has
// written stays.
absl::Status WriteHere(CommandContext& context, const PreparedPipeline& pipeline,
                       PipelineWriting writing);

// On a worker: batches are read in operations of the one database and written in operations of the
// other, in turns, so that neither waits for the other. `prepare` is called within an operation of
// the pipeline's database, which may not exist.
absl::Status WriteAcross(CommandContext& context, PipelineWriting writing,
                         absl::FunctionRef<absl::StatusOr<PreparedPipeline>()> prepare);

}  // namespace mayfly::commands

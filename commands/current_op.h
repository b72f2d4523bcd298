// What currentOp and $currentOp show.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "commands/command.h"

namespace mayfly::commands {

// One document for each cursor that waits for its next batch.
std::vector<bson::Document> DescribeIdleCursors(const CommandContext& context);

// One document for each running operation.
absl::StatusOr<std::vector<bson::Document>> DescribeOperations(CommandContext& context);

}  // namespace mayfly::commands

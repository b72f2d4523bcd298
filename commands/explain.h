// {aggregate: ..., explain: true}: the plan instead of the documents.
#pragma once

#include "absl/status/status.h"
#include "bson/builder.h"
#include "commands/command.h"

namespace mayfly::commands {

absl::Status ExplainAggregate(CommandContext& context, bson::Builder& reply);

}  // namespace mayfly::commands

// The arguments of find, shared with explain.
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "commands/arguments.h"
#include "engine/exec/find_query.h"

namespace mayfly::commands {

std::span<const ArgSpec> FindArguments();
// Errors: 2 BadValue for negative numbers.
absl::StatusOr<engine::FindRequest> ReadFindRequest(const Arguments& arguments);

}  // namespace mayfly::commands

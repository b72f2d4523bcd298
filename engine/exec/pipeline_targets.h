// Where $out and $merge write.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/aggregate/host.h"
#include "engine/collection/write_context.h"
#include "engine/exec/execution_context.h"

namespace mayfly::engine {

// Only into the database the pipeline runs in; 20 IllegalOperation for another. 166 if the target
// is a view, 17152 if it is capped.
absl::StatusOr<std::unique_ptr<OutWriter>> MakeOutWriter(const WriteContext& write,
                                                         std::string_view database,
                                                         const Namespace& target);
absl::StatusOr<std::unique_ptr<MergeTarget>> MakeMergeTarget(const WriteContext& write,
                                                             ExecutionContext& context,
                                                             std::string_view database,
                                                             const Namespace& target,
                                                             const std::vector<std::string>& on);

}  // namespace mayfly::engine

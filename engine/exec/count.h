// How many documents there are, without looking at them where that is possible.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"

namespace mayfly::engine {

// All visible documents of the collection: the counter, less the expired part of the expiry index.
absl::StatusOr<int64_t> CountVisible(ExecutionContext& context,
                                     const std::shared_ptr<Collection>& collection);

}  // namespace mayfly::engine

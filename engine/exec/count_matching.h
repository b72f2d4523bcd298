// How many documents a query finds.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/exec/find_query.h"

namespace mayfly::engine {

// From the index alone if it can tell: if all of the filter is in its ranges and no document has
// more than one entry.
absl::StatusOr<int64_t> CountMatching(ExecutionContext& context, const FindQuery& query,
                                      const std::shared_ptr<Collection>& collection);

}  // namespace mayfly::engine

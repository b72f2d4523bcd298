// How many documents a query finds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/exec/find_query.h"

namespace mayfly::engine {

// Whether the entries in the ranges of `path` alone tell how many documents there are.
bool EntriesTellCount(const Collection& collection, const AccessPath& path);
// So many, `enough` if there are more; nullopt if the entries do not tell, or no longer.
absl::StatusOr<std::optional<int64_t>> CountEntries(ExecutionContext& context,
                                                    const Collection& collection,
                                                    const AccessPath& path, int64_t enough);

// From the index alone if it can tell: if all of the filter is in its ranges and no document has
// more than one entry.
absl::StatusOr<int64_t> CountMatching(ExecutionContext& context, const FindQuery& query,
                                      const std::shared_ptr<Collection>& collection);

}  // namespace mayfly::engine

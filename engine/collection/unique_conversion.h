// Makes an index unique that is there already: collMod's `unique`.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/collection/write_context.h"

namespace mayfly::engine {

// The `_id`s of documents that have one key of `index` in common, for each such key; at most a
// hundred keys. `index` must not be unique.
using DuplicateIds = std::vector<std::vector<bson::Value>>;
absl::StatusOr<DuplicateIds> FindDuplicates(const WriteContext& context,
                                            const Collection& collection, const Index& index);

// There must be no duplicates. Rewrites the entries without yielding, so that there will be none.
absl::Status ConvertToUnique(const WriteContext& context, Collection& collection,
                             const Index& index);

}  // namespace mayfly::engine

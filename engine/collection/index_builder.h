// Fills a new index with the entries of the documents that are there already.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "engine/collection/write_context.h"
#include "engine/index/index_keys.h"

namespace mayfly::engine {

// Adds the entries of every visible document to `index`, which must be empty and belong to
// `collection`. Errors: 11000 if the index is unique and two documents have one key, 171. The
// caller then drops the index.
absl::Status BuildIndex(const WriteContext& context, const std::shared_ptr<Collection>& collection,
                        const std::shared_ptr<const Index>& index);

// 11000 with keyPattern and keyValue, as MongoDB words it.
absl::Status DuplicateKeyError(const Collection& collection, const Index& index,
                               const IndexEntry& entry);

}  // namespace mayfly::engine

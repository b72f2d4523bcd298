// Fills a new index with the entries of the documents that are there already.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "engine/collection/write_context.h"
#include "engine/index/index_keys.h"

namespace mayfly::engine {

// Adds indexes to a collection and fills them. While it lasts others read and write: it yields,
// the indexes are marked as being built, writers keep them up from the start and nobody reads them.
// All become ready together. Errors: 11000 if an index is unique and two documents have one key,
// 171, 276 IndexBuildAborted if the collection or an index was dropped meanwhile; none of the
// indexes is there then.
absl::Status BuildIndexes(const WriteContext& context,
                          const std::shared_ptr<Collection>& collection,
                          const std::vector<IndexSpec>& specs);

// 11000 with keyPattern and keyValue, as MongoDB words it.
absl::Status DuplicateKeyError(const Collection& collection, const Index& index,
                               const IndexEntry& entry);

}  // namespace mayfly::engine

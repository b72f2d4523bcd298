// The order of $near: by distance, nearest first.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/query/near.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// The documents of `source`, which match `filter`, by their distance. Reads the source to its end
// and keeps record ids; documents are fetched again, and looked at again, when their turn comes.
// All arguments must outlive the stream.
std::unique_ptr<Stream> MakeNearStream(ExecutionContext& context,
                                       std::shared_ptr<Collection> collection,
                                       const FilterNode& filter, const Near& near,
                                       std::unique_ptr<Stream> source);

// Error 291 unless the collection has an index of the kind that `near` needs on its path.
absl::Status CheckNearIndex(const Collection& collection, const Near& near);

}  // namespace mayfly::engine

// Streams that bring documents from the store. Every one of them hides what is expired, lets others
// run when its time slice is over, notices interrupts, and fails with 175 QueryPlanKilled if its
// collection or index is dropped meanwhile.
#pragma once

#include <memory>
#include <vector>

#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/plan/access_path.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// Rows borrowed from the store, found as `path` says; `context` must outlive the stream.
std::unique_ptr<Stream> MakeScanStream(ExecutionContext& context,
                                       std::shared_ptr<Collection> collection,
                                       const AccessPath& path);

// The same, but for other paths than a collection scan the rows have nothing but record ids, of
// records that may be gone or expired.
std::unique_ptr<Stream> MakeIdStream(ExecutionContext& context,
                                     std::shared_ptr<Collection> collection,
                                     const AccessPath& path);

// Yields if the operation's time is over, and checks the interrupt. For every loop over documents.
absl::Status LetOthersRun(ExecutionContext& context);

// 175 QueryPlanKilled.
absl::Status CollectionDropped(const Collection& collection);

}  // namespace mayfly::engine

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

// The same for an index scan whose rows need the key's fields at these positions only (ascending
// numbers): they are made of the entries where those tell enough. Such rows are documents of those
// fields; where an entry does not tell, the whole document.
std::unique_ptr<Stream> MakeCoveredStream(ExecutionContext& context,
                                          std::shared_ptr<Collection> collection,
                                          const AccessPath& path, std::vector<int> fields);

// Every entry of an index stands for a document that can be seen: none is expired, and none is gone
// with its entries left for the sweep.
bool EntriesAreDocuments(const Collection& collection);

// The same as MakeScanStream, but for other paths than a collection scan the rows have nothing but
// record ids, of records that may be gone or expired.
std::unique_ptr<Stream> MakeIdStream(ExecutionContext& context,
                                     std::shared_ptr<Collection> collection,
                                     const AccessPath& path);

// Yields if the operation's time is over, and checks the interrupt. For every loop over documents.
absl::Status LetOthersRun(ExecutionContext& context);

// 175 QueryPlanKilled.
absl::Status CollectionDropped(const Collection& collection);

}  // namespace mayfly::engine

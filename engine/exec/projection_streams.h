// Streams that change what a find's documents look like.
#pragma once

#include <memory>

#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/projection/projection.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// `projection` must outlive the stream.
std::unique_ptr<Stream> MakeProjectionStream(ExecutionContext& context,
                                             const Projection& projection,
                                             std::unique_ptr<Stream> source);
// {..., $recordId: n}
std::unique_ptr<Stream> MakeRecordIdStream(std::unique_ptr<Stream> source);
// Instead of each document its fields in `index`; the empty document if `index` is null.
std::unique_ptr<Stream> MakeReturnKeyStream(ExecutionContext& context,
                                            std::shared_ptr<const Index> index,
                                            std::unique_ptr<Stream> source);

}  // namespace mayfly::engine

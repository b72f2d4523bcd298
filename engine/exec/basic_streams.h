// The streams of a find between scan and reply: filter, skip, limit.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/exec/execution_context.h"
#include "engine/query/filter.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// Rows whose document matches. `evaluation` and `filter` must outlive the stream.
std::unique_ptr<Stream> MakeFilterStream(const EvaluationContext& evaluation,
                                         const FilterNode& filter, std::unique_ptr<Stream> source);
// All rows but the first `count`.
std::unique_ptr<Stream> MakeSkipStream(int64_t count, std::unique_ptr<Stream> source);
// The first `count` rows.
std::unique_ptr<Stream> MakeLimitStream(int64_t count, std::unique_ptr<Stream> source);

}  // namespace mayfly::engine

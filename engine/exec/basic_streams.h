// The streams of a find between scan and reply: filter, skip, limit.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/query/filter.h"
#include "engine/query/text_filter.h"
#include "engine/stream/stream.h"
#include "engine/text/index.h"

namespace mayfly::engine {

// Rows whose document matches. `evaluation` and `filter` must outlive the stream.
std::unique_ptr<Stream> MakeFilterStream(const EvaluationContext& evaluation,
                                         const FilterNode& filter, std::unique_ptr<Stream> source);
// The rows with their scores. `text` must outlive the stream.
std::unique_ptr<Stream> MakeTextScoreStream(const TextSearch& text, std::unique_ptr<Stream> source);
// What the collection's text index covers; null if it has none, and for null.
std::unique_ptr<const text::Index> TextIndexOf(const Collection* collection);
// All rows but the first `count`.
std::unique_ptr<Stream> MakeSkipStream(int64_t count, std::unique_ptr<Stream> source);
// The first `count` rows.
std::unique_ptr<Stream> MakeLimitStream(int64_t count, std::unique_ptr<Stream> source);

}  // namespace mayfly::engine

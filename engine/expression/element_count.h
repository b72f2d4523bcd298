// The argument `n` of $firstN, $lastN, $maxN, $minN, $topN, $bottomN, as operators and as
// accumulators.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::engine {

// Error: 7548606 unless `n` is a positive integral number.
absl::StatusOr<int64_t> ParseElementCount(bson::ValueView n);

}  // namespace mayfly::engine

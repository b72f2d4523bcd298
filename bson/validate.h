// Checks BSON bytes from outside before anything looks into them.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "base/limits.h"

namespace mayfly::bson {

// Ok if `bytes` is exactly one well-formed document: lengths, terminators, known types, booleans 0
// or 1, at most `max_depth` nested levels. Errors: 22 InvalidBSON; 15 Overflow if nested deeper.
// UTF-8 is not checked, as MongoDB does not when it stores. One pass, linear time, recursion
// bounded by `max_depth`.
absl::Status ValidateDocument(std::string_view bytes, int max_depth = base::kMaxNestingDepth);

}  // namespace mayfly::bson

// Conversions of arguments with MongoDB's errors, shared by the operators that take numbers.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::engine {

// The number truncated to int64. Errors: 16004 for anything but a number, 31109 out of range, NaN
// or infinite.
absl::StatusOr<int64_t> CoerceToInt64(bson::ValueView value);
// A date, timestamp or ObjectId as milliseconds since 1970. Error: 16006 for anything else.
absl::StatusOr<int64_t> CoerceToDate(bson::ValueView value);
// Whether a number is integral and fits in int32.
bool IsIntegral32(bson::ValueView value);
// Whether a number is integral and fits in int64.
bool IsIntegral64(bson::ValueView value);

}  // namespace mayfly::engine

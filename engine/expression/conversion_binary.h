// The part of conversion that deals with binary data.
#pragma once

#include "engine/expression/conversion.h"

namespace mayfly::engine {

// From text, numbers or binary data.
absl::StatusOr<bson::Value> ConvertToBinary(bson::ValueView value, const ConversionTarget& target);
// To text or a number.
absl::StatusOr<bson::Value> ConvertFromBinary(bson::ValueView value,
                                              const ConversionTarget& target);

// 241: "Unsupported conversion from x to y in $convert with no onError value".
absl::Status UnsupportedConversion(bson::Type from, bson::Type to);

}  // namespace mayfly::engine

// Conversion between types, as $convert and its short forms do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::engine {

// How binary data is written as text.
enum class BinaryFormat : uint8_t { kNone, kAuto, kBase64, kBase64Url, kHex, kUtf8, kUuid };
std::optional<BinaryFormat> ParseBinaryFormat(std::string_view name);

struct ConversionTarget {
  bson::Type type = bson::Type::kString;
  uint8_t subtype = bson::kBinaryGeneric;
  BinaryFormat format = BinaryFormat::kNone;
  bool big_endian = false;
};

// `value` must not be nullish. Errors: 241 ConversionFailure for anything that cannot be converted,
// 4341115 if binary data meets text and no format is given.
absl::StatusOr<bson::Value> ConvertValue(bson::ValueView value, const ConversionTarget& target);

// The type of a name or of a number as `to` and `$type` take them. Errors: 2 unknown, 9 neither
// text nor number.
absl::StatusOr<bson::Type> ParseTargetType(bson::ValueView type);

}  // namespace mayfly::engine

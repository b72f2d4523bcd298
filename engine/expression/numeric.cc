#include "engine/expression/numeric.h"

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"

namespace mayfly::engine {

absl::StatusOr<int64_t> CoerceToInt64(bson::ValueView value) {
  if (!value.IsNumber()) {
    return base::Error(16004, base::StrCat("can't convert from BSON type ",
                                           bson::TypeName(value.type()), " to long"));
  }
  bool out_of_range = bson::IsNaN(value) || bson::IsInfinite(value);
  if (value.type() == bson::Type::kDouble) {
    constexpr double kLimit = 9223372036854775808.0;
    out_of_range = out_of_range || !(value.AsDouble() >= -kLimit && value.AsDouble() < kLimit);
  } else if (value.type() == bson::Type::kDecimal128) {
    out_of_range = out_of_range || !bson::DecimalToInt64(value.AsDecimal128());
  }
  if (out_of_range) {
    return base::Error(31109, base::StrCat("Can't coerce out of range value ",
                                           bson::ToShellText(value), " to long"));
  }
  return bson::ToInt64Truncated(value);
}

absl::StatusOr<int64_t> CoerceToDate(bson::ValueView value) {
  switch (value.type()) {
    case bson::Type::kDate:
      return value.AsDate();
    case bson::Type::kTimestamp:
      return int64_t{value.AsTimestamp().seconds} * 1000;
    case bson::Type::kObjectId: {
      const bson::ObjectId id = value.AsObjectId();
      uint32_t seconds = 0;
      for (int i = 0; i < 4; ++i) seconds = seconds << 8 | id.bytes[i];
      return int64_t{static_cast<int32_t>(seconds)} * 1000;
    }
    default:
      return base::Error(16006, base::StrCat("can't convert from BSON type ",
                                             bson::TypeName(value.type()), " to Date"));
  }
}

bool IsIntegral32(bson::ValueView value) {
  if (!value.IsNumber()) return false;
  std::optional<int64_t> exact = bson::ToInt64Exact(value);
  return exact && *exact >= INT32_MIN && *exact <= INT32_MAX;
}

bool IsIntegral64(bson::ValueView value) {
  return value.IsNumber() && bson::ToInt64Exact(value).has_value();
}

}  // namespace mayfly::engine

#include "engine/expression/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/time/time.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

// "inf", "nan", "1.23457", "1e+06".
std::string ShortDoubleText(double v) {
  if (std::isnan(v)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%g", v);
  return text;
}

// "Jan  1 00:00:00:0", with the increment at the end.
std::string TimestampText(bson::Timestamp t) {
  absl::Time time = absl::FromUnixSeconds(t.seconds);
  return base::StrCat(absl::FormatTime("%b %e %H:%M:%S", time, absl::UTCTimeZone()), ":",
                      t.increment);
}

}  // namespace

std::string DoubleText(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v > 0 ? "Infinity" : "-Infinity";
  constexpr int kMaxDigits = 17, kExponentFrom = 16;
  char text[40];
  int digits = 1;
  for (; digits < kMaxDigits; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits - 1, v);
    if (std::strtod(text, nullptr) == v) break;
  }
  const int exponent = v == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(v))));
  if (exponent < kExponentFrom) digits = std::max(digits, exponent + 1);
  std::snprintf(text, sizeof text, "%.*g", digits, v);
  return text;
}

std::string DateText(int64_t ms) {
  return absl::FormatTime("%E4Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixMillis(ms), absl::UTCTimeZone());
}

absl::StatusOr<std::string> CoerceToText(bson::ValueView value) {
  switch (value.type()) {
    case bson::Type::kMissing:
    case bson::Type::kNull:
    case bson::Type::kUndefined:
      return std::string();
    case bson::Type::kString:
    case bson::Type::kSymbol:
    case bson::Type::kCode:
      return std::string(value.AsString());
    case bson::Type::kDouble:
      return ShortDoubleText(value.AsDouble());
    case bson::Type::kInt32:
      return std::to_string(value.AsInt32());
    case bson::Type::kInt64:
      return std::to_string(value.AsInt64());
    case bson::Type::kDecimal128:
      return bson::DecimalToString(value.AsDecimal128());
    case bson::Type::kDate:
      return DateText(value.AsDate());
    case bson::Type::kTimestamp:
      return TimestampText(value.AsTimestamp());
    default:
      return base::Error(16007, base::StrCat("can't convert from BSON type ",
                                             bson::TypeName(value.type()), " to String"));
  }
}

size_t CharacterSize(char c) {
  const unsigned char byte = static_cast<unsigned char>(c);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

int64_t CountCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); });
}

absl::StatusOr<bson::Value> TextResult(std::string_view text) {
  if (text.size() >= static_cast<size_t>(base::kMaxBsonObjectSize)) {
    return base::Error(16493, "Tried to create string longer than 16MB");
  }
  return bson::Value::String(text);
}

}  // namespace mayfly::engine

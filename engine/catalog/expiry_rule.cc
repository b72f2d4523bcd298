#include "engine/catalog/expiry_rule.h"

#include <cmath>
#include <limits>

#include "bson/number.h"

namespace mayfly::engine {
namespace {

// Seconds of the year 5138; as milliseconds this is March 1973.
constexpr double kLooksLikeMilliseconds = 1e11;
constexpr int64_t kMaxEpochSeconds = std::numeric_limits<int64_t>::max() / 1000;

constexpr int64_t kMaxTtl = std::numeric_limits<int32_t>::max();

TtlDefect CheckRange(int64_t seconds) {
  return seconds == kNeverExpires || (seconds >= 1 && seconds <= kMaxTtl) ? TtlDefect::kNone
                                                                          : TtlDefect::kRange;
}

TtlDefect CheckDouble(double seconds) {
  if (!std::isfinite(seconds)) return TtlDefect::kRange;
  if (seconds != std::trunc(seconds)) return TtlDefect::kFraction;
  if (std::fabs(seconds) > static_cast<double>(kMaxTtl)) return TtlDefect::kRange;
  return CheckRange(static_cast<int64_t>(seconds));
}

int32_t ValidSeconds(bson::ValueView ttl) {
  if (ttl.type() == bson::Type::kInt32) return ttl.AsInt32();
  if (ttl.type() == bson::Type::kInt64) return static_cast<int32_t>(ttl.AsInt64());
  return static_cast<int32_t>(ttl.AsDouble());
}

}  // namespace

TtlDefect ClassifyTtl(bson::ValueView ttl) {
  if (ttl.IsMissing()) return TtlDefect::kAbsent;
  if (ttl.type() == bson::Type::kInt32) return CheckRange(ttl.AsInt32());
  if (ttl.type() == bson::Type::kInt64) return CheckRange(ttl.AsInt64());
  if (ttl.type() == bson::Type::kDouble) return CheckDouble(ttl.AsDouble());
  return TtlDefect::kType;
}

std::optional<int32_t> OwnTtl(bson::View document) {
  const bson::ValueView ttl = document.Find("ttl");
  if (ClassifyTtl(ttl) != TtlDefect::kNone) return std::nullopt;
  return ValidSeconds(ttl);
}

std::optional<int64_t> EpochMomentMs(bson::ValueView value) {
  if (!value.IsNumber() || bson::IsNaN(value) || bson::IsInfinite(value)) return std::nullopt;
  const int64_t seconds = bson::ToInt64Truncated(value);
  if (seconds < 0 || seconds > kMaxEpochSeconds) return std::nullopt;
  return seconds * 1000;
}

bool LooksLikeMilliseconds(bson::ValueView value) {
  return value.IsNumber() && bson::ToDouble(value) >= kLooksLikeMilliseconds;
}

}  // namespace mayfly::engine

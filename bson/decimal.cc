// Decimal128 through the Intel decimal floating-point library, built to take arguments by value and
// the rounding mode and the exception flags as arguments. BSON's encoding of a decimal is that
// library's.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <string>

#include "bson/number.h"

#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>
#include <bson/bson.h>

namespace mayfly::bson {
namespace {

constexpr unsigned kHalfEven = BID_ROUNDING_TO_NEAREST;
constexpr int kExponentBias = 6176;
constexpr int kMaxBiasedExponent = 12287;

BID_UINT128 In(Decimal128 v) {
  BID_UINT128 x;
  x.w[0] = v.low;
  x.w[1] = v.high;
  return x;
}

Decimal128 Out(BID_UINT128 x) { return {x.w[0], x.w[1]}; }

unsigned Mode(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::kTowardZero:
      return BID_ROUNDING_TO_ZERO;
    case RoundingMode::kDown:
      return BID_ROUNDING_DOWN;
    case RoundingMode::kUp:
      return BID_ROUNDING_UP;
    case RoundingMode::kHalfEven:
      return BID_ROUNDING_TO_NEAREST;
  }
  return BID_ROUNDING_TO_NEAREST;
}

size_t CountDigits(std::string_view text) {
  const auto end =
      std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
  return static_cast<size_t>(end - text.begin());
}

// digits [ "." digits ] [ ("e" | "E") [sign] digits ], with a digit on at least one side of the
// point.
bool IsDecimalNumeral(std::string_view text) {
  const size_t whole = CountDigits(text);
  text.remove_prefix(whole);
  size_t fraction = 0;
  if (!text.empty() && text[0] == '.') {
    fraction = CountDigits(text.substr(1));
    text.remove_prefix(1 + fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return !text.empty() && CountDigits(text) == text.size();
}

bool IsSpecialNumeral(std::string_view text) {
  std::string lower(text.substr(0, 9));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.size() <= 8 && (lower == "inf" || lower == "infinity" || lower == "nan");
}

}  // namespace

Decimal128 DecimalFromInt64(int64_t v) { return Out(bid128_from_int64(v)); }

Decimal128 DecimalFromDouble(double v, int digits) {
  _IDEC_flags flags = 0;
  if (v == 0 || !std::isfinite(v) || digits >= 34) {
    return Out(binary64_to_bid128(v, kHalfEven, &flags));
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", digits - 1, v);
  return Out(bid128_from_string(text, kHalfEven, &flags));
}

std::optional<Decimal128> DecimalFromString(std::string_view text) {
  std::string_view unsigned_text = text;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) unsigned_text.remove_prefix(1);
  if (!IsDecimalNumeral(unsigned_text) && !IsSpecialNumeral(unsigned_text)) return std::nullopt;
  std::string buffer(text);
  _IDEC_flags flags = 0;
  const BID_UINT128 v = bid128_from_string(buffer.data(), kHalfEven, &flags);
  if ((flags & (BID_OVERFLOW_EXCEPTION | BID_UNDERFLOW_EXCEPTION)) != 0) return std::nullopt;
  return Out(v);
}

std::string DecimalToString(Decimal128 v) {
  bson_decimal128_t d;
  d.low = v.low;
  d.high = v.high;
  char text[BSON_DECIMAL128_STRING];
  bson_decimal128_to_string(&d, text);
  return text;
}

double DecimalToDouble(Decimal128 v) {
  _IDEC_flags flags = 0;
  return bid128_to_binary64(In(v), kHalfEven, &flags);
}

TruncatedDouble DecimalToDoubleTowardZero(Decimal128 v) {
  _IDEC_flags flags = 0;
  const double value = bid128_to_binary64(In(v), BID_ROUNDING_TO_ZERO, &flags);
  return {value, (flags & BID_INEXACT_EXCEPTION) == 0};
}

DecimalParts ToParts(Decimal128 v) {
  DecimalParts parts;
  parts.negative = (v.high >> 63) != 0;
  // The encoding whose combination field starts with 11 holds only coefficients of more than 34
  // digits.
  const bool oversized = ((v.high >> 61) & 3) == 3;
  parts.exponent = static_cast<int>((v.high >> (oversized ? 47 : 49)) & 0x3FFF) - kExponentBias;
  if (!oversized && !DecimalIsZero(v)) {
    const uint64_t high = v.high & ((uint64_t{1} << 49) - 1);
    parts.coefficient = (static_cast<Uint128>(high) << 64) | v.low;
  }
  return parts;
}

Decimal128 FromParts(const DecimalParts& parts) {
  const auto exponent = static_cast<uint64_t>(parts.exponent + kExponentBias);
  return {static_cast<uint64_t>(parts.coefficient),
          static_cast<uint64_t>(parts.coefficient >> 64) | exponent << 49 |
              static_cast<uint64_t>(parts.negative) << 63};
}

Decimal128 DecimalAdd(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return Out(bid128_add(In(a), In(b), kHalfEven, &flags));
}

Decimal128 DecimalSubtract(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return Out(bid128_sub(In(a), In(b), kHalfEven, &flags));
}

Decimal128 DecimalMultiply(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return Out(bid128_mul(In(a), In(b), kHalfEven, &flags));
}

Decimal128 DecimalDivide(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return Out(bid128_div(In(a), In(b), kHalfEven, &flags));
}

Decimal128 DecimalMod(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return Out(bid128_fmod(In(a), In(b), &flags));
}

int DecimalCompare(Decimal128 a, Decimal128 b) {
  const bool a_nan = DecimalIsNaN(a), b_nan = DecimalIsNaN(b);
  if (a_nan || b_nan) return static_cast<int>(b_nan) - static_cast<int>(a_nan);
  _IDEC_flags flags = 0;
  if (bid128_quiet_less(In(a), In(b), &flags)) return -1;
  return bid128_quiet_greater(In(a), In(b), &flags) ? 1 : 0;
}

int DecimalCompareDouble(Decimal128 a, double b) {
  const bool a_nan = DecimalIsNaN(a), b_nan = std::isnan(b);
  if (a_nan || b_nan) return static_cast<int>(b_nan) - static_cast<int>(a_nan);
  _IDEC_flags flags = 0;
  const BID_UINT128 cut = binary64_to_bid128(b, BID_ROUNDING_TO_ZERO, &flags);
  const int order = DecimalCompare(a, Out(cut));
  // A double of more than 34 digits lies beyond `cut`, and below every larger decimal.
  if ((flags & BID_INEXACT_EXCEPTION) == 0) return order;
  return b > 0 ? (order <= 0 ? -1 : 1) : (order >= 0 ? 1 : -1);
}

bool DecimalIsNaN(Decimal128 v) { return bid128_isNaN(In(v)) != 0; }
bool DecimalIsInfinite(Decimal128 v) { return bid128_isInf(In(v)) != 0; }
bool DecimalIsZero(Decimal128 v) { return bid128_isZero(In(v)) != 0; }
bool DecimalIsNegative(Decimal128 v) { return bid128_isSigned(In(v)) != 0; }

Decimal128 DecimalRound(Decimal128 v, RoundingMode mode) {
  _IDEC_flags flags = 0;
  return Out(bid128_round_integral_exact(In(v), Mode(mode), &flags));
}

Decimal128 DecimalQuantize(Decimal128 v, int place, RoundingMode mode) {
  const int exponent = std::clamp(kExponentBias - place, 0, kMaxBiasedExponent);
  const Decimal128 unit{1, static_cast<uint64_t>(exponent) << 49};
  _IDEC_flags flags = 0;
  const BID_UINT128 rounded = bid128_quantize(In(v), In(unit), Mode(mode), &flags);
  return (flags & BID_INVALID_EXCEPTION) != 0 ? v : Out(rounded);
}

std::optional<int64_t> DecimalToInt64(Decimal128 v) {
  _IDEC_flags flags = 0;
  const BID_SINT64 result = bid128_to_int64_int(In(v), &flags);
  if ((flags & BID_INVALID_EXCEPTION) != 0) return std::nullopt;
  return result;
}

Decimal128 DecimalApply(DecimalFunction f, Decimal128 v) {
  _IDEC_flags flags = 0;
  const BID_UINT128 x = In(v);
  switch (f) {
    case DecimalFunction::kAbs:
      return Out(bid128_abs(x));
    case DecimalFunction::kExp:
      return Out(bid128_exp(x, kHalfEven, &flags));
    case DecimalFunction::kLn:
      return Out(bid128_log(x, kHalfEven, &flags));
    case DecimalFunction::kLog10:
      return Out(bid128_log10(x, kHalfEven, &flags));
    case DecimalFunction::kSqrt:
      return Out(bid128_sqrt(x, kHalfEven, &flags));
    case DecimalFunction::kSin:
      return Out(bid128_sin(x, kHalfEven, &flags));
    case DecimalFunction::kCos:
      return Out(bid128_cos(x, kHalfEven, &flags));
    case DecimalFunction::kTan:
      return Out(bid128_tan(x, kHalfEven, &flags));
    case DecimalFunction::kAsin:
      return Out(bid128_asin(x, kHalfEven, &flags));
    case DecimalFunction::kAcos:
      return Out(bid128_acos(x, kHalfEven, &flags));
    case DecimalFunction::kAtan:
      return Out(bid128_atan(x, kHalfEven, &flags));
    case DecimalFunction::kSinh:
      return Out(bid128_sinh(x, kHalfEven, &flags));
    case DecimalFunction::kCosh:
      return Out(bid128_cosh(x, kHalfEven, &flags));
    case DecimalFunction::kTanh:
      return Out(bid128_tanh(x, kHalfEven, &flags));
    case DecimalFunction::kAsinh:
      return Out(bid128_asinh(x, kHalfEven, &flags));
    case DecimalFunction::kAcosh:
      return Out(bid128_acosh(x, kHalfEven, &flags));
    case DecimalFunction::kAtanh:
      return Out(bid128_atanh(x, kHalfEven, &flags));
  }
  return v;
}

Decimal128 DecimalPow(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return Out(bid128_pow(In(a), In(b), kHalfEven, &flags));
}

Decimal128 DecimalAtan2(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return Out(bid128_atan2(In(a), In(b), kHalfEven, &flags));
}

}  // namespace mayfly::bson

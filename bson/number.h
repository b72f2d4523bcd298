// Arithmetic and conversion over the four numeric types, with MongoDB's promotion rules:
// int32 -> int64 on overflow -> double; any double makes double; any decimal128 makes decimal128.
// Decimal arithmetic is the Intel library's, rounding half to even, as mongod's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bson/types.h"
#include "bson/value.h"
#include "bson/view.h"

namespace mayfly::bson {

// All arguments must be numbers (ValueView::IsNumber). int64 overflow of Add, Subtract and Multiply
// gives a double, as in aggregation; the *Exact forms give nullopt then, as `$inc` and `$mul` need
// (an error for the caller).
Value Add(ValueView a, ValueView b);
Value Subtract(ValueView a, ValueView b);
Value Multiply(ValueView a, ValueView b);
std::optional<Value> AddExact(ValueView a, ValueView b);
std::optional<Value> MultiplyExact(ValueView a, ValueView b);

// < 0, 0, > 0 by exact value; NaN equals NaN and is below all others.
int CompareNumbers(ValueView a, ValueView b);

bool IsNaN(ValueView number);
bool IsInfinite(ValueView number);
// Truthiness of a number: not zero (NaN is true).
bool IsNonZero(ValueView number);

// Conversions. ToDouble rounds. ToInt64Truncated cuts the fraction, clamps to the int64 range, and
// makes NaN 0. ToInt64Exact: nullopt unless the number is integral and fits. ToDecimal is exact for
// integers, 15 digits for doubles.
double ToDouble(ValueView number);
int64_t ToInt64Truncated(ValueView number);
// As commands read their numbers: like ToInt64Truncated, but decimals are rounded half to even.
int64_t ToInt64Rounded(ValueView number);
std::optional<int64_t> ToInt64Exact(ValueView number);
Decimal128 ToDecimal(ValueView number);

// Decimal128 alone.
Decimal128 DecimalFromInt64(int64_t v);
// With `digits` significant digits: 15 as MongoDB's default conversion, 17 for round trips.
Decimal128 DecimalFromDouble(double v, int digits = 15);
// Decimal or scientific notation, "inf", "infinity" or "nan" in any case, with an optional sign.
// More than 34 digits are rounded. nullopt if the text is anything else, or if its value is too
// large or too small for a decimal.
std::optional<Decimal128> DecimalFromString(std::string_view text);
// Scientific notation only where MongoDB uses it: "1.50", "1E+3", "-Infinity", "NaN".
std::string DecimalToString(Decimal128 v);
double DecimalToDouble(Decimal128 v);
// The double nearest to `v` among those not beyond it, seen from zero; `exact` if it equals `v`.
struct TruncatedDouble {
  double value = 0;
  bool exact = true;
};
TruncatedDouble DecimalToDoubleTowardZero(Decimal128 v);
// The finite decimal (-1)^negative * coefficient * 10^exponent, which must be representable.
__extension__ using Uint128 = unsigned __int128;
struct DecimalParts {
  bool negative = false;
  int exponent = 0;  // -6176 to 6111
  Uint128 coefficient = 0;
};
// `v` must be finite. Coefficients beyond 34 digits count as zero, as IEEE 754 has it.
DecimalParts ToParts(Decimal128 v);
Decimal128 FromParts(const DecimalParts& parts);
Decimal128 DecimalAdd(Decimal128 a, Decimal128 b);
Decimal128 DecimalSubtract(Decimal128 a, Decimal128 b);
Decimal128 DecimalMultiply(Decimal128 a, Decimal128 b);
Decimal128 DecimalDivide(Decimal128 a, Decimal128 b);
// Remainder with the sign of the dividend, as C's fmod.
Decimal128 DecimalMod(Decimal128 a, Decimal128 b);
// -1, 0, 1; NaN equals NaN and is below all others.
int DecimalCompare(Decimal128 a, Decimal128 b);
// The same between a decimal and a double by their exact values: Decimal128("0.1") is below the
// double 0.1.
int DecimalCompareDouble(Decimal128 a, double b);
bool DecimalIsNaN(Decimal128 v);
bool DecimalIsInfinite(Decimal128 v);
bool DecimalIsZero(Decimal128 v);
bool DecimalIsNegative(Decimal128 v);
// To an integral value; towards zero, down, up, or half to even.
enum class RoundingMode { kTowardZero, kDown, kUp, kHalfEven };
Decimal128 DecimalRound(Decimal128 v, RoundingMode mode);
// Rounds to `place` digits after the point (negative: before it). Unchanged if that would take more
// than 34 digits, and if `v` is NaN or infinite.
Decimal128 DecimalQuantize(Decimal128 v, int place, RoundingMode mode);
// Truncated towards zero; nullopt for NaN, infinities and values out of range.
std::optional<int64_t> DecimalToInt64(Decimal128 v);
// The functions of the expression language; arguments and results as the C functions of the same
// names.
enum class DecimalFunction {
  kAbs,
  kExp,
  kLn,
  kLog10,
  kSqrt,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh
};
Decimal128 DecimalApply(DecimalFunction f, Decimal128 v);
Decimal128 DecimalPow(Decimal128 a, Decimal128 b);
Decimal128 DecimalAtan2(Decimal128 a, Decimal128 b);

}  // namespace mayfly::bson

// Trigonometry: $sin ... $atanh, $atan2, $degreesToRadians, $radiansToDegrees.
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::Value;
using bson::ValueView;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where a function is defined; NaN is always allowed and gives NaN.
struct Domain {
  double lowest;
  double highest;
  bool bounds_included;
};
constexpr Domain kEverywhere{-kInfinity, kInfinity, true};
constexpr Domain kFinite{-kInfinity, kInfinity, false};
constexpr Domain kUnit{-1, 1, true};
constexpr Domain kAboveOne{1, kInfinity, true};

bool IsInside(double v, const Domain& domain) {
  if (std::isnan(v)) return true;
  if (domain.bounds_included) return v >= domain.lowest && v <= domain.highest;
  return v > domain.lowest && v < domain.highest;
}

template <double (*OnDouble)(double), bson::DecimalFunction kOnDecimal, const Domain& kDomain>
absl::StatusOr<Value> Function(Arguments a, const Call& call) {
  ValueView v = a[0];
  if (v.IsNullish()) return Value::Null();
  if (!v.IsNumber()) {
    return base::Error(28765, base::StrCat(call.name, " only supports numeric types, not ",
                                           bson::TypeName(v.type())));
  }
  if (!IsInside(bson::ToDouble(v), kDomain)) {
    return base::Error(50989, base::StrCat("cannot apply ", call.name, " to ", ValueText(v),
                                           ", value must be in its domain"));
  }
  if (v.type() == Type::kDecimal128)
    return Value::FromDecimal128(bson::DecimalApply(kOnDecimal, v.AsDecimal128()));
  return Value::Double(OnDouble(bson::ToDouble(v)));
}

absl::StatusOr<Value> Atan2(Arguments a, const Call& call) {
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  for (size_t i = 0; i < 2; ++i) {
    if (a[i].IsNumber()) continue;
    return base::Error(
        i == 0 ? 51044 : 51045,
        base::StrCat("$atan2 only supports numeric types, not ", bson::TypeName(a[i].type())));
  }
  if (a[0].type() == Type::kDecimal128 || a[1].type() == Type::kDecimal128) {
    return Value::FromDecimal128(bson::DecimalAtan2(bson::ToDecimal(a[0]), bson::ToDecimal(a[1])));
  }
  return Value::Double(std::atan2(bson::ToDouble(a[0]), bson::ToDouble(a[1])));
}

bson::Decimal128 DecimalPi() {
  return *bson::DecimalFromString("3.141592653589793238462643383279503");
}

enum class Angle { kToRadians, kToDegrees };

template <Angle kAngle>
absl::StatusOr<Value> ConvertAngle(Arguments a, const Call& call) {
  ValueView v = a[0];
  if (v.IsNullish()) return Value::Null();
  if (!v.IsNumber()) {
    return base::Error(28765, base::StrCat(call.name, " only supports numeric types, not ",
                                           bson::TypeName(v.type())));
  }
  if (v.type() == Type::kDecimal128) {
    const bson::Decimal128 half_turn = bson::DecimalFromInt64(180);
    bson::Decimal128 factor = kAngle == Angle::kToRadians
                                  ? bson::DecimalDivide(DecimalPi(), half_turn)
                                  : bson::DecimalDivide(half_turn, DecimalPi());
    return Value::FromDecimal128(bson::DecimalMultiply(v.AsDecimal128(), factor));
  }
  constexpr double kPi = 3.14159265358979323846;
  return Value::Double(bson::ToDouble(v) * (kAngle == Angle::kToRadians ? kPi / 180 : 180 / kPi));
}

using F = bson::DecimalFunction;

constexpr OperatorRow kRows[] = {
    {"$acos", 1, 1, Function<std::acos, F::kAcos, kUnit>, nullptr, "the arc cosine, in radians"},
    {"$acosh", 1, 1, Function<std::acosh, F::kAcosh, kAboveOne>, nullptr,
     "the inverse hyperbolic cosine"},
    {"$asin", 1, 1, Function<std::asin, F::kAsin, kUnit>, nullptr, "the arc sine, in radians"},
    {"$asinh", 1, 1, Function<std::asinh, F::kAsinh, kEverywhere>, nullptr,
     "the inverse hyperbolic sine"},
    {"$atan", 1, 1, Function<std::atan, F::kAtan, kEverywhere>, nullptr,
     "the arc tangent, in radians"},
    {"$atan2", 2, 2, Atan2, nullptr, "the angle of the point (x, y) given as y and x, in radians"},
    {"$atanh", 1, 1, Function<std::atanh, F::kAtanh, kUnit>, nullptr,
     "the inverse hyperbolic tangent"},
    {"$cos", 1, 1, Function<std::cos, F::kCos, kFinite>, nullptr,
     "the cosine of an angle in radians"},
    {"$cosh", 1, 1, Function<std::cosh, F::kCosh, kEverywhere>, nullptr, "the hyperbolic cosine"},
    {"$degreesToRadians", 1, 1, ConvertAngle<Angle::kToRadians>, nullptr, "degrees as radians"},
    {"$radiansToDegrees", 1, 1, ConvertAngle<Angle::kToDegrees>, nullptr, "radians as degrees"},
    {"$sin", 1, 1, Function<std::sin, F::kSin, kFinite>, nullptr,
     "the sine of an angle in radians"},
    {"$sinh", 1, 1, Function<std::sinh, F::kSinh, kEverywhere>, nullptr, "the hyperbolic sine"},
    {"$tan", 1, 1, Function<std::tan, F::kTan, kFinite>, nullptr,
     "the tangent of an angle in radians"},
    {"$tanh", 1, 1, Function<std::tanh, F::kTanh, kEverywhere>, nullptr, "the hyperbolic tangent"},
};

}  // namespace

absl::Span<const OperatorRow> TrigonometryOperators() { return kRows; }

}  // namespace mayfly::engine

// Arithmetic: $add, $subtract, $multiply, $divide, $mod, $pow, $log and the functions of one
// number.
#include "bson/number.h"

#include <cmath>

#include "base/strings.h"
#include "bson/json.h"
#include "engine/expression/number_sum.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using base::ErrorCode;
using bson::Type;
using bson::Value;
using bson::ValueView;

bool IsDecimal(ValueView v) { return v.type() == Type::kDecimal128; }
bool IsDouble(ValueView v) { return v.type() == Type::kDouble; }
bool IsDate(ValueView v) { return v.type() == Type::kDate; }

absl::Status OnlyNumbers(const Call& call, ValueView value,
                         int code = static_cast<int>(ErrorCode::kTypeMismatch)) {
  return base::Error(code, base::StrCat(call.name, " only supports numeric types, not ",
                                        bson::TypeName(value.type())));
}

absl::Status DateOverflow(const Call& call) {
  return base::Error(ErrorCode::kOverflow, base::StrCat("date overflow in ", call.name));
}

// What adding `number` to a date adds: whole milliseconds, rounded.
absl::StatusOr<int64_t> Milliseconds(ValueView number, const Call& call) {
  if (IsDouble(number)) {
    double v = number.AsDouble();
    constexpr double kLimit = 9223372036854775808.0;
    if (!(v >= -kLimit && v < kLimit)) return DateOverflow(call);
    return std::llround(v);
  }
  if (IsDecimal(number)) {
    bson::Decimal128 rounded =
        bson::DecimalRound(number.AsDecimal128(), bson::RoundingMode::kHalfEven);
    std::optional<int64_t> ms = bson::DecimalToInt64(rounded);
    if (!ms) return DateOverflow(call);
    return *ms;
  }
  return bson::ToInt64Truncated(number);
}

absl::StatusOr<Value> Add(Arguments a, const Call& call) {
  NumberSum sum;
  bool has_date = false;
  int64_t date = 0;
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
    int64_t ms = 0;
    if (IsDate(v)) {
      if (has_date) return base::Error(16612, "only one date allowed in an $add expression");
      has_date = true;
      Value before = sum.Result();
      MAYFLY_ASSIGN_OR_RETURN(date, Milliseconds(before, call));
      ms = v.AsDate();
    } else if (!v.IsNumber()) {
      return base::Error(
          ErrorCode::kTypeMismatch,
          base::StrCat("$add only supports numeric or date types, not ", bson::TypeName(v.type())));
    } else if (!has_date) {
      sum.Add(v);
      continue;
    } else {
      MAYFLY_ASSIGN_OR_RETURN(ms, Milliseconds(v, call));
    }
    if (__builtin_add_overflow(date, ms, &date)) return DateOverflow(call);
  }
  if (has_date) return Value::Date(date);
  return sum.Result();
}

absl::StatusOr<Value> Subtract(Arguments a, const Call& call) {
  if (a[0].IsNumber() && a[1].IsNumber()) return bson::Subtract(a[0], a[1]);
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  if (!IsDate(a[0]) || (!IsDate(a[1]) && !a[1].IsNumber())) {
    return base::Error(ErrorCode::kTypeMismatch,
                       base::StrCat("can't $subtract ", bson::TypeName(a[1].type()), " from ",
                                    bson::TypeName(a[0].type())));
  }
  int64_t right = 0, result = 0;
  if (IsDate(a[1])) {
    right = a[1].AsDate();
  } else {
    MAYFLY_ASSIGN_OR_RETURN(right, Milliseconds(a[1], call));
  }
  if (__builtin_sub_overflow(a[0].AsDate(), right, &result)) return DateOverflow(call);
  return IsDate(a[1]) ? Value::Int64(result) : Value::Date(result);
}

absl::StatusOr<Value> Multiply(Arguments a, const Call& call) {
  Value product = Value::Int32(1);
  bool all_int32 = true;
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
    if (!v.IsNumber()) return OnlyNumbers(call, v);
    all_int32 = all_int32 && v.type() == Type::kInt32;
    product = bson::Multiply(product, v);
  }
  if (all_int32 && product.type() == Type::kInt64)
    return Value::IntFitting(product.view().AsInt64());
  return product;
}

absl::StatusOr<Value> Divide(Arguments a, const Call&) {
  if (a[0].IsNumber() && a[1].IsNumber()) {
    if (!bson::IsNonZero(a[1])) return base::Error(ErrorCode::kBadValue, "can't $divide by zero");
    if (IsDecimal(a[0]) || IsDecimal(a[1])) {
      return Value::FromDecimal128(
          bson::DecimalDivide(bson::ToDecimal(a[0]), bson::ToDecimal(a[1])));
    }
    return Value::Double(bson::ToDouble(a[0]) / bson::ToDouble(a[1]));
  }
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  return base::Error(
      ErrorCode::kTypeMismatch,
      base::StrCat("$divide only supports numeric types, not ", bson::TypeName(a[0].type()),
                   " and ", bson::TypeName(a[1].type())));
}

Value ModNumbers(ValueView left, ValueView right) {
  if (IsDecimal(left) || IsDecimal(right)) {
    return Value::FromDecimal128(bson::DecimalMod(bson::ToDecimal(left), bson::ToDecimal(right)));
  }
  if (IsDouble(left) || IsDouble(right)) {
    return Value::Double(std::fmod(bson::ToDouble(left), bson::ToDouble(right)));
  }
  int64_t divisor = bson::ToInt64Truncated(right);
  int64_t remainder = divisor == -1 ? 0 : bson::ToInt64Truncated(left) % divisor;
  if (left.type() == Type::kInt64 || right.type() == Type::kInt64) return Value::Int64(remainder);
  return Value::Int32(static_cast<int32_t>(remainder));
}

absl::StatusOr<Value> Mod(Arguments a, const Call&) {
  if (a[0].IsNumber() && a[1].IsNumber()) {
    if (!bson::IsNonZero(a[1])) {
      int code = IsDecimal(a[0]) || IsDecimal(a[1]) ? 5733415 : 16610;
      return base::Error(code, "can't $mod by zero");
    }
    return ModNumbers(a[0], a[1]);
  }
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  return base::Error(
      16611, base::StrCat("$mod only supports numeric types, not ", bson::TypeName(a[0].type()),
                          " and ", bson::TypeName(a[1].type())));
}

// base^exponent if it fits in int64.
std::optional<int64_t> IntegerPower(int64_t base, int64_t exponent) {
  if (base == 1 || exponent == 0) return 1;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent < 0) return std::nullopt;
  if (base == 0) return 0;
  int64_t result = 1;
  for (int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

absl::StatusOr<Value> Pow(Arguments a, const Call& call) {
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  if (!a[0].IsNumber()) {
    return base::Error(
        28762, base::StrCat("$pow's base must be numeric, not ", bson::TypeName(a[0].type())));
  }
  if (!a[1].IsNumber()) {
    return base::Error(
        28763, base::StrCat("$pow's exponent must be numeric, not ", bson::TypeName(a[1].type())));
  }
  Value zero = Value::Int32(0);
  if (!bson::IsNonZero(a[0]) && !bson::IsNaN(a[1]) && bson::CompareNumbers(a[1], zero) < 0) {
    return base::Error(28764, "$pow cannot take a base of 0 and a negative exponent");
  }
  if (IsDecimal(a[0]) || IsDecimal(a[1])) {
    // Adding the smallest zero gives the result all its digits.
    const bson::Decimal128 smallest_zero{};
    const bson::Decimal128 power = bson::DecimalPow(bson::ToDecimal(a[0]), bson::ToDecimal(a[1]));
    return Value::FromDecimal128(bson::DecimalAdd(power, smallest_zero));
  }
  if (!IsDouble(a[0]) && !IsDouble(a[1])) {
    std::optional<int64_t> exact =
        IntegerPower(bson::ToInt64Truncated(a[0]), bson::ToInt64Truncated(a[1]));
    bool any_int64 = a[0].type() == Type::kInt64 || a[1].type() == Type::kInt64;
    if (exact) return any_int64 ? Value::Int64(*exact) : Value::IntFitting(*exact);
  }
  return Value::Double(std::pow(bson::ToDouble(a[0]), bson::ToDouble(a[1])));
}

absl::StatusOr<Value> Log(Arguments a, const Call&) {
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  if (!a[0].IsNumber()) {
    return base::Error(
        28756, base::StrCat("$log's argument must be numeric, not ", bson::TypeName(a[0].type())));
  }
  if (!a[1].IsNumber()) {
    return base::Error(
        28757, base::StrCat("$log's base must be numeric, not ", bson::TypeName(a[1].type())));
  }
  Value zero = Value::Int32(0), one = Value::Int32(1);
  if (!bson::IsNaN(a[0]) && bson::CompareNumbers(a[0], zero) <= 0) {
    return base::Error(
        28758, base::StrCat("$log's argument must be a positive number, but is ", ValueText(a[0])));
  }
  bool low_base = bson::CompareNumbers(a[1], zero) <= 0 || bson::CompareNumbers(a[1], one) == 0;
  if (!bson::IsNaN(a[1]) && low_base) {
    return base::Error(28759,
                       base::StrCat("$log's base must be a positive number not equal to 1, but is ",
                                    ValueText(a[1])));
  }
  if (bson::IsNaN(a[0]) || bson::IsNaN(a[1])) return Value::Double(std::nan(""));
  if (IsDecimal(a[0]) || IsDecimal(a[1])) {
    auto ln = [](ValueView v) {
      return bson::DecimalApply(bson::DecimalFunction::kLn, bson::ToDecimal(v));
    };
    return Value::FromDecimal128(bson::DecimalDivide(ln(a[0]), ln(a[1])));
  }
  return Value::Double(std::log(bson::ToDouble(a[0])) / std::log(bson::ToDouble(a[1])));
}

absl::StatusOr<Value> Abs(Arguments a, const Call& call) {
  ValueView v = a[0];
  if (v.IsNullish()) return Value::Null();
  switch (v.type()) {
    case Type::kInt32:
      return Value::IntFitting(std::abs(int64_t{v.AsInt32()}));
    case Type::kInt64:
      if (v.AsInt64() == INT64_MIN) return base::Error(28680, "can't take $abs of long long min");
      return Value::Int64(std::abs(v.AsInt64()));
    case Type::kDouble:
      return Value::Double(std::abs(v.AsDouble()));
    case Type::kDecimal128:
      return Value::FromDecimal128(
          bson::DecimalApply(bson::DecimalFunction::kAbs, v.AsDecimal128()));
    default:
      return OnlyNumbers(call, v, 28765);
  }
}

// Decimals with more digits before the point than they can hold, and infinities, have no integral
// decimal.
bson::Decimal128 ToIntegralDecimal(bson::Decimal128 v, bson::RoundingMode mode) {
  const bson::Decimal128 limit = *bson::DecimalFromString("1E34");
  const bson::Decimal128 size = bson::DecimalApply(bson::DecimalFunction::kAbs, v);
  if (bson::DecimalCompare(size, limit) >= 0) return *bson::DecimalFromString("NaN");
  return bson::DecimalRound(v, mode);
}

// $ceil and $floor: integers stay as they are.
template <double (*OnDouble)(double), bson::RoundingMode kMode>
absl::StatusOr<Value> ToIntegral(Arguments a, const Call& call) {
  ValueView v = a[0];
  if (v.IsNullish()) return Value::Null();
  if (!v.IsNumber()) return OnlyNumbers(call, v, 28765);
  if (IsDouble(v)) return Value::Double(OnDouble(v.AsDouble()));
  if (IsDecimal(v)) return Value::FromDecimal128(ToIntegralDecimal(v.AsDecimal128(), kMode));
  return Value(v);
}

// A function of one number: decimals by the decimal library, all others as double. `kLowest`: what
// the argument must be above or equal to is checked by the callers below.
template <double (*OnDouble)(double), bson::DecimalFunction kOnDecimal>
Value ApplyFunction(ValueView v) {
  if (IsDecimal(v)) return Value::FromDecimal128(bson::DecimalApply(kOnDecimal, v.AsDecimal128()));
  return Value::Double(OnDouble(bson::ToDouble(v)));
}

absl::StatusOr<Value> Exp(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsNumber()) return OnlyNumbers(call, a[0], 28765);
  return ApplyFunction<std::exp, bson::DecimalFunction::kExp>(a[0]);
}

template <double (*OnDouble)(double), bson::DecimalFunction kOnDecimal, int kCode>
absl::StatusOr<Value> Logarithm(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsNumber()) return OnlyNumbers(call, a[0], 28765);
  Value zero = Value::Int32(0);
  if (!bson::IsNaN(a[0]) && bson::CompareNumbers(a[0], zero) <= 0) {
    return base::Error(
        kCode,
        base::StrCat(call.name, "'s argument must be a positive number, but is ", ValueText(a[0])));
  }
  return ApplyFunction<OnDouble, kOnDecimal>(a[0]);
}

absl::StatusOr<Value> Sqrt(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsNumber()) return OnlyNumbers(call, a[0], 28765);
  Value zero = Value::Int32(0);
  if (!bson::IsNaN(a[0]) && bson::CompareNumbers(a[0], zero) < 0) {
    return base::Error(28714, "$sqrt's argument must be greater than or equal to 0");
  }
  return ApplyFunction<std::sqrt, bson::DecimalFunction::kSqrt>(a[0]);
}

absl::StatusOr<Value> Sigmoid(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsNumber()) return OnlyNumbers(call, a[0]);
  if (IsDecimal(a[0])) {
    const bson::Decimal128 one = bson::DecimalFromInt64(1);
    bson::Decimal128 negated =
        bson::DecimalMultiply(a[0].AsDecimal128(), bson::DecimalFromInt64(-1));
    bson::Decimal128 power = bson::DecimalApply(bson::DecimalFunction::kExp, negated);
    return Value::FromDecimal128(bson::DecimalDivide(one, bson::DecimalAdd(one, power)));
  }
  return Value::Double(1 / (1 + std::exp(-bson::ToDouble(a[0]))));
}

absl::StatusOr<Value> RoundInteger(ValueView v, int place, bson::RoundingMode mode,
                                   const Call& call) {
  if (place >= 0) return Value(v);
  bson::Decimal128 rounded = bson::DecimalQuantize(bson::ToDecimal(v), place, mode);
  std::optional<int64_t> result = bson::DecimalToInt64(rounded);
  if (!result) {
    return base::Error(
        51080, base::StrCat("invalid conversion from Decimal128 result in ", call.name,
                            " resulting from arguments: [", ValueText(v), ", ", place, "]"));
  }
  return v.type() == Type::kInt64 ? Value::Int64(*result) : Value::IntFitting(*result);
}

// $round and $trunc: to `place` digits after the point, or before it if negative.
template <bson::RoundingMode kMode>
absl::StatusOr<Value> RoundToPlace(Arguments a, const Call& call) {
  ValueView v = a[0];
  if (v.IsNullish()) return Value::Null();
  if (!v.IsNumber()) return OnlyNumbers(call, v, 51081);
  int64_t place = 0;
  if (a.size() == 2) {
    if (a[1].IsNullish()) return Value::Null();
    const bool decimal_nan = a[1].type() == Type::kDecimal128 && bson::IsNaN(a[1]);
    if (!decimal_nan) {
      MAYFLY_ASSIGN_OR_RETURN(place, CoerceToInt64(a[1]));
    }
    if (decimal_nan || !IsIntegral64(a[1])) {
      return base::Error(
          51082, base::StrCat("precision argument to  ", call.name, " must be a integral value"));
    }
    constexpr int64_t kMinPlace = -20, kMaxPlace = 100;
    if (place < kMinPlace || place > kMaxPlace) {
      return base::Error(51083, base::StrCat("cannot apply ", call.name, " with precision value ",
                                             place, " value must be in [-20, 100]"));
    }
  }
  const int digits = static_cast<int>(place);
  if (v.IsInteger()) return RoundInteger(v, digits, kMode, call);
  if (bson::IsNaN(v) || bson::IsInfinite(v)) return Value(v);
  if (IsDecimal(v))
    return Value::FromDecimal128(bson::DecimalQuantize(v.AsDecimal128(), digits, kMode));
  constexpr int kExactDigits = 34;
  bson::Decimal128 exact = bson::DecimalFromDouble(v.AsDouble(), kExactDigits);
  return Value::Double(bson::DecimalToDouble(bson::DecimalQuantize(exact, digits, kMode)));
}

// The operand is one expression: an array is a value, not a list of operands.
absl::StatusOr<ExpressionPtr> ParseSigmoid(ValueView operand, const OperatorRow&,
                                           const ParseContext& context) {
  static constexpr OperatorRow kFunction = {"$sigmoid", 1, 1, Sigmoid, nullptr, ""};
  std::vector<ExpressionPtr> operands(1);
  MAYFLY_ASSIGN_OR_RETURN(operands[0], ParseExpression(operand, context));
  return MakeFunction(kFunction, std::move(operands), context);
}

using F = bson::DecimalFunction;
using R = bson::RoundingMode;

constexpr OperatorRow kRows[] = {
    {"$abs", 1, 1, Abs, nullptr, "the absolute value"},
    {"$add", 0, kAnyNumber, Add, nullptr, "the sum of numbers, or of one date and milliseconds",
     Expression::Operator::kOther, /*pure=*/true, /*commutative=*/true},
    {"$ceil", 1, 1, ToIntegral<std::ceil, R::kUp>, nullptr,
     "the lowest integer not below a number"},
    {"$divide", 2, 2, Divide, nullptr, "the quotient, as double or decimal"},
    {"$exp", 1, 1, Exp, nullptr, "e to the power of a number"},
    {"$floor", 1, 1, ToIntegral<std::floor, R::kDown>, nullptr,
     "the highest integer not above a number"},
    {"$ln", 1, 1, Logarithm<std::log, F::kLn, 28766>, nullptr, "the natural logarithm"},
    {"$log", 2, 2, Log, nullptr, "the logarithm to a given base"},
    {"$log10", 1, 1, Logarithm<std::log10, F::kLog10, 28761>, nullptr, "the logarithm to base 10"},
    {"$mod", 2, 2, Mod, nullptr, "the remainder, with the sign of the dividend"},
    {"$multiply", 0, kAnyNumber, Multiply, nullptr, "the product of numbers",
     Expression::Operator::kOther, /*pure=*/true, /*commutative=*/true},
    {"$pow", 2, 2, Pow, nullptr, "a number to the power of another"},
    {"$round", 1, 2, RoundToPlace<R::kHalfEven>, nullptr,
     "a number rounded half to even at a decimal place"},
    {"$sigmoid", 1, 1, nullptr, ParseSigmoid, "1 / (1 + exp(-x))"},
    {"$sqrt", 1, 1, Sqrt, nullptr, "the square root"},
    {"$subtract", 2, 2, Subtract, nullptr,
     "the difference of numbers, of dates, or of a date and milliseconds"},
    {"$trunc", 1, 2, RoundToPlace<R::kTowardZero>, nullptr, "a number cut at a decimal place"},
};

}  // namespace

absl::Span<const OperatorRow> ArithmeticOperators() { return kRows; }

}  // namespace mayfly::engine

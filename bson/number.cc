#include "bson/number.h"

#include <cmath>
#include <limits>

namespace mayfly::bson {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

int64_t Integer(ValueView v) { return v.type() == Type::kInt32 ? v.AsInt32() : v.AsInt64(); }

bool IsDecimal(ValueView v) { return v.type() == Type::kDecimal128; }

template <typename T>
int Order(T a, T b) {
  return a < b ? -1 : (a > b ? 1 : 0);
}

int CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return static_cast<int>(std::isnan(b)) - static_cast<int>(std::isnan(a));
  }
  return Order(a, b);
}

int CompareIntegerToDouble(int64_t a, double b) {
  if (std::isnan(b)) return 1;
  if (b >= kTwoTo63) return -1;
  if (b < -kTwoTo63) return 1;
  const auto whole = static_cast<int64_t>(b);
  if (a != whole) return Order(a, whole);
  return Order(0.0, b - static_cast<double>(whole));
}

int CompareToDecimal(ValueView a, Decimal128 b) {
  if (a.type() == Type::kDouble) return -DecimalCompareDouble(b, a.AsDouble());
  return DecimalCompare(IsDecimal(a) ? a.AsDecimal128() : DecimalFromInt64(Integer(a)), b);
}

enum class Operation { kAdd, kSubtract, kMultiply };

Decimal128 OnDecimals(Operation op, Decimal128 a, Decimal128 b) {
  switch (op) {
    case Operation::kAdd:
      return DecimalAdd(a, b);
    case Operation::kSubtract:
      return DecimalSubtract(a, b);
    case Operation::kMultiply:
      return DecimalMultiply(a, b);
  }
  return a;
}

double OnDoubles(Operation op, double a, double b) {
  switch (op) {
    case Operation::kAdd:
      return a + b;
    case Operation::kSubtract:
      return a - b;
    case Operation::kMultiply:
      return a * b;
  }
  return a;
}

__extension__ using Wide = __int128;

Wide OnIntegers(Operation op, int64_t a, int64_t b) {
  switch (op) {
    case Operation::kAdd:
      return static_cast<Wide>(a) + b;
    case Operation::kSubtract:
      return static_cast<Wide>(a) - b;
    case Operation::kMultiply:
      return static_cast<Wide>(a) * b;
  }
  return a;
}

// `overflowed` tells that two integers' result left the int64 range; the double is then nearest to
// it.
struct Result {
  Value value;
  bool overflowed = false;
};

Result Calculate(Operation op, ValueView a, ValueView b) {
  if (IsDecimal(a) || IsDecimal(b)) {
    return {Value::FromDecimal128(OnDecimals(op, ToDecimal(a), ToDecimal(b)))};
  }
  if (!a.IsInteger() || !b.IsInteger()) {
    return {Value::Double(OnDoubles(op, ToDouble(a), ToDouble(b)))};
  }
  const Wide wide = OnIntegers(op, Integer(a), Integer(b));
  const auto narrow = static_cast<int64_t>(wide);
  if (wide != narrow) return {Value::Double(static_cast<double>(wide)), true};
  const bool both_int32 = a.type() == Type::kInt32 && b.type() == Type::kInt32;
  return {both_int32 ? Value::IntFitting(narrow) : Value::Int64(narrow)};
}

std::optional<Value> Exact(Result result) {
  if (result.overflowed) return std::nullopt;
  return std::move(result.value);
}

int64_t TruncateDouble(double v) {
  if (std::isnan(v)) return 0;
  if (v >= kTwoTo63) return std::numeric_limits<int64_t>::max();
  if (v < -kTwoTo63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(v);
}

int64_t TruncateDecimal(Decimal128 v) {
  if (const auto whole = DecimalToInt64(v)) return *whole;
  if (DecimalIsNaN(v)) return 0;
  return DecimalIsNegative(v) ? std::numeric_limits<int64_t>::min()
                              : std::numeric_limits<int64_t>::max();
}

}  // namespace

Value Add(ValueView a, ValueView b) { return Calculate(Operation::kAdd, a, b).value; }
Value Subtract(ValueView a, ValueView b) { return Calculate(Operation::kSubtract, a, b).value; }
Value Multiply(ValueView a, ValueView b) { return Calculate(Operation::kMultiply, a, b).value; }

std::optional<Value> AddExact(ValueView a, ValueView b) {
  return Exact(Calculate(Operation::kAdd, a, b));
}

std::optional<Value> MultiplyExact(ValueView a, ValueView b) {
  return Exact(Calculate(Operation::kMultiply, a, b));
}

int CompareNumbers(ValueView a, ValueView b) {
  if (a.IsInteger() && b.IsInteger()) return Order(Integer(a), Integer(b));
  if (IsDecimal(b)) return CompareToDecimal(a, b.AsDecimal128());
  if (IsDecimal(a)) return -CompareToDecimal(b, a.AsDecimal128());
  if (a.IsInteger()) return CompareIntegerToDouble(Integer(a), b.AsDouble());
  if (b.IsInteger()) return -CompareIntegerToDouble(Integer(b), a.AsDouble());
  return CompareDoubles(a.AsDouble(), b.AsDouble());
}

bool IsNaN(ValueView number) {
  if (number.type() == Type::kDouble) return std::isnan(number.AsDouble());
  return IsDecimal(number) && DecimalIsNaN(number.AsDecimal128());
}

bool IsInfinite(ValueView number) {
  if (number.type() == Type::kDouble) return std::isinf(number.AsDouble());
  return IsDecimal(number) && DecimalIsInfinite(number.AsDecimal128());
}

bool IsNonZero(ValueView number) {
  if (number.type() == Type::kDouble) return number.AsDouble() != 0;
  if (IsDecimal(number)) return !DecimalIsZero(number.AsDecimal128());
  return Integer(number) != 0;
}

double ToDouble(ValueView number) {
  if (number.type() == Type::kDouble) return number.AsDouble();
  if (IsDecimal(number)) return DecimalToDouble(number.AsDecimal128());
  return static_cast<double>(Integer(number));
}

int64_t ToInt64Truncated(ValueView number) {
  if (number.type() == Type::kDouble) return TruncateDouble(number.AsDouble());
  if (IsDecimal(number)) return TruncateDecimal(number.AsDecimal128());
  return Integer(number);
}

int64_t ToInt64Rounded(ValueView number) {
  if (!IsDecimal(number)) return ToInt64Truncated(number);
  return TruncateDecimal(DecimalRound(number.AsDecimal128(), RoundingMode::kHalfEven));
}

std::optional<int64_t> ToInt64Exact(ValueView number) {
  if (number.IsInteger()) return Integer(number);
  const int64_t whole = ToInt64Truncated(number);
  const Value truncated = Value::Int64(whole);
  if (CompareNumbers(number, truncated) != 0) return std::nullopt;
  return whole;
}

Decimal128 ToDecimal(ValueView number) {
  if (number.type() == Type::kDouble) return DecimalFromDouble(number.AsDouble());
  if (IsDecimal(number)) return number.AsDecimal128();
  return DecimalFromInt64(Integer(number));
}

}  // namespace mayfly::bson

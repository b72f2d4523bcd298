#include "bson/number.h"

#include <cmath>
#include <limits>

#include "bson/compare.h"
#include "gtest/gtest.h"

namespace mayfly::bson {
namespace {

constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Value Dec(std::string_view text) {
  const auto v = DecimalFromString(text);
  EXPECT_TRUE(v.has_value()) << text;
  return Value::FromDecimal128(v.value_or(Decimal128{}));
}

std::string Text(ValueView v) { return DecimalToString(v.AsDecimal128()); }

TEST(Number, EqualNumbersOfAllTypesAreEqualAndHashAlike) {
  const Value ones[] = {Value::Int32(1), Value::Int64(1), Value::Double(1), Dec("1"), Dec("1.00")};
  for (const Value& a : ones) {
    for (const Value& b : ones) {
      EXPECT_EQ(CompareNumbers(a, b), 0);
      EXPECT_EQ(Hash(a), Hash(b));
    }
  }
  EXPECT_EQ(CompareNumbers(Value::Double(-0.0), Value::Int32(0)), 0);
  EXPECT_EQ(CompareNumbers(Dec("-0E+10"), Value::Double(0)), 0);
  EXPECT_EQ(Hash(Dec("-0E+10")), Hash(Value::Double(-0.0)));
  EXPECT_EQ(Hash(Dec("0.5")), Hash(Value::Double(0.5)));
  EXPECT_EQ(Hash(Dec("NaN")), Hash(Value::Double(kNaN)));
}

TEST(Number, OrderIsExactAcrossTypes) {
  const Value ascending[] = {
      Value::Double(kNaN),
      Value::Double(-kInfinity),
      Dec("-9E+6000"),
      Value::Double(-1.7e308),
      Dec("-9223372036854775809"),
      Value::Int64(kMin64),
      Value::Int64(kMin64 + 1),
      Dec("-0.1"),
      Value::Double(-std::numeric_limits<double>::denorm_min()),
      Dec("-1E-6000"),
      Value::Int32(0),
      Dec("1E-6000"),
      Value::Double(std::numeric_limits<double>::denorm_min()),
      Dec("0.1"),
      Value::Double(0.1),
      Dec("0.1000000000000000055511151231257828"),
      Dec("0.5"),
      Dec("0.5000000000000000000000000000000001"),
      Value::Int64((int64_t{1} << 53)),
      Value::Int64((int64_t{1} << 53) + 1),
      Value::Double(9007199254740994.0),
      Value::Int64(kMax64),
      Value::Double(9223372036854775808.0),
      Dec("9223372036854775808.5"),
      Value::Double(1.7e308),
      Dec("9E+6000"),
      Value::Double(kInfinity),
  };
  const int n = std::size(ascending);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      EXPECT_EQ(CompareNumbers(ascending[i], ascending[j]), (i > j) - (i < j)) << i << " " << j;
    }
  }
}

TEST(Number, IntegersPromoteOnOverflow) {
  const Value max32 = Value::Int32(std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Add(max32, Value::Int32(1)).type(), Type::kInt64);
  EXPECT_EQ(Add(Value::Int32(1), Value::Int32(2)).type(), Type::kInt32);
  EXPECT_EQ(Add(Value::Int64(1), Value::Int32(2)).type(), Type::kInt64);
  EXPECT_EQ(Multiply(max32, max32).type(), Type::kInt64);
  const Value sum = Add(Value::Int64(kMax64), Value::Int32(1));
  ASSERT_EQ(sum.type(), Type::kDouble);
  EXPECT_EQ(sum.view().AsDouble(), 9223372036854775808.0);
  EXPECT_EQ(Subtract(Value::Int64(kMin64), Value::Int32(1)).type(), Type::kDouble);
  EXPECT_FALSE(AddExact(Value::Int64(kMax64), Value::Int32(1)).has_value());
  EXPECT_FALSE(MultiplyExact(Value::Int64(kMin64), Value::Int32(-1)).has_value());
  EXPECT_EQ(AddExact(Value::Int64(kMax64), Value::Double(1))->type(), Type::kDouble);
}

TEST(Number, AnyDecimalMakesDecimal) {
  EXPECT_EQ(Text(Add(Dec("1.10"), Value::Int32(2))), "3.10");
  EXPECT_EQ(Text(Add(Dec("0.1"), Value::Double(0.2))), "0.300000000000000");
  EXPECT_EQ(Text(Multiply(Dec("1.5"), Value::Int64(4))), "6.0");
}

TEST(Number, ConversionsToInt64) {
  EXPECT_EQ(ToInt64Truncated(Value::Double(-2.9)), -2);
  EXPECT_EQ(ToInt64Truncated(Value::Double(1e30)), kMax64);
  EXPECT_EQ(ToInt64Truncated(Value::Double(-kInfinity)), kMin64);
  EXPECT_EQ(ToInt64Truncated(Value::Double(kNaN)), 0);
  EXPECT_EQ(ToInt64Truncated(Dec("2.9")), 2);
  EXPECT_EQ(ToInt64Truncated(Dec("-1E+40")), kMin64);
  EXPECT_EQ(ToInt64Truncated(Dec("NaN")), 0);
  EXPECT_EQ(ToInt64Exact(Value::Double(3)), 3);
  EXPECT_EQ(ToInt64Exact(Dec("3.00")), 3);
  EXPECT_FALSE(ToInt64Exact(Value::Double(3.5)).has_value());
  EXPECT_FALSE(ToInt64Exact(Value::Double(9223372036854775808.0)).has_value());
  EXPECT_FALSE(ToInt64Exact(Dec("0.5")).has_value());
  EXPECT_FALSE(ToInt64Exact(Value::Double(kNaN)).has_value());
}

TEST(Number, DecimalTextRoundTrips) {
  for (const char* text : {"0", "-0", "1.50", "1E+3", "-1.23E-500", "Infinity", "-Infinity", "NaN",
                           "9.999999999999999999999999999999999E+6144", "0.000001", "1E-7"}) {
    EXPECT_EQ(Text(Dec(text)), text);
  }
  EXPECT_EQ(Text(Dec("inf")), "Infinity");
  EXPECT_EQ(Text(Dec("12345678901234567890123456789012345")),
            "1.234567890123456789012345678901234E+34");
}

TEST(Number, WhatIsNoDecimalIsRefused) {
  for (const char* text : {"", "-", ".", "e1", "1e", "1e+", "abc", "1 ", " 1", "0x1", "1.2.3",
                           "infi", "nan1", "1E+7000", "1E-7000", "--1"}) {
    EXPECT_FALSE(DecimalFromString(text).has_value()) << text;
  }
}

TEST(Number, DecimalFromDoubleHas15Digits) {
  EXPECT_EQ(DecimalToString(DecimalFromDouble(1.0)), "1.00000000000000");
  EXPECT_EQ(DecimalToString(DecimalFromDouble(0.1)), "0.100000000000000");
  EXPECT_EQ(DecimalToString(DecimalFromDouble(0.1, 17)), "0.10000000000000001");
  EXPECT_EQ(DecimalToString(DecimalFromDouble(kInfinity)), "Infinity");
  EXPECT_EQ(DecimalToString(DecimalFromDouble(kNaN)), "NaN");
}

TEST(Number, DecimalRounding) {
  const Decimal128 v = *DecimalFromString("-2.5");
  EXPECT_EQ(DecimalToString(DecimalRound(v, RoundingMode::kTowardZero)), "-2");
  EXPECT_EQ(DecimalToString(DecimalRound(v, RoundingMode::kDown)), "-3");
  EXPECT_EQ(DecimalToString(DecimalRound(v, RoundingMode::kUp)), "-2");
  EXPECT_EQ(DecimalToString(DecimalRound(v, RoundingMode::kHalfEven)), "-2");
  EXPECT_EQ(
      DecimalToString(DecimalQuantize(*DecimalFromString("1.2345"), 2, RoundingMode::kHalfEven)),
      "1.23");
  EXPECT_EQ(
      DecimalToString(DecimalQuantize(*DecimalFromString("1250"), -2, RoundingMode::kHalfEven)),
      "1.2E+3");
}

TEST(Number, DecimalFunctions) {
  EXPECT_EQ(DecimalToString(DecimalApply(DecimalFunction::kSqrt, *DecimalFromString("4"))), "2");
  EXPECT_EQ(DecimalToString(DecimalMod(*DecimalFromString("-7"), *DecimalFromString("3"))), "-1");
  EXPECT_EQ(DecimalToString(DecimalPow(*DecimalFromString("2"), *DecimalFromString("10"))), "1024");
  EXPECT_EQ(DecimalToString(DecimalDivide(*DecimalFromString("1"), *DecimalFromString("3"))),
            "0.3333333333333333333333333333333333");
}

}  // namespace
}  // namespace mayfly::bson

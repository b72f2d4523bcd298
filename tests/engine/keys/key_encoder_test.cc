#include "engine/keys/key_encoder.h"

#include <algorithm>
#include <cctype>

#include "bson/builder.h"
#include "bson/json.h"
#include "gtest/gtest.h"
#include "tests/bson/random_value.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::Value;
using bson::testing::RandomValues;

int Sign(int order) { return (order > 0) - (order < 0); }

std::string Encode(const Value& v, const KeyEncoder& encoder = KeyEncoder()) {
  std::string key;
  encoder.Append(0, v, &key);
  return key;
}

std::string Print(const Value& v) {
  return std::string(bson::TypeName(v.type())) + " " + bson::ToShellText(v.view());
}

Value Dec(std::string_view text) {
  return Value::FromDecimal128(bson::DecimalFromString(text).value());
}

// Ignores the case of ASCII letters, and has NULs in its sort keys.
class CaseInsensitive : public bson::StringComparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override {
    std::string x, y;
    AppendSortKey(a, &x);
    AppendSortKey(b, &y);
    return x.compare(y);
  }
  void AppendSortKey(std::string_view text, std::string* out) const override {
    for (const char c : text) {
      out->push_back('\0');
      out->push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
};

TEST(KeyEncoder, RandomPairsOrderAsCompare) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomValues values(seed);
  const CaseInsensitive collation;
  for (int i = 0; i < 20000; ++i) {
    const Value a = values.Any(), b = values.Any();
    const bson::StringComparator* strings = i % 4 == 0 ? &collation : nullptr;
    const KeyEncoder ascending({}, strings), descending(Ordering(1), strings);
    const int expected = bson::Compare(a, b, strings);
    ASSERT_EQ(Sign(Encode(a, ascending).compare(Encode(b, ascending))), expected)
        << Print(a) << " and " << Print(b);
    ASSERT_EQ(Sign(Encode(a, descending).compare(Encode(b, descending))), -expected)
        << Print(a) << " and " << Print(b);
  }
}

TEST(KeyEncoder, RandomNumbersOrderAsCompare) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomValues values(seed);
  for (int i = 0; i < 50000; ++i) {
    const Value a = values.Number();
    const Value b = i % 2 == 0 ? values.Number() : Value::FromDecimal128(bson::ToDecimal(a));
    ASSERT_EQ(Sign(Encode(a).compare(Encode(b))), bson::Compare(a, b))
        << Print(a) << " and " << Print(b);
    if (bson::Compare(a, b) == 0) {
      ASSERT_EQ(bson::Hash(a), bson::Hash(b)) << Print(a) << " and " << Print(b);
    }
  }
}

TEST(KeyEncoder, NoValueIsAPrefixOfAnother) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomValues values(seed);
  std::vector<std::string> keys;
  for (int i = 0; i < 5000; ++i) keys.push_back(Encode(values.Any()));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (size_t i = 1; i < keys.size(); ++i) {
    ASSERT_NE(keys[i].compare(0, keys[i - 1].size(), keys[i - 1]), 0) << i;
  }
}

TEST(KeyEncoder, RandomCompoundKeysDecodeToTheSameBytes) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomValues values(seed);
  for (int i = 0; i < 20000; ++i) {
    const Ordering ordering(static_cast<uint32_t>(values.Below(8)));
    const KeyEncoder encoder(ordering);
    std::vector<Value> fields;
    std::string key;
    TypeBits bits;
    for (int f = 0; f < 3; ++f) {
      fields.push_back(values.Any());
      encoder.Append(f, fields[f], &key, &bits);
    }
    const auto decoded = DecodeKey(key + "rest", bits.bytes(), ordering, 3);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(PrefixSize(key + "rest", ordering, 3).value(), key.size());
    for (int f = 0; f < 3; ++f) {
      ASSERT_TRUE(bson::IdenticalBytes((*decoded)[f], fields[f]))
          << Print((*decoded)[f]) << " from " << Print(fields[f]);
    }
  }
}

TEST(KeyEncoder, EqualNumbersHaveIdenticalBytes) {
  const std::string one = Encode(Value::Int32(1));
  EXPECT_EQ(Encode(Value::Int64(1)), one);
  EXPECT_EQ(Encode(Value::Double(1)), one);
  EXPECT_EQ(Encode(Dec("1.00")), one);
  EXPECT_EQ(Encode(Value::Double(-0.0)), Encode(Value::Int32(0)));
  EXPECT_EQ(Encode(Dec("-0E+20")), Encode(Value::Int32(0)));
  EXPECT_EQ(Encode(Dec("0.5")), Encode(Value::Double(0.5)));
  EXPECT_EQ(Encode(Dec("9223372036854775808")), Encode(Value::Double(0x1p63)));
  EXPECT_EQ(Encode(Dec("-9223372036854775808")),
            Encode(Value::Int64(std::numeric_limits<int64_t>::min())));
}

TEST(KeyEncoder, SmallIntegersAreShort) {
  EXPECT_EQ(Encode(Value::Int32(1)).size(), 2u);
  EXPECT_EQ(Encode(Value::Int32(-127)).size(), 2u);
  EXPECT_EQ(Encode(Value::Int32(30000)).size(), 3u);
  EXPECT_EQ(Encode(Value::Int64(1'700'000'000'000)).size(), 7u);
}

TEST(KeyEncoder, CommonTypesNeedNoTypeBits) {
  TypeBits bits;
  std::string key;
  const KeyEncoder encoder;
  for (const Value& v :
       {Value::Int32(5), Value::Int32(-5), Value::Int64(int64_t{1} << 40), Value::Double(1.5),
        Value::String("x"), Value::Null(), Value::Date(1), Value::Bool(true)}) {
    encoder.Append(0, v, &key, &bits);
  }
  EXPECT_TRUE(bits.bytes().empty());
}

TEST(KeyEncoder, MissingIsToldFromUndefinedByTypeBitsOnly) {
  TypeBits bits;
  std::string key;
  KeyEncoder().Append(0, Value::Missing(), &key, &bits);
  EXPECT_EQ(key, Encode(Value::Undefined()));
  EXPECT_EQ(DecodeKey(key, bits.bytes(), {}, 1).value()[0].type(), Type::kMissing);
  EXPECT_EQ(DecodeKey(key, {}, {}, 1).value()[0].type(), Type::kUndefined);
}

TEST(KeyEncoder, BracketsEncloseExactlyTheirType) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomValues values(seed);
  for (int i = 0; i < 20000; ++i) {
    const Value v = values.Any();
    const Type type = values.Any().type();
    const bool same = bson::CanonicalRank(type) == bson::CanonicalRank(v.type());
    const ValueBracket bracket = BracketOf(type);
    const int to_high = bson::Compare(v, bracket.high);
    const bool inside =
        bson::Compare(bracket.low, v) <= 0 && (bracket.high_inclusive ? to_high <= 0 : to_high < 0);
    ASSERT_EQ(inside, same) << Print(v) << " in the bracket of " << bson::TypeName(type);
    for (const uint32_t direction : {0, 1}) {
      const KeyEncoder encoder{Ordering(direction)};
      std::string before, after;
      encoder.AppendBeforeType(0, type, &before);
      encoder.AppendAfterType(0, type, &after);
      const std::string key = Encode(v, encoder);
      ASSERT_EQ(before <= key && key < after, same) << Print(v) << " " << bson::TypeName(type);
    }
  }
}

TEST(KeyEncoder, RangesEncloseWhatCompareEncloses) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomValues values(seed);
  for (int i = 0; i < 20000; ++i) {
    const Value v = values.Any(), low = values.Any(), high = values.Any();
    const ValueRange range{low, high, values.Below(2) == 0, values.Below(2) == 0};
    const KeyEncoder encoder{Ordering(static_cast<uint32_t>(values.Below(2)))};
    std::string start, end;
    AppendRange(encoder, 0, range, &start, &end);
    const int to_low = bson::Compare(v, low), to_high = bson::Compare(v, high);
    const bool expected = (range.low_inclusive ? to_low >= 0 : to_low > 0) &&
                          (range.high_inclusive ? to_high <= 0 : to_high < 0);
    const std::string key = Encode(v, encoder) + Encode(values.Any(), encoder);
    ASSERT_EQ(start <= key && key < end, expected)
        << Print(v) << " " << Print(low) << " " << Print(high);
  }
}

TEST(KeyEncoder, MalformedKeysAreErrors) {
  const std::string good = Encode(Value::String("text"));
  EXPECT_FALSE(DecodeKey(good.substr(0, good.size() - 1), {}, {}, 1).ok());
  EXPECT_FALSE(DecodeKey("", {}, {}, 1).ok());
  EXPECT_FALSE(DecodeKey("\x01", {}, {}, 1).ok());
  EXPECT_FALSE(DecodeKey(std::string(1000, '\x50'), {}, {}, 1).ok());
}

TEST(Ordering, OfAPattern) {
  const auto pattern = bson::ParseJson(R"({"a": 1, "b": -1, "c": "text", "d": -1.5})");
  EXPECT_EQ(Ordering::FromPattern(*pattern), Ordering(0b1010));
}

}  // namespace
}  // namespace mayfly::engine

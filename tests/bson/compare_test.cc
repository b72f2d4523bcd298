#include "bson/compare.h"

#include <cctype>

#include "bson/builder.h"
#include "bson/json.h"
#include "gtest/gtest.h"
#include "tests/bson/random_value.h"

namespace mayfly::bson {
namespace {

int CompareJson(std::string_view a, std::string_view b) {
  return CompareDocuments(*ParseJson(a), *ParseJson(b));
}

class CaseInsensitive : public StringComparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override {
    return Key(a).compare(Key(b));
  }
  void AppendSortKey(std::string_view text, std::string* out) const override {
    out->append(Key(text));
  }

 private:
  static std::string Key(std::string_view text) {
    std::string key;
    for (const char c : text) {
      key.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    return key;
  }
};

TEST(Compare, TypesOrderByRank) {
  const Value ascending[] = {Value::MinKey(),
                             Value::Undefined(),
                             Value::Null(),
                             Value::Double(1e300),
                             Value::String(""),
                             Value::FromDocument(Document()),
                             Value::FromArray(Document()),
                             Value::FromBinary(0, ""),
                             Value::FromObjectId({}),
                             Value::Bool(false),
                             Value::Bool(true),
                             Value::Date(-1),
                             Value::FromTimestamp({0, 0}),
                             Value::FromRegex("", ""),
                             Value::Code(""),
                             Value::MaxKey()};
  const int n = std::size(ascending);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      EXPECT_EQ(Compare(ascending[i], ascending[j]), (i > j) - (i < j)) << i << " " << j;
    }
  }
}

TEST(Compare, MissingEqualsUndefinedAndIsBelowNull) {
  EXPECT_EQ(Compare(Value::Missing(), Value::Undefined()), 0);
  EXPECT_EQ(Hash(Value::Missing()), Hash(Value::Undefined()));
  EXPECT_EQ(Compare(Value::Missing(), Value::Null()), -1);
  EXPECT_EQ(Compare(Value::Missing(), Value::MinKey()), 1);
}

TEST(Compare, DocumentsByTypeThenNameThenValue) {
  EXPECT_EQ(CompareJson(R"({"b": 1})", R"({"a": "x"})"), -1);
  EXPECT_EQ(CompareJson(R"({"a": 2})", R"({"b": 1})"), -1);
  EXPECT_EQ(CompareJson(R"({"a": 2})", R"({"a": 1})"), 1);
  EXPECT_EQ(CompareJson(R"({"a": 1})", R"({"a": 1, "b": 1})"), -1);
  EXPECT_EQ(CompareJson(R"({"a": {"b": 1}})", R"({"a": {"b": 1.0}})"), 0);
}

TEST(Compare, ArraysElementByElement) {
  EXPECT_EQ(CompareJson(R"({"a": [1, 2]})", R"({"a": [1, 3]})"), -1);
  EXPECT_EQ(CompareJson(R"({"a": [1, 2]})", R"({"a": [1]})"), 1);
  EXPECT_EQ(CompareJson(R"({"a": [null]})", R"({"a": [1]})"), -1);
  Builder odd;
  odd.Int32("7", 1);
  const Document names = odd.Finish();
  EXPECT_EQ(Compare(Value::FromArray(names), Value::FromArray(MakeArray({Value::Int32(1)}))), 0);
}

TEST(Compare, BinaryByLengthThenSubtypeThenBytes) {
  EXPECT_EQ(Compare(Value::FromBinary(5, "z"), Value::FromBinary(0, "aa")), -1);
  EXPECT_EQ(Compare(Value::FromBinary(5, "a"), Value::FromBinary(0, "z")), 1);
  EXPECT_EQ(Compare(Value::FromBinary(0, "a"), Value::FromBinary(0, "\xFF")), -1);
}

TEST(Compare, StringsAreBytesAndSymbolsAreStrings) {
  EXPECT_EQ(Compare(Value::String("a"), Value::String(std::string_view("a\0", 2))), -1);
  EXPECT_EQ(Compare(Value::String("a\x7F"), Value::String("a\x80")), -1);
  EXPECT_EQ(Compare(Value::String("a"), Value::Symbol("a")), 0);
  EXPECT_EQ(Hash(Value::String("a")), Hash(Value::Symbol("a")));
  EXPECT_EQ(Compare(Value::Date(-1), Value::Date(1)), -1);
  EXPECT_EQ(Compare(Value::FromTimestamp({~0u, 0}), Value::FromTimestamp({1, 0})), 1);
}

TEST(Compare, CollationAppliesToNestedStringsButNotToCodeOrNames) {
  const CaseInsensitive strings;
  EXPECT_EQ(Compare(Value::String("A"), Value::String("a"), &strings), 0);
  EXPECT_EQ(Hash(Value::String("A"), &strings), Hash(Value::String("a"), &strings));
  const Document upper = *ParseJson(R"({"a": ["X", {"b": "Y"}]})");
  const Document lower = *ParseJson(R"({"a": ["x", {"b": "y"}]})");
  EXPECT_EQ(CompareDocuments(upper, lower, &strings), 0);
  EXPECT_EQ(CompareDocuments(upper, lower), -1);
  EXPECT_EQ(Compare(Value::Code("A"), Value::Code("a"), &strings), -1);
  EXPECT_EQ(CompareDocuments(*ParseJson(R"({"A": 1})"), *ParseJson(R"({"a": 1})"), &strings), -1);
}

TEST(Compare, IsATotalOrderWithEqualHashesForEqualValues) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::RandomValues values(seed);
  for (int i = 0; i < 20000; ++i) {
    const Value a = values.Any(), b = values.Any(), c = values.Any();
    ASSERT_EQ(Compare(a, a), 0);
    ASSERT_EQ(Compare(a, b), -Compare(b, a)) << ToShellText(a) << ToShellText(b);
    if (Compare(a, b) <= 0 && Compare(b, c) <= 0) {
      ASSERT_LE(Compare(a, c), 0) << ToShellText(a) << ToShellText(b) << ToShellText(c);
    }
    if (Equal(a, b)) {
      ASSERT_EQ(Hash(a), Hash(b)) << ToShellText(a) << ToShellText(b);
    }
  }
}

}  // namespace
}  // namespace mayfly::bson

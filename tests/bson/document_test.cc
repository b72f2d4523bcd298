// Builder, Value and View together: what is written is read back.
#include "base/random.h"
#include "bson/builder.h"
#include "bson/compare.h"
#include "bson/json.h"
#include "bson/object_id.h"
#include "bson/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/bson/random_value.h"

namespace mayfly::bson {
namespace {

TEST(Builder, NestedDocumentsAndArrays) {
  Builder b;
  b.Int32("a", 1).OpenArray("xs").PushString("x").PushInt32(2);
  b.PushOpenDocument().Bool("t", true).Close().PushOpenArray().PushInt64(3).Close().Close();
  b.OpenDocument("d").Null("n").Close().Double("f", 1.5);
  const Document document = b.Finish();
  EXPECT_TRUE(ValidateDocument(document.bytes()).ok());
  EXPECT_EQ(ToShellText(document),
            R"({ a: 1, xs: [ "x", 2, { t: true }, [ 3 ] ], d: { n: null }, f: 1.5 })");
  EXPECT_TRUE(b.Finish().empty()) << "used again";
}

TEST(Builder, EveryAppenderWritesItsType) {
  Builder b;
  b.Double("1", 1).String("2", "x").Document("3", Document()).Array("4", Document());
  b.Binary("5", 2, "xy").ObjectId("7", {}).Bool("8", true).Date("9", -1).Null("A");
  b.Int32("10", 1).Timestamp("11", {1, 2}).Int64("12", 1).Append("none", Value::Missing());
  b.OpenArray("4b");
  for (int i = 0; i < 12; ++i) b.Push(Value::Missing());
  b.Close();
  const Document document = b.Finish();
  ASSERT_TRUE(ValidateDocument(document.bytes()).ok());
  EXPECT_EQ(document.Find("5").AsBinary().bytes, "xy");
  EXPECT_EQ(document.Find("5").AsBinary().subtype, 2);
  EXPECT_EQ(document.Find("11").AsTimestamp(), (Timestamp{1, 2}));
  EXPECT_TRUE(document.Find("4b").AsDocument().Find("11").IsNull());
  EXPECT_FALSE(document.view().Has("none"));
  EXPECT_EQ(document.view().Count(), 13);
}

TEST(Builder, AppendsToAGivenString) {
  std::string out = "before";
  Builder b(&out);
  b.Int32("a", 1);
  EXPECT_EQ(b.size(), out.size() - 6);
  b.End();
  EXPECT_TRUE(ValidateDocument(std::string_view(out).substr(6)).ok());
}

TEST(Builder, RandomDocumentsRebuildByteForByte) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::RandomValues values(seed);
  for (int i = 0; i < 5000; ++i) {
    const Document document = values.Container(0, false);
    Builder by_element, whole;
    for (const Element& e : document.view()) by_element.Append(e.key, Value(e.value));
    whole.AppendAll(document);
    ASSERT_EQ(by_element.Finish().bytes(), document.bytes());
    ASSERT_EQ(whole.Finish().bytes(), document.bytes());
  }
}

TEST(Value, CopiesShareAndMovesEmpty) {
  const std::string text(100, 'x');
  for (const Value& original : {Value::Int32(5), Value::String(text)}) {
    Value copy = original;
    Value moved = std::move(copy);
    EXPECT_TRUE(IdenticalBytes(moved, original));
    copy = moved;
    Value& same = copy;
    copy = same;
    EXPECT_TRUE(IdenticalBytes(copy, original));
    copy = Value::Null();
    EXPECT_EQ(copy.type(), Type::kNull);
    EXPECT_TRUE(IdenticalBytes(moved, original));
  }
}

TEST(Value, ReadsBackWhatItHolds) {
  EXPECT_EQ(Value::Symbol("s").view().AsString(), "s");
  EXPECT_EQ(Value::FromRegex("p", "ix").view().AsRegex().options, "ix");
  EXPECT_EQ(Value::FromBinary(2, "abc").view().AsBinary().bytes, "abc");
  EXPECT_EQ(Value::IntFitting(1).type(), Type::kInt32);
  EXPECT_EQ(Value::IntFitting(int64_t{1} << 31).type(), Type::kInt64);
  EXPECT_EQ(Value::IntFitting(-(int64_t{1} << 31)).type(), Type::kInt32);
  EXPECT_TRUE(Value().view().IsMissing());
}

TEST(View, FindsTheFirstOfDuplicates) {
  const Document document = *ParseJson(R"({"a": 1, "ab": 2, "a": 3})");
  EXPECT_EQ(document.Find("a").AsInt32(), 1);
  EXPECT_EQ(document.Find("ab").AsInt32(), 2);
  EXPECT_TRUE(document.Find("").IsMissing());
  EXPECT_EQ(document.view().First().key, "a");
  EXPECT_TRUE(View().empty());
  EXPECT_TRUE(View().First().value.IsMissing());
}

TEST(View, IterationOverRandomBytesStaysInside) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  testing::RandomValues values(seed);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = values.Container(0, false).bytes();
    for (int n = 0; n < 3 && bytes.size() > 5; ++n) {
      bytes[4 + values.Below(bytes.size() - 5)] = static_cast<char>(values.Below(256));
    }
    for (const Element& e : View(std::string_view(bytes))) {
      ASSERT_LE(e.value.bytes().data() + e.value.size(), bytes.data() + bytes.size());
    }
  }
}

TEST(Types, NamesAndRanks) {
  EXPECT_EQ(TypeName(Type::kCodeWithScope), "javascriptWithScope");
  EXPECT_EQ(TypeName(Type::kMinKey), "minKey");
  EXPECT_EQ(TypeName(static_cast<Type>(0x55)), "unknown");
  EXPECT_EQ(CanonicalRank(Type::kSymbol), CanonicalRank(Type::kString));
  EXPECT_EQ(CanonicalRank(Type::kMinKey), -1);
}

TEST(ObjectIdGenerator, SecondsFirstThenDistinct) {
  base::Random random(1);
  ObjectIdGenerator generator(random);
  const ObjectId a = generator.Next(0x01020304'000), b = generator.Next(0x01020304'999);
  EXPECT_NE(a, b);
  EXPECT_EQ(std::vector<uint8_t>(a.bytes.begin() + 4, a.bytes.begin() + 9),
            std::vector<uint8_t>(b.bytes.begin() + 4, b.bytes.begin() + 9));
  EXPECT_EQ(ToHex(generator.Next(1'000'000)).substr(0, 8), "000003e8");
}

}  // namespace
}  // namespace mayfly::bson

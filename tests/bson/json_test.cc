#include "bson/json.h"

#include "base/status.h"
#include "bson/builder.h"
#include "gtest/gtest.h"

namespace mayfly::bson {
namespace {

// One field of every type, in canonical form.
constexpr std::string_view kAllTypes =
    R"({ "double" : { "$numberDouble" : "1.5" }, "string" : "x\u0000y", "doc" : { "a" : { "$numberInt" : "1" } }, )"
    R"("array" : [ { "$numberInt" : "1" }, null ], "bin" : { "$binary" : { "base64" : "YQ==", "subType" : "00" } }, )"
    R"("undef" : { "$undefined" : true }, "oid" : { "$oid" : "507f1f77bcf86cd799439011" }, "bool" : true, )"
    R"("date" : { "$date" : { "$numberLong" : "-1" } }, "null" : null, )"
    R"("regex" : { "$regularExpression" : { "pattern" : "a.b", "options" : "i" } }, )"
    R"("dbp" : { "$dbPointer" : { "$ref" : "db.c", "$id" : { "$oid" : "507f1f77bcf86cd799439011" } } }, )"
    R"("code" : { "$code" : "f(1, 2); " }, "symbol" : { "$symbol" : "s" }, )"
    R"("scope" : { "$code" : "g(x); ", "$scope" : { "x" : { "$numberInt" : "1" } } }, )"
    R"("int" : { "$numberInt" : "-7" }, "ts" : { "$timestamp" : { "t" : 1, "i" : 2 } }, )"
    R"("long" : { "$numberLong" : "9007199254740993" }, "dec" : { "$numberDecimal" : "1.50" }, )"
    R"("min" : { "$minKey" : 1 }, "max" : { "$maxKey" : 1 } })";

TEST(Json, AllTypesRoundTrip) {
  const auto parsed = ParseJson(kAllTypes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(ToCanonicalJson(*parsed), kAllTypes);
}

TEST(Json, RelaxedOutputAndInput) {
  const auto parsed =
      ParseJson(R"({"a": 1, "b": 2.5, "c": 5000000000, "d": {"$date": "1970-01-01T00:00:01Z"}})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(
      ToRelaxedJson(*parsed),
      R"({ "a" : 1, "b" : 2.5, "c" : 5000000000, "d" : { "$date" : "1970-01-01T00:00:01Z" } })");
}

TEST(Json, DuplicateKeysAreKept) {
  const auto parsed = ParseJson(R"({"a": 1, "a": 2})");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->view().Count(), 2);
}

TEST(Json, MalformedTextIsRefused) {
  for (const char* text : {"", "{", "{a: 1", "[", "{\"a\": }"}) {
    const auto parsed = ParseJson(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(base::CodeOf(parsed.status()), base::ErrorCode::kFailedToParse);
  }
}

TEST(ShellText, AllTypes) {
  EXPECT_EQ(ToShellText(*ParseJson(kAllTypes)).substr(0, 15), "{ double: 1.5, ");
  EXPECT_EQ(
      ToShellText(*ParseJson(R"({"a": 1, "b": "x", "c": {"$oid": "507f1f77bcf86cd799439011"}})")),
      "{ a: 1, b: \"x\", c: ObjectId('507f1f77bcf86cd799439011') }");
  EXPECT_EQ(ToShellText(*ParseJson(R"({"d": [1.0, null], "e": {}, "f": [], "g": {"h": true}})")),
            "{ d: [ 1.0, null ], e: {}, f: [], g: { h: true } }");
  EXPECT_EQ(ToShellText(Value::Date(-5)), "new Date(-5)");
  EXPECT_EQ(ToShellText(Value::FromBinary(0, "\xAB")), "BinData(0, AB)");
  EXPECT_EQ(ToShellText(Value::FromBinary(4, "0123456789abcdef")),
            "UUID(\"30313233-3435-3637-3839-616263646566\")");
  EXPECT_EQ(ToShellText(Value::FromTimestamp({1, 2})), "Timestamp(1, 2)");
  EXPECT_EQ(ToShellText(Value::FromRegex("re", "i")), "/re/i");
  EXPECT_EQ(ToShellText(Value::MinKey()), "MinKey");
  EXPECT_EQ(ToShellText(Value::Double(1e20)), "1e+20.0");
  EXPECT_EQ(ToShellText(Value::Double(0.1)), "0.1");
}

TEST(ShellText, LongStringsAreCut) {
  EXPECT_EQ(ToShellText(Value::String(std::string(159, 'x'))).size(), 161u);
  EXPECT_EQ(ToShellText(Value::String(std::string(160, 'x'))).size(), 155u);
}

}  // namespace
}  // namespace mayfly::bson

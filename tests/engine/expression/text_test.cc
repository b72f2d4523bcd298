// Strings, regular expressions, types and dates.
#include <gtest/gtest.h>

#include "tests/engine/expression/evaluate.h"

namespace mayfly::engine {
namespace {

TEST(Strings, Parts_CountBytesOrCharacters) {
  EXPECT_EQ(Eval("{\"$concat\": [\"a\", \"b\"]}"), "\"ab\"");
  EXPECT_EQ(Eval("{\"$concat\": [\"a\", 1]}"), "error 16702");
  EXPECT_EQ(Eval("{\"$substrCP\": [\"h\u00e9llo\", 1, 2]}"), "\"\u00e9l\"");
  EXPECT_EQ(Eval("{\"$substrBytes\": [\"h\u00e9llo\", 2, 1]}"), "error 28656");
  EXPECT_EQ(Eval("{\"$strLenCP\": \"h\u00e9\"}"), "2");
  EXPECT_EQ(Eval("{\"$strLenBytes\": \"h\u00e9\"}"), "3");
  EXPECT_EQ(Eval("{\"$indexOfCP\": [\"h\u00e9llo\", \"l\"]}"), "2");
  EXPECT_EQ(Eval("{\"$indexOfBytes\": [\"hello\", \"l\", 10]}"), "-1");
  EXPECT_EQ(Eval("{\"$toUpper\": \"ab\u00e9\"}"), "\"AB\u00e9\"");
  EXPECT_EQ(Eval("{\"$strcasecmp\": [\"AB\", \"ac\"]}"), "-1");
}

TEST(Strings, Edits_ReplaceAndTrim) {
  EXPECT_EQ(Eval("{\"$trim\": {\"input\": \"  a \"}}"), "\"a\"");
  EXPECT_EQ(Eval("{\"$ltrim\": {\"input\": \"xya\", \"chars\": \"yx\"}}"), "\"a\"");
  EXPECT_EQ(Eval("{\"$split\": [\"a,b,\", \",\"]}"), "[ \"a\", \"b\", \"\" ]");
  EXPECT_EQ(Eval("{\"$split\": [\"a\", \"\"]}"), "error 40087");
  EXPECT_EQ(
      Eval("{\"$replaceAll\": {\"input\": \"abab\", \"find\": \"a\", \"replacement\": \"x\"}}"),
      "\"xbxb\"");
  EXPECT_EQ(
      Eval("{\"$replaceOne\": {\"input\": \"abab\", \"find\": \"a\", \"replacement\": \"x\"}}"),
      "\"xbab\"");
}

TEST(Regex, Matches_TellTheirPlaceAndGroups) {
  EXPECT_EQ(
      Eval("{\"$regexMatch\": {\"input\": \"Hello\", \"regex\": \"^h\", \"options\": \"i\"}}"),
      "true");
  EXPECT_EQ(Eval("{\"$regexFind\": {\"input\": \"\u00e9ab\", \"regex\": \"(a)(x)?\"}}"),
            "{ match: \"a\", idx: 1, captures: [ \"a\", null ] }");
  EXPECT_EQ(Eval("{\"$size\": {\"$regexFindAll\": {\"input\": \"aba\", \"regex\": \"a\"}}}"), "2");
  EXPECT_EQ(Eval("{\"$regexMatch\": {\"input\": 1, \"regex\": \"a\"}}"), "error 51104");
  EXPECT_EQ(Eval("{\"$regexMatch\": {\"input\": \"a\", \"regex\": \"(\"}}"), "error 51111");
}

TEST(Convert, Numbers_AreReadStrictly) {
  EXPECT_EQ(Eval("{\"$toInt\": \"42\"}"), "42");
  EXPECT_EQ(Eval("{\"$toInt\": \"4.2\"}"), "error 241");
  EXPECT_EQ(Eval("{\"$toDouble\": \"4.25\"}"), "4.25");
  EXPECT_EQ(Eval("{\"$toInt\": 4.9}"), "4");
  EXPECT_EQ(Eval("{\"$toInt\": 3000000000}"), "error 241");
  EXPECT_EQ(Eval("{\"$toBool\": \"\"}"), "true");
  EXPECT_EQ(Eval("{\"$toString\": 1e16}"), "\"1e+16\"");
  EXPECT_EQ(Eval("{\"$toString\": 0.1}"), "\"0.1\"");
  EXPECT_EQ(Eval("{\"$toInt\": [1, 2]}"), "error 50723");
}

TEST(Convert, OnErrorAndOnNull_GiveOtherValues) {
  EXPECT_EQ(Eval("{\"$convert\": {\"input\": \"x\", \"to\": \"int\", \"onError\": \"bad\"}}"),
            "\"bad\"");
  EXPECT_EQ(Eval("{\"$convert\": {\"input\": null, \"to\": \"int\", \"onNull\": 7}}"), "7");
  EXPECT_EQ(Eval("{\"$convert\": {\"input\": 1, \"to\": \"nope\"}}"), "error 2");
  EXPECT_EQ(Eval("{\"$convert\": {\"input\": 1}}"), "error 9");
}

TEST(Types, Names_IncludeMissing) {
  EXPECT_EQ(Eval("{\"$type\": \"$x\"}"), "\"missing\"");
  EXPECT_EQ(Eval("{\"$isNumber\": 1}"), "true");
  EXPECT_EQ(Eval("{\"$binarySize\": \"abc\"}"), "3");
  EXPECT_EQ(Eval("{\"$bsonSize\": {}}"), "5");
}

TEST(Dates, Parts_FollowTheTimeZone) {
  const std::string date = "{\"$toDate\": \"2024-12-31T23:30:00Z\"}";
  EXPECT_EQ(Eval("{\"$year\": " + date + "}"), "2024");
  EXPECT_EQ(Eval("{\"$year\": {\"date\": " + date + ", \"timezone\": \"Europe/Paris\"}}"), "2025");
  EXPECT_EQ(Eval("{\"$hour\": {\"date\": " + date + ", \"timezone\": \"+05:30\"}}"), "5");
  EXPECT_EQ(Eval("{\"$isoWeek\": " + date + "}"), "1");
  EXPECT_EQ(Eval("{\"$dayOfWeek\": " + date + "}"), "3");
  EXPECT_EQ(Eval("{\"$year\": {\"date\": " + date + ", \"timezone\": \"Nowhere\"}}"),
            "error 40485");
  EXPECT_EQ(Eval("{\"$year\": 1}"), "error 16006");
}

TEST(Dates, Text_GoesBothWays) {
  EXPECT_EQ(Eval("{\"$dateToString\": {\"date\": {\"$toDate\": \"2024-02-29\"}, \"format\": "
                 "\"%d.%m.%Y %B\"}}"),
            "\"29.02.2024 February\"");
  EXPECT_EQ(Eval("{\"$toString\": {\"$dateFromString\": {\"dateString\": \"29/02/2024\", "
                 "\"format\": \"%d/%m/%Y\"}}}"),
            "\"2024-02-29T00:00:00.000Z\"");
  EXPECT_EQ(Eval("{\"$dateFromString\": {\"dateString\": \"x\"}}"), "error 241");
  EXPECT_EQ(Eval("{\"$dateFromString\": {\"dateString\": \"x\", \"onError\": 1}}"), "1");
  EXPECT_EQ(Eval("{\"$toString\": {\"$dateFromParts\": {\"year\": 2024, \"month\": 14}}}"),
            "\"2025-02-01T00:00:00.000Z\"");
}

TEST(Dates, Arithmetic_FollowsTheCalendar) {
  EXPECT_EQ(Eval("{\"$toString\": {\"$dateAdd\": {\"startDate\": {\"$toDate\": \"2024-01-31\"}, "
                 "\"unit\": \"month\", "
                 "\"amount\": 1}}}"),
            "\"2024-02-29T00:00:00.000Z\"");
  EXPECT_EQ(Eval("{\"$dateDiff\": {\"startDate\": {\"$toDate\": \"2024-01-31\"}, \"endDate\": "
                 "{\"$toDate\": "
                 "\"2024-02-01\"}, \"unit\": \"month\"}}"),
            "1");
  EXPECT_EQ(Eval("{\"$toString\": {\"$dateTrunc\": {\"date\": {\"$toDate\": "
                 "\"2024-05-17T10:11:12Z\"}, \"unit\": "
                 "\"hour\", \"binSize\": 6}}}"),
            "\"2024-05-17T06:00:00.000Z\"");
}

TEST(Substr, Numbers_AreCutOrRounded) {
  EXPECT_EQ(Eval(R"({"$substr": ["hello", 0, {"$literal": {"$numberDouble": "-Infinity"}}]})"),
            "error 31109");
  EXPECT_EQ(Eval(R"({"$substr": ["hello", 1e20, 3]})"), "error 31109");
  EXPECT_EQ(Eval(R"({"$substr": ["hello", {"$numberDecimal": "1E+100"}, 3]})"), "error 50752");
  EXPECT_EQ(Eval(R"({"$substr": ["hello", {"$numberDecimal": "-0.6"}, 3]})"), "error 50752");
  EXPECT_EQ(Eval(R"({"$substr": ["hello", {"$numberDecimal": "1.6"}, 2]})"), "\"ll\"");
}

TEST(Text, DoublesHaveSixDigits) {
  EXPECT_EQ(Eval(R"({"$toLower": {"$numberDouble": "Infinity"}})"), "\"inf\"");
  EXPECT_EQ(Eval(R"({"$substrCP": [1.23456789, 0, 20]})"), "\"1.23457\"");
  EXPECT_EQ(Eval(R"({"$toString": 1.23456789})"), "\"1.23456789\"");
  EXPECT_EQ(Eval(R"({"$toString": {"$numberDouble": "Infinity"}})"), "\"Infinity\"");
}

TEST(Convert, Null_ComesBeforeAllChecks) {
  EXPECT_EQ(Eval(R"({"$convert": {"input": null, "to": "string", "format": 1, "byteOrder": 1}})"),
            "null");
  EXPECT_EQ(Eval(R"({"$convert": {"input": null, "to": {"type": "binData", "subtype": 999}}})"),
            "null");
  EXPECT_EQ(Eval(R"({"$convert": {"input": "a", "to": null, "byteOrder": "x"}})"), "null");
  EXPECT_EQ(Eval(R"({"$convert": {"input": "a", "to": "string", "byteOrder": "x"}})"),
            "error 9130002");
}

TEST(Convert, OldBinaryBeginsWithItsLength) {
  EXPECT_EQ(Eval(R"({"$toLong": {"$binary": {"base64": "", "subType": "02"}}})"), "0");
  EXPECT_EQ(Eval(R"({"$toLong": {"$binary": {"base64": "fw==", "subType": "02"}}})"), "error 241");
  EXPECT_EQ(Eval(R"({"$convert": {"input": "1", "to": {"type": "int", "more": 1}}})"), "1");
}

TEST(Convert, HexadecimalNumbers) {
  EXPECT_EQ(Eval(R"({"$toDouble": "+0xff"})"), "255.0");
  EXPECT_EQ(Eval(R"({"$toDouble": "0X1P1"})"), "2.0");
  EXPECT_EQ(Eval(R"({"$toDouble": "0xff"})"), "error 241");
}

}  // namespace
}  // namespace mayfly::engine

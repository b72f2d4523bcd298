#include <gtest/gtest.h>

#include "tests/support/update_testing.h"

namespace mayfly::engine {
namespace {

constexpr bool kShowTypes = true;

TEST(IncTest, PromotesAndRefusesOverflowOfInt64) {
  ExpectApplied(
      {
          {R"({"$inc": {"a": 2}})", R"({"a": 1})", R"({"a": 3})"},
          {R"({"$inc": {"a": 2}})", R"({})", R"({"a": 2})"},
          {R"({"$inc": {"a.b": 2.5}})", R"({"a": {"b": 1}})", R"({"a": {"b": 3.5}})"},
          {R"({"$inc": {"a": 0}})", R"({"a": 1})", "unchanged"},
          {R"({"$inc": {"a": {"$numberLong": "0"}}})", R"({"a": 1})",
           R"({"a": {"$numberLong": "1"}})"},
          {R"({"$inc": {"a": 1}})", R"({"a": 2147483647})",
           R"({"a": {"$numberLong": "2147483648"}})"},
          {R"({"$inc": {"a": 1}})", R"({"a": {"$numberLong": "9223372036854775807"}})", "error 2"},
          {R"({"$inc": {"a": -1}})", R"({"a": {"$numberLong": "-9223372036854775808"}})",
           "error 2"},
          {R"({"$inc": {"a": {"$numberDecimal": "0.1"}}})", R"({"a": 1})",
           R"({"a": {"$numberDecimal": "1.1"}})"},
      },
      kShowTypes);
}

TEST(IncTest, OtherTypesAreErrors) {
  ExpectApplied({
      {R"({"$inc": {"a": "x"}})", R"({"a": 1})", "error 14"},
      {R"({"$inc": {"a": null}})", R"({"a": 1})", "error 14"},
      {R"({"$inc": {"a": 1}})", R"({"a": "x"})", "error 14"},
      {R"({"$inc": {"a": 1}})", R"({"a": null})", "error 14"},
      {R"({"$inc": {"_id": 1}})", R"({"_id": 1})", "error 66"},
      {R"({"$inc": {"_id": 0}})", R"({"_id": 1})", "unchanged"},
  });
}

TEST(MulTest, MissingBecomesZeroOfTheOperandsType) {
  ExpectApplied(
      {
          {R"({"$mul": {"a": 3}})", R"({"a": 2})", R"({"a": 6})"},
          {R"({"$mul": {"a": 3}})", R"({})", R"({"a": 0})"},
          {R"({"$mul": {"a": {"$numberLong": "3"}}})", R"({})", R"({"a": {"$numberLong": "0"}})"},
          {R"({"$mul": {"a": 2.5}})", R"({})", R"({"a": 0.0})"},
          {R"({"$mul": {"a": {"$numberDecimal": "3"}}})", R"({})",
           R"({"a": {"$numberDecimal": "0"}})"},
          {R"({"$mul": {"a": 2}})", R"({"a": 2147483647})",
           R"({"a": {"$numberLong": "4294967294"}})"},
          {R"({"$mul": {"a": 2}})", R"({"a": {"$numberLong": "9223372036854775807"}})", "error 2"},
          {R"({"$mul": {"a": 1}})", R"({"a": 5})", "unchanged"},
          {R"({"$mul": {"a": -0.0}})", R"({"a": -0.0})", "unchanged"},
          {R"({"$mul": {"a": "x"}})", R"({"a": 5})", "error 14"},
          {R"({"$mul": {"a": 2}})", R"({"a": [1]})", "error 14"},
          {R"({"$mul": {"a.b": 2}})", R"({"a": [{"b": 5}]})", "error 28"},
      },
      kShowTypes);
}

TEST(BitTest, WidensAndTakesIntegersOnly) {
  ExpectApplied(
      {
          {R"({"$bit": {"a": {"and": 10}}})", R"({"a": 13})", R"({"a": 8})"},
          {R"({"$bit": {"a": {"or": 5}}})", R"({"a": 3})", R"({"a": 7})"},
          {R"({"$bit": {"a": {"xor": 5}}})", R"({"a": 1})", R"({"a": 4})"},
          {R"({"$bit": {"a": {"or": {"$numberLong": "1"}}}})", R"({"a": 2})",
           R"({"a": {"$numberLong": "3"}})"},
          {R"({"$bit": {"a": {"or": 1}}})", R"({"a": {"$numberLong": "2"}})",
           R"({"a": {"$numberLong": "3"}})"},
          {R"({"$bit": {"a": {"or": 6, "and": 4}}})", R"({})", R"({"a": 4})"},
          {R"({"$bit": {"a": {"and": 1}}})", R"({"a": 1.0})", "error 2"},
          {R"({"$bit": {"a": {"and": 1}}})", R"({"a": null})", "error 2"},
          {R"({"$bit": {"a": {"and": 1.0}}})", R"({"a": 1})", "error 2"},
          {R"({"$bit": {"a": {"not": 1}}})", R"({"a": 1})", "error 2"},
          {R"({"$bit": {"a": {}}})", R"({"a": 1})", "error 2"},
          {R"({"$bit": {"a": 1}})", R"({"a": 1})", "error 2"},
      },
      kShowTypes);
}

}  // namespace
}  // namespace mayfly::engine

#include "engine/query/collation.h"

#include "gtest/gtest.h"
#include "tests/engine/query/filter_testing.h"

namespace mayfly::engine {
namespace {

int ParseError(std::string_view spec) {
  return static_cast<int>(base::CodeOf(ParseCollation(Json(spec)).status()));
}

CollationPtr Make(std::string_view spec) { return *ParseCollation(Json(spec)); }

TEST(Collation, RefusesWhatMongoDbRefuses) {
  EXPECT_EQ(ParseError("{}"), 40414);
  EXPECT_EQ(ParseError(R"({"locale": 1})"), 14);
  EXPECT_EQ(ParseError(R"({"locale": "nowhere"})"), 2);
  EXPECT_EQ(ParseError(R"({"locale": "en", "strength": 6})"), 2);
  EXPECT_EQ(ParseError(R"({"locale": "en", "strength": "3"})"), 14);
  EXPECT_EQ(ParseError(R"({"locale": "en", "strength": {"$numberDecimal": "5.5"}})"), 2);
  EXPECT_EQ(ParseError(R"({"locale": "en", "strength": null})"), 0);
  EXPECT_EQ(ParseError(R"({"locale": "en", "backwards": null})"), 14);
  EXPECT_EQ(ParseError(R"({"locale": "en", "caseFirst": "upper", "strength": 2})"), 2);
  EXPECT_EQ(ParseError(R"({"locale": "en", "Strength": 2})"), 40415);
  EXPECT_EQ(ParseError(R"({"locale": "en", "version": "1"})"), 161);
}

TEST(Collation, SimpleIsNull) {
  EXPECT_EQ(Make(R"({"locale": "simple", "strength": 1})"), nullptr);
}

TEST(Collation, SpecHasTheDefaultsOfTheLocale) {
  EXPECT_EQ(bson::ToShellText(Make(R"({"locale": "fr_CA", "strength": 2})")->spec()),
            "{ locale: \"fr_CA\", caseLevel: false, caseFirst: \"off\", strength: 2, "
            "numericOrdering: false, alternate: \"non-ignorable\", maxVariable: \"punct\", "
            "normalization: false, backwards: true, version: \"57.1\" }");
}

TEST(Collation, SortKeysOrderAsCompareDoes) {
  const CollationPtr numeric = Make(R"({"locale": "en", "numericOrdering": true, "strength": 2})");
  const std::vector<std::string> texts = {
      "", "a", "A", "a2", "a10", "B", "b", "\xC3\xA4", std::string(300, 'x')};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      std::string x;
      std::string y;
      numeric->AppendSortKey(a, &x);
      numeric->AppendSortKey(b, &y);
      const int order = numeric->Compare(a, b);
      EXPECT_EQ(order < 0, x < y) << a << " " << b;
      EXPECT_EQ(order == 0, x == y) << a << " " << b;
    }
  }
  EXPECT_LT(numeric->Compare("a2", "a10"), 0);
}

TEST(Collation, FiltersCompareUnderIt) {
  const CollationPtr folded = Make(R"({"locale": "en", "strength": 2})");
  const EvaluationContext evaluation;
  MatchContext context(evaluation);
  const auto equal = Parse(R"({"a": {"$in": ["x", "ABC"]}})", folded.get());
  EXPECT_TRUE(*(*equal)->Matches(Json(R"({"a": "abc"})"), context));
  EXPECT_TRUE((*equal)->DependsOnCollation());
  const auto regex = Parse(R"({"a": {"%regex": "^ABC"}})", folded.get());
  EXPECT_FALSE(*(*regex)->Matches(Json(R"({"a": "abc"})"), context));
}

}  // namespace
}  // namespace mayfly::engine

// What nodes tell the planner, checked against what they match.
#include "base/strings.h"
#include "engine/expression/array_keys.h"
#include "engine/expression/path.h"
#include "engine/query/filter.h"
#include "gtest/gtest.h"
#include "tests/engine/query/filter_testing.h"

namespace mayfly::engine {
namespace {

constexpr std::string_view kValues[] = {
    "null",
    "1",
    "2.5",
    R"({"$numberLong": "7"})",
    R"({"$numberDecimal": "2.5"})",
    R"({"$numberDouble": "NaN"})",
    R"({"$numberDouble": "-Infinity"})",
    R"("")",
    R"("ab")",
    R"("abc")",
    R"("b")",
    "{}",
    R"({"x": 1})",
    "[]",
    "[1]",
    "[1, \"abc\"]",
    "[[1], 2.5]",
    "[[]]",
    "[null]",
    "true",
    R"({"$date": {"$numberLong": "5"}})",
    R"({"$minKey": 1})",
    R"({"$maxKey": 1})",
    R"({"$undefined": true})",
    R"({"$oid": "000000000000000000000001"})",
    R"({"$regularExpression": {"pattern": "^ab", "options": ""}})",
    R"({"$binary": {"base64": "AQ==", "subType": "00"}})",
    R"({"$timestamp": {"t": 1, "i": 1}})",
    R"({"$code": "f"})",
};

constexpr std::string_view kOperators[] = {"$eq", "$ne", "$lt", "$lte", "$gt", "$gte"};

constexpr std::string_view kOthers[] = {
    R"({"%regex": "^ab"})",
    R"({"%regex": "^ab*c"})",
    R"({"%regex": "^a|b"})",
    R"({"%regex": "b$"})",
    R"({"%regex": "^AB", "%options": "i"})",
    R"({"%exists": true})",
    R"({"%exists": false})",
    R"({"%type": "number"})",
    R"({"%type": ["string", "object", "null"]})",
    R"({"%type": ["regex", "javascript", "maxKey", "date"]})",
    R"({"%size": 0})",
    R"({"%size": 1})",
    R"({"%mod": [2, 1]})",
    R"({"%bitsAllSet": [0]})",
    R"({"%in": [1, "abc", null, []]})",
    R"({"%nin": [1, "abc"]})",
    R"({"%not": {"%gt": 1}})",
    R"({"%not": {"%in": [null, 2.5]}})",
    R"({"%elemMatch": {"%gt": 0, "%lt": 2}})",
    R"({"%elemMatch": {"%ne": 1}})",
};

std::vector<std::string> Operands() {
  std::vector<std::string> result(std::begin(kOthers), std::end(kOthers));
  for (const std::string_view op : kOperators) {
    for (const std::string_view value : kValues) {
      result.push_back(base::StrCat("{\"", op, "\": ", value, "}"));
    }
  }
  return result;
}

std::vector<bson::Document> Documents(bool nested) {
  std::vector<bson::Document> result = {Json("{}")};
  for (const std::string_view value : kValues) {
    result.push_back(Json(base::StrCat("{\"a\": ", value, "}")));
    if (nested) result.push_back(Json(base::StrCat("{\"a\": {\"b\": ", value, "}}")));
    if (nested) result.push_back(Json(base::StrCat("{\"a\": [{\"b\": ", value, "}, {\"c\": 1}]}")));
  }
  return result;
}

struct Keys {
  std::vector<bson::Value> values;
  bool has_array = false;
};

// The keys an index on `path` holds for the document.
Keys KeysOf(bson::View document, const Path& path) {
  Keys keys;
  bson::View at = document;
  for (size_t i = 0; i < path.size(); ++i) {
    const bson::ValueView value = at.Find(path.part(i));
    keys.has_array |= value.IsArray();
    if (!value.IsDocument()) break;
    at = value.AsDocument();
  }
  EXPECT_TRUE(VisitArrayKeys(document, {&path}, [&](const std::vector<bson::ValueView>& key) {
                keys.values.push_back(key[0].IsMissing() ? bson::Value::Null()
                                                         : bson::Value(key[0]));
              }).ok());
  return keys;
}

bool Inside(const Intervals& intervals, const bson::Value& key) {
  const Intervals point = {Interval::Point(key)};
  return !Intersect(intervals, point, nullptr).empty();
}

void Check(const FilterNode& node, bson::View document, bool matches, Multikey multikey) {
  const std::optional<IndexBounds> bounds = node.Bounds(multikey);
  if (!bounds) return;
  const Keys keys = KeysOf(document, Path(node.path()));
  if (multikey == Multikey::kNo && keys.has_array) return;
  bool inside = false;
  for (const bson::Value& key : keys.values) inside |= Inside(bounds->intervals, key);
  const std::string text =
      bson::ToShellText(ToDocument(node)) + " on " + bson::ToShellText(document);
  EXPECT_TRUE(inside || !matches) << "missed: " << text;
  EXPECT_TRUE(matches || !inside || !bounds->exact) << "not exact: " << text;
}

void CheckAll(std::string_view path, const std::vector<bson::Document>& documents) {
  const EvaluationContext evaluation;
  MatchContext context(evaluation);
  for (const std::string& operand : Operands()) {
    const auto node = Parse(base::StrCat("{\"", path, "\": ", operand, "}"));
    if (!node.ok()) continue;
    for (const bson::Document& document : documents) {
      const bool matches = *(*node)->Matches(document, context);
      Check(**node, document, matches, Multikey::kNo);
      Check(**node, document, matches, Multikey::kYes);
      EXPECT_TRUE(!matches || !document.empty() || (*node)->MatchesMissing()) << operand;
    }
  }
}

TEST(Bounds, CoverTheKeysOfEveryMatchAndExactOnesNothingElse) {
  CheckAll("a", Documents(false));
  CheckAll("a.b", Documents(true));
}

TEST(Implies, HoldsForEveryDocument) {
  const EvaluationContext evaluation;
  MatchContext context(evaluation);
  const std::vector<bson::Document> documents = Documents(false);
  std::vector<FilterPtr> nodes;
  for (const std::string& operand : Operands()) {
    auto node = Parse(base::StrCat("{\"a\": ", operand, "}"));
    if (node.ok()) nodes.push_back(*std::move(node));
  }
  int implied = 0;
  for (const FilterPtr& query : nodes) {
    for (const FilterPtr& partial : nodes) {
      if (!Implies(*query, *partial)) continue;
      ++implied;
      for (const bson::Document& document : documents) {
        if (!*query->Matches(document, context)) continue;
        EXPECT_TRUE(*partial->Matches(document, context))
            << bson::ToShellText(ToDocument(*query)) << " and "
            << bson::ToShellText(ToDocument(*partial)) << " on " << bson::ToShellText(document);
      }
    }
  }
  EXPECT_GT(implied, static_cast<int>(nodes.size()));
}

TEST(Implies, SeesThroughLists) {
  const auto implies = [](std::string_view query, std::string_view partial) {
    return Implies(**Parse(query), **Parse(partial));
  };
  EXPECT_TRUE(implies(R"({"a": 5, "b": 1})", R"({"a": {"$gt": 3}})"));
  EXPECT_TRUE(implies(R"({"a": {"$in": [5, 6]}})", R"({"a": {"$gt": 3}})"));
  EXPECT_TRUE(implies(R"({"$or": [{"a": 5, "b": 1}, {"a": 7}]})", R"({"a": {"$gt": 3}})"));
  EXPECT_TRUE(implies(R"({"a": 5})", R"({"a": {"$exists": true}})"));
  EXPECT_TRUE(implies(R"({"a": 5})", R"({})"));
  EXPECT_FALSE(implies(R"({"a": 5})", R"({"a": {"$gt": 5}})"));
  EXPECT_FALSE(implies(R"({"a": null})", R"({"a": {"$exists": true}})"));
  EXPECT_FALSE(implies(R"({"b": 5})", R"({"a": {"$gt": 3}})"));
}

TEST(Intervals, UnionIntersectionAndComplement) {
  const auto range = [](int low, int high, bool inclusive) {
    return Interval{bson::Value::Int32(low), bson::Value::Int32(high), inclusive, inclusive};
  };
  const Intervals joined =
      Union({range(1, 3, true)}, {range(3, 5, false), range(8, 9, true)}, nullptr);
  ASSERT_EQ(joined.size(), 2u);
  EXPECT_TRUE(Intersect(joined, Complement(joined, nullptr), nullptr).empty());
  const Intervals all = Union(joined, Complement(joined, nullptr), nullptr);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].low.type(), bson::Type::kMinKey);
  EXPECT_EQ(all[0].high.type(), bson::Type::kMaxKey);
}

}  // namespace
}  // namespace mayfly::engine

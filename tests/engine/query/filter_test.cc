#include "engine/query/filter.h"

#include <set>
#include <string>

#include "base/status.h"
#include "bson/builder.h"
#include "engine/query/filter_families.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/query/filter_testing.h"

namespace mayfly::engine {
namespace {

struct Case {
  std::string_view filter;
  std::string_view document;
  int expected;
};

class FilterMatch : public testing::TestWithParam<Case> {};

TEST_P(FilterMatch, AnswersAsMongoDb) {
  EXPECT_EQ(Match(GetParam().filter, GetParam().document), GetParam().expected)
      << GetParam().filter << " on " << GetParam().document;
}

constexpr Case kPaths[] = {
    {R"({})", R"({"a": 1})", 1},
    {R"({"a": 5})", R"({"a": 5})", 1},
    {R"({"a": 5})", R"({"a": {"$numberLong": "5"}})", 1},
    {R"({"a": 5})", R"({"a": [1, 5]})", 1},
    {R"({"a": 5})", R"({"a": [[5]]})", 0},
    {R"({"a": [5]})", R"({"a": [[5]]})", 1},
    {R"({"a": [1, 5]})", R"({"a": [1, 5]})", 1},
    {R"({"a.b": 1})", R"({"a": [{"b": 2}, {"b": 1}]})", 1},
    {R"({"a.0": 5})", R"({"a": [5, 6]})", 1},
    {R"({"a.1": 5})", R"({"a": [5, 6]})", 0},
    {R"({"a.0": 5})", R"({"a": [[5]]})", 0},
    {R"({"a.00": 5})", R"({"a": [5]})", 0},
    {R"({"a.0": 7})", R"({"a": [{"0": 7}]})", 1},
    {R"({"a.0.b": 7})", R"({"a": [{"b": 7}]})", 1},
    {R"({"a.0.1": 2})", R"({"a": [[1, 2]]})", 1},
    {R"({"a.b": null})", R"({"a": 5})", 1},
    {R"({"a.b": null})", R"({"a": []})", 0},
    {R"({"a.b": null})", R"({"a": [5]})", 0},
    {R"({"a.b": null})", R"({"a": [5, {"c": 1}]})", 1},
    {R"({"a.b": {"$exists": false}})", R"({"a": []})", 1},
    {R"({"": 1})", R"({"": 1})", 1},
};

constexpr Case kComparisons[] = {
    {R"({"a": null})", R"({})", 1},
    {R"({"a": null})", R"({"a": {"$undefined": true}})", 1},
    {R"({"a": {"$gte": null}})", R"({})", 1},
    {R"({"a": {"$gt": null}})", R"({"a": null})", 0},
    {R"({"a": {"$lt": 5}})", R"({"a": "4"})", 0},
    {R"({"a": {"$gt": 5}})", R"({"a": [1, 9]})", 1},
    {R"({"a": {"$gt": 5, "$lt": 7}})", R"({"a": [1, 9]})", 1},
    {R"({"a": {"$elemMatch": {"$gt": 5, "$lt": 7}}})", R"({"a": [1, 9]})", 0},
    {R"({"a": {"$elemMatch": {"b": 1, "c": 2}}})", R"({"a": [{"b": 1}, {"c": 2}]})", 0},
    {R"({"a": {"$elemMatch": {"b": 1, "c": 2}}})", R"({"a": [{"b": 1, "c": 2}]})", 1},
    {R"({"a": {"$lt": {"$maxKey": 1}}})", R"({"a": 1})", 1},
    {R"({"a": {"$gt": {"$numberDouble": "NaN"}}})", R"({"a": 1})", 0},
    {R"({"a": {"$gte": {"$numberDouble": "NaN"}}})", R"({"a": {"$numberDouble": "NaN"}})", 1},
    {R"({"a": {"$ne": 5}})", R"({"a": [1, 5]})", 0},
    {R"({"a": {"$ne": 5}})", R"({})", 1},
    {R"({"a": {"$in": [1, null, "x"]}})", R"({})", 1},
    {R"({"a": {"$nin": [1, null]}})", R"({})", 0},
    {R"({"a": {"$in": []}})", R"({"a": 1})", 0},
    {R"({"a": {"$not": {"$gt": 5}}})", R"({"a": "x"})", 1},
    {R"({"a": {"$all": [1, 2]}})", R"({"a": [2, 3, 1]})", 1},
    {R"({"a": {"$all": [1]}})", R"({"a": 1})", 1},
    {R"({"a": {"$all": []}})", R"({"a": []})", 0},
    {R"({"a": {"$size": 2}})", R"({"a": [1, 2]})", 1},
    {R"({"a": {"$mod": [4, 1]}})", R"({"a": 5.9})", 1},
    {R"({"a": {"%type": "array"}})", R"({"a": []})", 1},
    {R"({"a": {"%type": "number"}})", R"({"a": ["x", 1]})", 1},
    {R"({"a": {"$bitsAllSet": [0, 2]}})", R"({"a": 5})", 1},
    {R"({"a": {"$bitsAllSet": [200]}})", R"({"a": -1})", 1},
    {R"({"a": {"$bitsAnyClear": 4}})", R"({"a": 3})", 1},
    {R"({"a": {"%regex": "^B", "%options": "i"}})", R"({"a": "bc"})", 1},
    {R"({"a": {"$in": [{"$regularExpression": {"pattern": "^b", "options": ""}}, 1]}})",
     R"({"a": ["bc"]})", 1},
    {R"({"$expr": {"$gt": ["$a", "$b"]}})", R"({"a": 2, "b": 1})", 1},
    {R"({"$or": [{"a": 1}, {"b": 1}]})", R"({"b": 1})", 1},
    {R"({"$nor": [{"a": 1}, {"b": 1}]})", R"({"b": 1})", 0},
    {R"({"a": {"$ref": "c", "$id": 1}})", R"({"a": {"$ref": "c", "$id": 1}})", 1},
};

constexpr Case kSchemas[] = {
    {R"({"$jsonSchema": {"required": ["a"]}})", R"({"a": 1})", 1},
    {R"({"$jsonSchema": {"required": ["a"]}})", R"({"b": 1})", 0},
    {R"({"$jsonSchema": {"properties": {"a": {"bsonType": "int", "minimum": 5}}}})", R"({"a": 4})",
     0},
    {R"({"$jsonSchema": {"properties": {"a": {"minimum": 5}}}})", R"({"a": "x"})", 1},
    {R"({"$jsonSchema": {"properties": {"a": {"enum": [{"x": 1, "y": 2}]}}}})",
     R"({"a": {"y": 2, "x": 1}})", 1},
    {R"({"$jsonSchema": {"properties": {"a": {"uniqueItems": true}}}})", R"({"a": [1, 1]})", 0},
    {R"({"$jsonSchema": {"properties": {"a": {"multipleOf": 0.1}}}})", R"({"a": 0.3})", 1},
    {R"({"$jsonSchema": {"properties": {"a": {}}, "additionalProperties": false}})", R"({"b": 1})",
     0},
    {R"({"$jsonSchema": {"patternProperties": {"^s_": {"type": "string"}}}})", R"({"s_a": 1})", 0},
    {R"({"$jsonSchema": {"dependencies": {"a": ["b"]}}})", R"({"a": 1})", 0},
    {R"({"$jsonSchema": {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}})",
     R"({"a": 1, "b": 1})", 0},
    {R"({"$jsonSchema": 1})", "{}", -14},
    {R"({"$jsonSchema": {"nope": 1}})", "{}", -9},
    {R"({"$jsonSchema": {"format": "x"}})", "{}", -9},
    {R"({"$jsonSchema": {"bsonType": "nope"}})", "{}", -2},
    {R"({"$jsonSchema": {"exclusiveMinimum": true}})", "{}", -9},
};

constexpr Case kErrors[] = {
    {R"({"$foo": 1})", "{}", -2},
    {R"({"a": {"$foo": 1}})", "{}", -2},
    {R"({"a": {"$gt": 1, "b": 2}})", "{}", -2},
    {R"({"$or": []})", "{}", -2},
    {R"({"$or": [1]})", "{}", -2},
    {R"({"a": {"$not": {}}})", "{}", -2},
    {R"({"a": {"$not": 1}})", "{}", -2},
    {R"({"a": {"$in": 1}})", "{}", -2},
    {R"({"a": {"$in": [{"$gt": 1}]}})", "{}", -2},
    {R"({"a": {"%regex": "["}})", "{}", -51091},
    {R"({"a": {"%regex": "a", "%options": "g"}})", "{}", -51108},
    {R"({"a": {"%options": "i"}})", "{}", -2},
    {R"({"a": {"%type": true}})", "{}", -14},
    {R"({"a": {"%type": []}})", "{}", -9},
    {R"({"a": {"$mod": [0, 1]}})", "{}", -2},
    {R"({"a": {"$bitsAllSet": -1}})", "{}", -9},
    {R"({"a": {"$elemMatch": {"$expr": true}}})", "{}", -2},
    {R"({"$text": {"$search": "x"}})", "{}", -27},
};

INSTANTIATE_TEST_SUITE_P(Paths, FilterMatch, testing::ValuesIn(kPaths));
INSTANTIATE_TEST_SUITE_P(Comparisons, FilterMatch, testing::ValuesIn(kComparisons));
INSTANTIATE_TEST_SUITE_P(Schemas, FilterMatch, testing::ValuesIn(kSchemas));
INSTANTIATE_TEST_SUITE_P(Errors, FilterMatch, testing::ValuesIn(kErrors));

TEST(RegexFilter, PatternOverTheLimit_IsRefused) {
  const auto parse = [](size_t bytes) {
    bson::Builder filter;
    filter.OpenDocument("a").String("$regex", std::string(bytes, 'a')).Close();
    return ParseFilter(filter.Finish(), {}).status();
  };
  EXPECT_TRUE(parse(16384).ok());
  EXPECT_EQ(static_cast<int>(base::CodeOf(parse(16385))), 51091);
}

TEST(FilterFamilies, NamesAreUniqueAndHaveHelp) {
  std::set<std::string_view> names;
  for (const FilterFamily& family : FilterFamilies()) {
    for (const FilterRow& row : family.rows) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_FALSE(row.help.empty()) << row.name;
      EXPECT_TRUE(row.field != nullptr || row.document != nullptr) << row.name;
    }
  }
}

std::string Shown(std::string_view filter) {
  const auto node = Parse(filter);
  return node.ok() ? bson::ToRelaxedJson(ToDocument(**node)) : std::string(node.status().message());
}

TEST(FilterSerialize, IsSimplifiedAsExplainShowsIt) {
  EXPECT_EQ(Json(Shown(R"({"$and": [{"a": 1}]})")).bytes(), Json(R"({"a": {"$eq": 1}})").bytes());
  EXPECT_EQ(Json(Shown(R"({"b": 1, "a": {"$gt": 2, "$lt": 3}})")).bytes(),
            Json(R"({"$and": [{"b": {"$eq": 1}}, {"a": {"$lt": 3}}, {"a": {"$gt": 2}}]})").bytes());
  EXPECT_EQ(Json(Shown(R"({"a": {"$ne": 1}})")).bytes(),
            Json(R"({"a": {"$not": {"$eq": 1}}})").bytes());
  EXPECT_EQ(Json(Shown("{}")).bytes(), Json("{}").bytes());
}

TEST(MatchContext, RecordsThePositionInTheOutermostArray) {
  const EvaluationContext evaluation;
  MatchContext context(evaluation);
  context.record_position = true;
  const auto node = Parse(R"({"a.b": 2})");
  ASSERT_TRUE(*(*node)->Matches(Json(R"({"a": [{"b": 1}, {"b": [0, 2]}]})"), context));
  EXPECT_EQ(context.position, 1);
  context.position = -1;
  const auto either = Parse(R"({"$or": [{"a.b": 2}, {"a.c": 3}]})");
  ASSERT_TRUE(*(*either)->Matches(Json(R"({"a": [{"b": 2}]})"), context));
  EXPECT_EQ(context.position, -1);
}

TEST(EqualityOn, FindsPointLookUpsOnly) {
  EXPECT_TRUE(EqualityOn(**Parse(R"({"_id": 5, "a": 1})"), "_id").has_value());
  EXPECT_TRUE(IsEqualityOnly(**Parse(R"({"_id": {"$eq": 5}})"), "_id"));
  EXPECT_FALSE(IsEqualityOnly(**Parse(R"({"_id": 5, "a": 1})"), "_id"));
  EXPECT_FALSE(EqualityOn(**Parse(R"({"_id": {"$gt": 5}})"), "_id").has_value());
  EXPECT_FALSE(EqualityOn(**Parse(R"({"_id": null})"), "_id").has_value());
}

TEST(CollectEqualities, TakesWhatAnUpsertStores) {
  const auto node =
      Parse(R"({"c": {"$in": [1]}, "a": 1, "$and": [{"b": {"$all": [2]}}], "d": {"$gt": 1}})");
  const auto equalities = CollectEqualities(**node);
  ASSERT_TRUE(equalities.ok());
  ASSERT_EQ(equalities->size(), 3u);
  EXPECT_EQ((*equalities)[0].path, "a");
  EXPECT_EQ((*equalities)[2].path, "c");
  const auto twice = Parse(R"({"a": 1, "$and": [{"a": 2}]})");
  EXPECT_EQ(base::CodeOf(CollectEqualities(**twice).status()),
            base::ErrorCode::kNotSingleValueField);
}

}  // namespace
}  // namespace mayfly::engine

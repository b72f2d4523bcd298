#include <gtest/gtest.h>

#include "tests/support/update_testing.h"

namespace mayfly::engine {
namespace {

TEST(PopTest, TakesOneEnd) {
  ExpectApplied({
      {R"({"$pop": {"a": 1}})", R"({"a": [1, 2, 3]})", R"({"a": [1, 2]})"},
      {R"({"$pop": {"a": -1}})", R"({"a": [1, 2, 3]})", R"({"a": [2, 3]})"},
      {R"({"$pop": {"a": 1.0}})", R"({"a": [1]})", R"({"a": []})"},
      {R"({"$pop": {"a": 1}})", R"({"a": []})", "unchanged"},
      {R"({"$pop": {"a.b": 1}})", R"({"x": 1})", "unchanged"},
      {R"({"$pop": {"a": 0}})", R"({"a": [1]})", "error 9"},
      {R"({"$pop": {"a": 0.5}})", R"({"a": [1]})", "error 9"},
      {R"({"$pop": {"a": "1"}})", R"({"a": [1]})", "error 9"},
      {R"({"$pop": {"a": 1}})", R"({"a": 5})", "error 14"},
      {R"({"$pop": {"a.b": 1}})", R"({"a": "x"})", "error 28"},
      {R"({"$pop": {"a.b": 1}})", R"({"a": [{"b": [1]}]})", "error 28"},
  });
}

TEST(PullTest, ValuesAreComparedWhole) {
  ExpectApplied({
      {R"({"$pull": {"a": 2}})", R"({"a": [1, 2, 3, 2]})", R"({"a": [1, 3]})"},
      {R"({"$pull": {"a": 2.0}})", R"({"a": [1, 2]})", R"({"a": [1]})"},
      {R"({"$pull": {"a": [1, 2]}})", R"({"a": [[1, 2], [2, 1], 1]})", R"({"a": [[2, 1], 1]})"},
      {R"({"$pull": {"a": null}})", R"({"a": [null, 0]})", R"({"a": [0]})"},
      {R"({"$pull": {"a": 9}})", R"({"a": [1]})", "unchanged"},
      {R"({"$pull": {"b": 9}})", R"({"a": [1]})", "unchanged"},
      {R"({"$pull": {"a": 9}})", R"({"a": 9})", "error 2"},
      {R"({"$pull": []})", R"({"a": 9})", "error 9"},
  });
}

TEST(PullTest, ConditionsAreFilters) {
  ExpectApplied({
      {R"({"$pull": {"a": {"$gte": 3}}})", R"({"a": [1, 3, "x", 5]})", R"({"a": [1, "x"]})"},
      {R"({"$pull": {"a": {"$in": [1, 2]}}})", R"({"a": [1, 2, 3]})", R"({"a": [3]})"},
      {R"({"$pull": {"a": {"$size": 2}}})", R"({"a": [[1, 2], [3]]})", R"({"a": [[3]]})"},
      {R"({"$pull": {"a": {"$regularExpression": {"pattern": "^b", "options": ""}}}})",
       R"({"a": ["ab", "ba"]})", R"({"a": ["ab"]})"},
      {R"({"$pull": {"a": {}}})", R"({"a": [1, {"b": 1}]})", R"({"a": [1]})"},
      {R"({"$pull": {"a": {"x": 1, "y": 2}}})", R"({"a": [{"y": 2, "x": 1}, {"x": 1}]})",
       R"({"a": [{"x": 1}]})"},
      {R"({"$pull": {"a": {"$or": [{"x": 1}, {"x": {"$gt": 8}}]}}})",
       R"({"a": [{"x": 1}, {"x": 5}, {"x": 9}]})", R"({"a": [{"x": 5}]})"},
      {R"({"$pull": {"a": {"b.c": {"$gte": 2}}}})", R"({"a": [{"b": {"c": 1}}, {"b": {"c": 2}}]})",
       R"({"a": [{"b": {"c": 1}}]})"},
      {R"({"$pull": {"a": {"$each": [1]}}})", R"({"a": [1]})", "error 2"},
      {R"({"$pull": {"a": {"$bad": 1}}})", R"({"a": [1]})", "error 2"},
  });
}

TEST(PullAllTest, RemovesEveryListedValue) {
  ExpectApplied({
      {R"({"$pullAll": {"a": [1, "x"]}})", R"({"a": [1, 2, "x", 1]})", R"({"a": [2]})"},
      {R"({"$pullAll": {"a": []}})", R"({"a": [1]})", "unchanged"},
      {R"({"$pullAll": {"a": 1}})", R"({"a": [1]})", "error 2"},
      {R"({"$pullAll": {"a": [1]}})", R"({"a": 1})", "error 2"},
  });
}

}  // namespace
}  // namespace mayfly::engine

#include <gtest/gtest.h>

#include "tests/support/update_testing.h"

namespace mayfly::engine {
namespace {

TEST(PushTest, AppendsOneValueOrEach) {
  ExpectApplied({
      {R"({"$push": {"a": 4}})", R"({"a": [1]})", R"({"a": [1, 4]})"},
      {R"({"$push": {"a": [4]}})", R"({"a": [1]})", R"({"a": [1, [4]]})"},
      {R"({"$push": {"a.b": 4}})", R"({})", R"({"a": {"b": [4]}})"},
      {R"({"$push": {"a": {"$each": [2, 3]}}})", R"({"a": [1]})", R"({"a": [1, 2, 3]})"},
      {R"({"$push": {"a": {"$each": []}}})", R"({"a": [1]})", "unchanged"},
      {R"({"$push": {"a": {"$each": []}}})", R"({})", R"({"a": []})"},
      {R"({"$push": {"a": {"$sort": 1}}})", R"({"a": [2, 1]})", R"({"a": [2, 1, {"$sort": 1}]})"},
      {R"({"$push": {"a": 1}})", R"({"a": 1})", "error 2"},
      {R"({"$push": {"a": {"$each": 1}}})", R"({"a": []})", "error 2"},
      {R"({"$push": {"a": {"$each": [1], "$bad": 1}}})", R"({"a": []})", "error 2"},
  });
}

TEST(PushTest, PositionCountsFromEitherEnd) {
  ExpectApplied({
      {R"({"$push": {"a": {"$each": [8, 9], "$position": 0}}})", R"({"a": [1, 2]})",
       R"({"a": [8, 9, 1, 2]})"},
      {R"({"$push": {"a": {"$each": [9], "$position": 7}}})", R"({"a": [1, 2]})",
       R"({"a": [1, 2, 9]})"},
      {R"({"$push": {"a": {"$each": [9], "$position": -1}}})", R"({"a": [1, 2]})",
       R"({"a": [1, 9, 2]})"},
      {R"({"$push": {"a": {"$each": [9], "$position": -9}}})", R"({"a": [1, 2]})",
       R"({"a": [9, 1, 2]})"},
      {R"({"$push": {"a": {"$each": [9], "$position": 1.5}}})", R"({"a": [1, 2]})", "error 2"},
      {R"({"$push": {"a": {"$each": [9], "$position": "1"}}})", R"({"a": [1, 2]})", "error 2"},
  });
}

TEST(PushTest, SortsThenCuts) {
  ExpectApplied({
      {R"({"$push": {"a": {"$each": [2], "$slice": 2}}})", R"({"a": [5, 6, 7]})",
       R"({"a": [5, 6]})"},
      {R"({"$push": {"a": {"$each": [2], "$slice": -2}}})", R"({"a": [5, 6, 7]})",
       R"({"a": [7, 2]})"},
      {R"({"$push": {"a": {"$each": [2], "$slice": -9}}})", R"({"a": [5]})", R"({"a": [5, 2]})"},
      {R"({"$push": {"a": {"$each": [2], "$slice": 0}}})", R"({"a": [5]})", R"({"a": []})"},
      {R"({"$push": {"a": {"$each": [2, 9], "$sort": -1, "$slice": 3}}})", R"({"a": [5, 1]})",
       R"({"a": [9, 5, 2]})"},
      {R"({"$push": {"a": {"$each": [], "$sort": {"s": 1}}}})",
       R"({"a": [{"s": 5}, 3, {"s": 1}, "t"]})", R"({"a": [3, "t", {"s": 1}, {"s": 5}]})"},
      {R"({"$push": {"a": {"$each": [], "$sort": {"s.t": -1}}}})",
       R"({"a": [{"s": {"t": 1}}, {"s": {"t": 2}}]})",
       R"({"a": [{"s": {"t": 2}}, {"s": {"t": 1}}]})"},
      {R"({"$push": {"a": {"$each": [], "$sort": 1}}})", R"({"a": [1, 2]})", "unchanged"},
      {R"({"$push": {"a": {"$each": [], "$sort": 0}}})", R"({"a": [1]})", "error 2"},
      {R"({"$push": {"a": {"$each": [], "$sort": {}}}})", R"({"a": [1]})", "error 2"},
      {R"({"$push": {"a": {"$each": [], "$sort": {"b.": 1}}}})", R"({"a": [1]})", "error 2"},
      {R"({"$push": {"a": {"$each": [], "$sort": {"": 1}}}})", R"({"a": [1]})", "error 2"},
      {R"({"$push": {"a": {"$each": [], "$sort": {"b": "x"}}}})", R"({"a": [1]})", "error 2"},
      {R"({"$push": {"a": {"$each": [], "$slice": 2.5}}})", R"({"a": [1]})", "error 2"},
  });
}

TEST(AddToSetTest, AddsWhatIsNotThere) {
  ExpectApplied({
      {R"({"$addToSet": {"a": 2}})", R"({"a": [1]})", R"({"a": [1, 2]})"},
      {R"({"$addToSet": {"a": 1.0}})", R"({"a": [1]})", "unchanged"},
      {R"({"$addToSet": {"a": [1, 2]}})", R"({"a": [1]})", R"({"a": [1, [1, 2]]})"},
      {R"({"$addToSet": {"a": {"x": 1, "y": 2}}})", R"({"a": [{"y": 2, "x": 1}]})",
       R"({"a": [{"y": 2, "x": 1}, {"x": 1, "y": 2}]})"},
      {R"({"$addToSet": {"a": {"$each": [2, 3, 2, 1]}}})", R"({"a": [1, 1]})",
       R"({"a": [1, 1, 2, 3]})"},
      {R"({"$addToSet": {"a": {"$each": []}}})", R"({})", R"({"a": []})"},
      {R"({"$addToSet": {"a": {"x": 1, "$each": [1]}}})", R"({"a": []})",
       R"({"a": [{"x": 1, "$each": [1]}]})"},
      {R"({"$addToSet": {"a": {"$each": [3], "$position": 0}}})", R"({"a": [1]})", "error 2"},
      {R"({"$addToSet": {"a": {"$each": "x"}}})", R"({"a": [1]})", "error 14"},
      {R"({"$addToSet": {"a": 1}})", R"({"a": 5})", "error 2"},
  });
}

}  // namespace
}  // namespace mayfly::engine

// Arrays, sets and documents.
#include <gtest/gtest.h>

#include "tests/engine/expression/evaluate.h"

namespace mayfly::engine {
namespace {

TEST(Access, Indexes_CountFromBothEnds) {
  EXPECT_EQ(Eval("{\"$arrayElemAt\": [[1, 2, 3], -1]}"), "3");
  EXPECT_EQ(Eval("{\"$arrayElemAt\": [[1], 5]}"), "missing");
  EXPECT_EQ(Eval("{\"$arrayElemAt\": [1, 0]}"), "error 28689");
  EXPECT_EQ(Eval("{\"$first\": [[1, 2]]}"), "1");
  EXPECT_EQ(Eval("{\"$last\": [[1, 2]]}"), "2");
  EXPECT_EQ(Eval("{\"$size\": [[1, 2]]}"), "2");
  EXPECT_EQ(Eval("{\"$size\": 1}"), "error 17124");
}

TEST(Slice, PositionAndCount_AreClamped) {
  EXPECT_EQ(Eval("{\"$slice\": [[1, 2, 3], 2]}"), "[ 1, 2 ]");
  EXPECT_EQ(Eval("{\"$slice\": [[1, 2, 3], -2]}"), "[ 2, 3 ]");
  EXPECT_EQ(Eval("{\"$slice\": [[1, 2, 3], -2, 1]}"), "[ 2 ]");
  EXPECT_EQ(Eval("{\"$slice\": [[1, 2, 3], 1, 0]}"), "error 28729");
}

TEST(Iteration, Variables_AreTheElements) {
  EXPECT_EQ(
      Eval("{\"$map\": {\"input\": \"$a\", \"as\": \"x\", \"in\": {\"$add\": [\"$$x\", \"$b\"]}}}",
           "{\"a\": [1, 2], \"b\": 10}"),
      "[ 11, 12 ]");
  EXPECT_EQ(Eval("{\"$filter\": {\"input\": [1, 2, 3], \"cond\": {\"$gt\": [\"$$this\", 1]}, "
                 "\"limit\": 1}}"),
            "[ 2 ]");
  EXPECT_EQ(Eval("{\"$reduce\": {\"input\": [1, 2, 3], \"initialValue\": 0, \"in\": {\"$add\": "
                 "[\"$$value\", "
                 "\"$$this\"]}}}"),
            "6");
  EXPECT_EQ(Eval("{\"$map\": {\"input\": 1, \"in\": 1}}"), "error 16883");
  EXPECT_EQ(Eval("{\"$filter\": {\"input\": [1], \"cond\": true, \"limit\": 0}}"), "error 327392");
}

TEST(Order, SortsAndBest_FollowBsonOrder) {
  EXPECT_EQ(Eval("{\"$sortArray\": {\"input\": [3, \"a\", 1], \"sortBy\": -1}}"),
            "[ \"a\", 3, 1 ]");
  EXPECT_EQ(
      Eval("{\"$sortArray\": {\"input\": [{\"a\": 2}, {\"a\": 1}, {}], \"sortBy\": {\"a\": 1}}}"),
      "[ {}, { a: 1 }, { a: 2 } ]");
  EXPECT_EQ(Eval("{\"$maxN\": {\"n\": 2, \"input\": [1, null, 3, 2]}}"), "[ 3, 2 ]");
  EXPECT_EQ(Eval("{\"$lastN\": {\"n\": 2, \"input\": [1, 2, 3]}}"), "[ 2, 3 ]");
  EXPECT_EQ(Eval("{\"$firstN\": {\"n\": 0, \"input\": [1]}}"), "error 7548606");
  EXPECT_EQ(Eval("{\"$reverseArray\": [[1, 2]]}"), "[ 2, 1 ]");
}

TEST(Zip, LongestLength_FillsWithDefaults) {
  EXPECT_EQ(Eval("{\"$zip\": {\"inputs\": [[1, 2], [3]]}}"), "[ [ 1, 3 ] ]");
  EXPECT_EQ(Eval("{\"$zip\": {\"inputs\": [[1, 2], [3]], \"useLongestLength\": true, \"defaults\": "
                 "[0, 9]}}"),
            "[ [ 1, 3 ], [ 2, 9 ] ]");
  EXPECT_EQ(Eval("{\"$zip\": {\"inputs\": []}}"), "error 34465");
}

TEST(Search, Bounds_Limit) {
  EXPECT_EQ(Eval("{\"$in\": [2, [1, 2]]}"), "true");
  EXPECT_EQ(Eval("{\"$in\": [2, 1]}"), "error 40081");
  EXPECT_EQ(Eval("{\"$indexOfArray\": [[1, 2, 1], 1, 1]}"), "2");
  EXPECT_EQ(Eval("{\"$range\": [0, 6, 2]}"), "[ 0, 2, 4 ]");
  EXPECT_EQ(Eval("{\"$range\": [0, 6, 0]}"), "error 34449");
  EXPECT_EQ(Eval("{\"$concatArrays\": [[1], [2]]}"), "[ 1, 2 ]");
}

TEST(Sets, Duplicates_CountOnce) {
  EXPECT_EQ(Eval("{\"$setUnion\": [[2, 1], [1, 3]]}"), "[ 1, 2, 3 ]");
  EXPECT_EQ(Eval("{\"$setIntersection\": [[2, 1, 1], [1]]}"), "[ 1 ]");
  EXPECT_EQ(Eval("{\"$setDifference\": [[3, 1, 3], [1]]}"), "[ 3 ]");
  EXPECT_EQ(Eval("{\"$setEquals\": [[1, 1, 2], [2, 1]]}"), "true");
  EXPECT_EQ(Eval("{\"$setIsSubset\": [[1], [1, 2]]}"), "true");
  EXPECT_EQ(Eval("{\"$setEquals\": [[1], 1]}"), "error 5887502");
  EXPECT_EQ(Eval("{\"$allElementsTrue\": [[1, 0]]}"), "false");
  EXPECT_EQ(Eval("{\"$anyElementTrue\": [[1, 0]]}"), "true");
}

TEST(Objects, Conversions_GoBothWays) {
  EXPECT_EQ(Eval("{\"$objectToArray\": {\"a\": 1}}"), "[ { k: \"a\", v: 1 } ]");
  EXPECT_EQ(Eval("{\"$arrayToObject\": [[[\"a\", 1], [\"b\", 2], [\"a\", 3]]]}"), "{ a: 3, b: 2 }");
  EXPECT_EQ(Eval("{\"$arrayToObject\": [[{\"k\": \"a\", \"v\": 1}, [\"b\", 2]]]}"), "error 40391");
  EXPECT_EQ(Eval("{\"$mergeObjects\": [{\"a\": 1, \"b\": 1}, null, {\"a\": 2}]}"),
            "{ a: 2, b: 1 }");
  EXPECT_EQ(Eval("{\"$mergeObjects\": [1]}"), "error 40400");
}

}  // namespace
}  // namespace mayfly::engine

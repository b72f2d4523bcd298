// Stages over series: windows, filling and densifying; and those that group by ranges or follow
// references.
#include <gtest/gtest.h>

#include "tests/engine/aggregate/run_pipeline.h"

namespace mayfly::engine {
namespace {

constexpr std::string_view kSeries =
    R"([{"_id": 1, "p": "a", "x": 1, "v": 10}, {"_id": 2, "p": "a", "x": 2, "v": 20},
                                         {"_id": 3, "p": "b", "x": 1, "v": 5}, {"_id": 4, "p": "a", "x": 4, "v": 30}])";

std::string Window(std::string_view output) {
  return RunPipeline(
      R"([{"$setWindowFields": {"partitionBy": "$p", "sortBy": {"x": 1}, "output": {"r": )" +
          std::string(output) + R"(}}}, {"$project": {"_id": 1, "r": 1}}])",
      kSeries);
}

TEST(Windows, Documents_AreCountedByPosition) {
  EXPECT_EQ(Window(R"({"$sum": "$v", "window": {"documents": ["unbounded", "current"]}})"),
            "{ _id: 1, r: 10 } { _id: 2, r: 30 } { _id: 4, r: 60 } { _id: 3, r: 5 }");
  EXPECT_EQ(Window(R"({"$push": "$v", "window": {"documents": [-1, 0]}})"),
            "{ _id: 1, r: [ 10 ] } { _id: 2, r: [ 10, 20 ] } { _id: 4, r: [ 20, 30 ] } { _id: 3, "
            "r: [ 5 ] }");
  EXPECT_EQ(Window(R"({"$avg": "$v"})"),
            "{ _id: 1, r: 20.0 } { _id: 2, r: 20.0 } { _id: 4, r: 20.0 } { _id: 3, r: 5.0 }");
}

TEST(Windows, Ranges_FollowTheSortValue) {
  EXPECT_EQ(Window(R"({"$sum": "$v", "window": {"range": [-1, 0]}})"),
            "{ _id: 1, r: 10 } { _id: 2, r: 30 } { _id: 4, r: 30 } { _id: 3, r: 5 }");
}

TEST(Windows, RankAndShift_LookAtTheOrder) {
  EXPECT_EQ(Window(R"({"$documentNumber": {}})"),
            "{ _id: 1, r: 1 } { _id: 2, r: 2 } { _id: 4, r: 3 } { _id: 3, r: 1 }");
  EXPECT_EQ(Window(R"({"$shift": {"output": "$v", "by": -1, "default": 0}})"),
            "{ _id: 1, r: 0 } { _id: 2, r: 10 } { _id: 4, r: 20 } { _id: 3, r: 0 }");
  EXPECT_EQ(Window(R"({"$rank": 1})"), "error 5371603");
  EXPECT_EQ(Window(R"({"$derivative": {"input": "$v"}, "window": {"documents": [-1, 0]}})"),
            "{ _id: 1, r: null } { _id: 2, r: 10.0 } { _id: 4, r: 5.0 } { _id: 3, r: null }");
  EXPECT_EQ(Window(R"({"$nope": 1})"), "error 9");
}

TEST(Fill, Methods_ReplaceNulls) {
  constexpr std::string_view kGaps =
      R"([{"x": 1, "v": 1}, {"x": 2, "v": null}, {"x": 3}, {"x": 4, "v": 7}])";
  EXPECT_EQ(
      RunPipeline(R"([{"$fill": {"sortBy": {"x": 1}, "output": {"v": {"method": "linear"}}}}])",
                  kGaps),
      "{ x: 1, v: 1 } { x: 2, v: 3.0 } { x: 3, v: 5.0 } { x: 4, v: 7 }");
  EXPECT_EQ(
      RunPipeline(
          R"([{"$fill": {"sortBy": {"x": 1}, "output": {"v": {"method": "locf"}}}}, {"$count": "c"}])",
          kGaps),
      "{ c: 4 }");
  EXPECT_EQ(RunPipeline(R"([{"$fill": {"output": {"v": {"value": 0}}}}, {"$limit": 2}])", kGaps),
            "{ x: 1, v: 1 } { x: 2, v: 0 }");
}

TEST(Densify, Gaps_GetDocuments) {
  EXPECT_EQ(RunPipeline(R"([{"$densify": {"field": "x", "range": {"step": 1, "bounds": "full"}}}])",
                        R"([{"x": 1}, {"x": 3, "y": 1}])"),
            "{ x: 1 } { x: 2 } { x: 3, y: 1 }");
  EXPECT_EQ(RunPipeline(R"([{"$densify": {"field": "x", "range": {"step": 0, "bounds": "full"}}}])",
                        "[]"),
            "error 5733401");
}

TEST(BucketAuto, Values_AreSpreadEvenly) {
  EXPECT_EQ(RunPipeline(R"([{"$bucketAuto": {"groupBy": "$x", "buckets": 2}}])",
                        R"([{"x": 1}, {"x": 2}, {"x": 3}, {"x": 4}])"),
            "{ _id: { min: 1, max: 3 }, count: 2 } { _id: { min: 3, max: 4 }, count: 2 }");
  EXPECT_EQ(RunPipeline(R"([{"$bucketAuto": {"groupBy": "$x", "buckets": 0}}])", "[]"),
            "error 40243");
}

TEST(GraphLookup, References_AreFollowed) {
  MemoryHost host;
  host.collections["people"] = ParseDocuments(
      R"([{"_id": 1, "name": "a"}, {"_id": 2, "name": "b", "boss": "a"}, {"_id": 3, "name": "c", "boss": "b"}])");
  RunOptions options;
  options.host = &host;
  EXPECT_EQ(
      RunPipeline(
          R"([{"$graphLookup": {"from": "people", "startWith": "$boss", "connectFromField": "boss",
                            "connectToField": "name", "as": "up", "depthField": "d"}}])",
          R"([{"_id": 3, "boss": "b"}])", options),
      R"({ _id: 3, boss: "b", up: [ { _id: 2, name: "b", boss: "a", d: 0 }, { _id: 1, name: "a", d: 1 } ] })");
}

}  // namespace
}  // namespace mayfly::engine

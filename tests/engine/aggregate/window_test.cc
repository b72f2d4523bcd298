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

TEST(Windows, Deviation_ForgetsWhatLeavesAWindowThatSlides) {
  const std::string sliding = R"({"$stdDevPop": "$v", "window": {"documents": [-1, 0]}})";
  EXPECT_EQ(Window(sliding),
            "{ _id: 1, r: 0 } { _id: 2, r: 5.0 } { _id: 4, r: 5.0 } { _id: 3, r: 0 }");
  EXPECT_EQ(Window(R"({"$stdDevSamp": ["$v", 1]})"),
            "{ _id: 1, r: null } { _id: 2, r: null } { _id: 4, r: null } { _id: 3, r: null }");
}

TEST(Windows, Deviation_OfInfinities) {
  constexpr std::string_view kInfinite =
      R"([{"x": 1, "v": {"$numberDouble": "Infinity"}}, {"x": 2, "v": 2}, {"x": 3, "v": 4}])";
  const auto run = [&](std::string_view output) {
    return RunPipeline(R"([{"$setWindowFields": {"sortBy": {"x": 1}, "output": {"r": )" +
                           std::string(output) + R"(}}}, {"$project": {"_id": 0, "r": 1}}])",
                       kInfinite);
  };
  EXPECT_EQ(run(R"({"$stdDevPop": "$v"})"), "{ r: nan.0 } { r: nan.0 } { r: nan.0 }");
  EXPECT_EQ(run(R"({"$stdDevPop": "$v", "window": {"documents": [-1, 0]}})"),
            "{ r: null } { r: null } { r: 1.0 }");
}

TEST(Windows, Covariance_TakesPairsOfNumbers) {
  constexpr std::string_view kPairs =
      R"([{"x": 1, "y": 10}, {"x": 2, "y": 20}, {"x": 3, "y": 30}])";
  const auto run = [&](std::string_view output) {
    return RunPipeline(R"([{"$setWindowFields": {"sortBy": {"x": 1}, "output": {"r": )" +
                           std::string(output) + R"(}}}, {"$project": {"_id": 0, "r": 1}}])",
                       kPairs);
  };
  EXPECT_EQ(run(R"({"$covarianceSamp": ["$x", "$y"], "window": {"documents": [-1, 0]}})"),
            "{ r: null } { r: 5.0 } { r: 5.0 }");
  EXPECT_EQ(run(R"({"$covariancePop": ["$x", "$y"], "window": {"documents": ["unbounded", 0]}})"),
            "{ r: 0.0 } { r: 2.5 } { r: 6.666666666666667 }");
  // Anything else is no pair, and counts for nothing.
  EXPECT_EQ(run(R"({"$covariancePop": ["$x"]})"), "{ r: null } { r: null } { r: null }");
  EXPECT_EQ(run(R"({"$covariancePop": "$x"})"), "{ r: null } { r: null } { r: null }");
  EXPECT_EQ(run(R"({"$covarianceSamp": [{"$toDecimal": "$x"}, "$y"]})"),
            "{ r: 10 } { r: 10 } { r: 10 }");
}

TEST(Windows, RankStandsAlone) {
  EXPECT_EQ(Window(R"({"$documentNumber": {}, "more": 1})"), "error 5371601");
  EXPECT_EQ(Window(R"({"$rank": {}, "$denseRank": {}})"), "error 5371601");
}

TEST(Windows, OperandsOfAccumulatorsMayBeArrays_InGroupsTheyMayNot) {
  EXPECT_EQ(
      Window(R"({"$push": ["$x", 0], "window": {"documents": [0, 0]}})"),
      "{ _id: 1, r: [ [ 1, 0 ] ] } { _id: 2, r: [ [ 2, 0 ] ] } { _id: 4, r: [ [ 4, 0 ] ] } { _id: "
      "3, r: [ [ 1, 0 ] ] }");
  EXPECT_EQ(RunPipeline(R"([{"$group": {"_id": 1, "r": {"$push": ["$x"]}}}])", kSeries),
            "error 40237");
}

TEST(Sums, OfDecimals_AreExactAndNormal) {
  const auto run = [](std::string_view accumulator, std::string_view documents) {
    return RunPipeline(R"([{"$group": {"_id": null, "r": {")" + std::string(accumulator) +
                           R"(": "$v"}}}, {"$project": {"_id": 0, "r": 1, "t": {"$type": "$r"}}}])",
                       documents);
  };
  EXPECT_EQ(run("$sum", R"([{"v": {"$numberDecimal": "-0"}}])"), "{ r: 0, t: \"decimal\" }");
  EXPECT_EQ(run("$sum", R"([{"v": 2.5}, {"v": {"$numberDecimal": "3.5"}}])"),
            "{ r: 6.0, t: \"decimal\" }");
  EXPECT_EQ(
      run("$sum", R"([{"v": {"$numberLong": "9223372036854775807"}}, {"v": {"$numberLong": "1"}},
                            {"v": {"$numberDecimal": "0"}}])"),
      "{ r: 9223372036854775808, t: \"decimal\" }");
  EXPECT_EQ(run("$avg", R"([{"v": 10}, {"v": {"$numberDecimal": "20"}}])"),
            "{ r: 15, t: \"decimal\" }");
  EXPECT_EQ(run("$avg", R"([{"v": {"$numberLong": "9223372036854775807"}},
                            {"v": {"$numberLong": "-9223372036854775808"}}])"),
            "{ r: -0.5, t: \"double\" }");
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

TEST(Densify, Documents_AreMadeWhenTheyAreAskedFor) {
  // More than the limit, if all were made.
  EXPECT_EQ(
      RunPipeline(R"([{"$densify": {"field": "x", "range": {"step": 1, "bounds": [0, 1000000]}}},
                            {"$limit": 2}])",
                  R"([{"x": 1, "y": 2}, {"z": 1}])"),
      "{ z: 1 } { x: 0 }");
}

TEST(Densify, StepThatRoundingLoses_Ends) {
  EXPECT_EQ(
      RunPipeline(R"([{"$densify": {"field": "x", "range": {"step": 1e-300, "bounds": "full"}}}])",
                  R"([{"x": 1}, {"x": 2}])"),
      "error 5897900");
}

TEST(Densify, Partitions_HaveGapsOfTheirOwn) {
  EXPECT_EQ(
      RunPipeline(R"([{"$densify": {"field": "x", "partitionByFields": ["p"],
                                          "range": {"step": 1, "bounds": "partition"}}}])",
                  R"([{"p": 1, "x": 3}, {"p": 2, "x": 7}, {"p": 1, "x": 1}, {"p": 2, "x": 7}])"),
      "{ p: 1, x: 1 } { p: 1, x: 2 } { p: 1, x: 3 } { p: 2, x: 7 } { p: 2, x: 7 }");
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

TEST(Windows, BoundsFitTheirOrder) {
  const auto run = [](std::string_view sort, std::string_view window) {
    return RunPipeline(R"([{"$setWindowFields": {"sortBy": )" + std::string(sort) +
                           R"(, "output": {"r": {"$sum": "$v", "window": )" + std::string(window) +
                           R"(}}}}, {"$project": {"_id": 0, "r": 1}}])",
                       R"([{"x": 1, "v": 1}])");
  };
  EXPECT_EQ(run("{}", R"({"documents": [-1, 0]})"), "{ r: 1 }");
  EXPECT_EQ(run("null", R"({"documents": ["unbounded", "unbounded"]})"), "{ r: 1 }");
  EXPECT_EQ(run("null", R"({"documents": [-1, 0]})"), "error 5339901");
  EXPECT_EQ(run(R"({"x": -1})", R"({"range": [-1, 0]})"), "error 8947401");
  EXPECT_EQ(run(R"({"x": 1})", R"({"documents": [-1, 0], "unit": "day"})"), "error 9");
}

TEST(BucketAuto, PowersOfTwoAreIntegers_AndNoOutputIsACount) {
  constexpr std::string_view kNumbers = R"([{"x": 1}, {"x": 5}])";
  EXPECT_EQ(RunPipeline(R"([{"$bucketAuto": {"groupBy": "$x", "buckets": 2, "granularity":
                           "POWERSOF2", "output": {}}}])",
                        kNumbers),
            "{ _id: { min: 0.5, max: 2 }, count: 1 } { _id: { min: 2, max: 8 }, count: 1 }");
}

TEST(Stages, SmallThingsAsMongoDB) {
  constexpr std::string_view kOne = R"([{"x": 1}])";
  EXPECT_EQ(RunPipeline(R"([{"$addFields": {}}])", kOne), "{ x: 1 }");
  EXPECT_EQ(RunPipeline(R"([{"$match": {"$where": "true"}}])", kOne), "error 2");
  EXPECT_EQ(RunPipeline(R"([{"$sample": {"size": {"$numberDecimal": "0.6"}}}])", kOne), "{ x: 1 }");
  EXPECT_EQ(RunPipeline(R"([{"$sample": {"size": 0, "x": 1}}])", kOne), "error 28748");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"y": "$a.$id"}}])", R"([{"a": {"$id": 7}}])"),
            "{ y: 7 }");
}

}  // namespace
}  // namespace mayfly::engine

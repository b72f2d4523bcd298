#include "engine/aggregate/pipeline.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/aggregate/accumulator.h"
#include "engine/aggregate/stage.h"
#include "tests/engine/aggregate/run_pipeline.h"

namespace mayfly::engine {
namespace {

constexpr std::string_view kItems = R"([{"_id": 1, "k": "a", "n": 1}, {"_id": 2, "k": "b", "n": 2},
                                        {"_id": 3, "k": "a", "n": 3.5}, {"_id": 4, "n": 4}])";

TEST(Pipeline, Malformed_GivesMongoCodes) {
  EXPECT_EQ(RunPipeline("[1]", "[]"), "error 14");
  EXPECT_EQ(RunPipeline("[{}]", "[]"), "error 40323");
  EXPECT_EQ(RunPipeline(R"([{"$nope": 1}])", "[]"), "error 40324");
  EXPECT_EQ(RunPipeline(R"([{"$limit": 1}, {"$documents": []}])", "[]"), "error 40602");
}

TEST(Pipeline, EmptyPipeline_PassesEverythingOn) {
  EXPECT_EQ(RunPipeline("[]", R"([{"a": 1}])"), "{ a: 1 }");
}

TEST(Match, Filter_PassesOnWhatMatches) {
  EXPECT_EQ(RunPipeline(R"([{"$match": {"n": {"$gt": 2}}}, {"$match": {"k": "a"}}])", kItems),
            R"({ _id: 3, k: "a", n: 3.5 })");
  EXPECT_EQ(RunPipeline(R"([{"$match": 1}])", kItems), "error 15959");
}

TEST(LimitAndSkip, Counts_AreChecked) {
  EXPECT_EQ(
      RunPipeline(R"([{"$skip": 1}, {"$limit": 1}, {"$project": {"n": 1, "_id": 0}}])", kItems),
      "{ n: 2 }");
  EXPECT_EQ(RunPipeline(R"([{"$limit": 0}])", kItems), "error 15958");
  EXPECT_EQ(RunPipeline(R"([{"$limit": -1}])", kItems), "error 5107201");
  EXPECT_EQ(RunPipeline(R"([{"$skip": 1.5}])", kItems), "error 5107200");
}

TEST(Sort, MissingFieldsAndLimit_KeepTheBest) {
  EXPECT_EQ(RunPipeline(R"([{"$sort": {"k": 1, "n": -1}}, {"$project": {"_id": 1}}])", kItems),
            "{ _id: 4 } { _id: 3 } { _id: 1 } { _id: 2 }");
  EXPECT_EQ(RunPipeline(
                R"([{"$sort": {"n": -1}}, {"$skip": 1}, {"$limit": 2}, {"$project": {"_id": 1}}])",
                kItems),
            "{ _id: 3 } { _id: 2 }");
  EXPECT_EQ(RunPipeline(R"([{"$sort": {}}])", kItems), "error 15976");
  EXPECT_EQ(RunPipeline(R"([{"$sort": {"a": 2}}])", kItems), "error 15975");
}

TEST(Sort, Arrays_CountByTheirLowestOrHighestElement) {
  constexpr std::string_view kArrays =
      R"([{"_id": 1, "a": [5, 1]}, {"_id": 2, "a": [2, 3]}, {"_id": 3, "a": []}])";
  EXPECT_EQ(RunPipeline(R"([{"$sort": {"a": 1}}, {"$project": {"_id": 1}}])", kArrays),
            "{ _id: 3 } { _id: 1 } { _id: 2 }");
  EXPECT_EQ(RunPipeline(R"([{"$sort": {"a": -1}}, {"$project": {"_id": 1}}])", kArrays),
            "{ _id: 1 } { _id: 2 } { _id: 3 }");
}

TEST(Sort, BeyondTheMemoryLimit_FailsUnlessTheDiskMayBeUsed) {
  RunOptions options;
  options.memory_limit_bytes = 100;
  options.allow_disk_use = false;
  EXPECT_EQ(RunPipeline(R"([{"$sort": {"n": 1}}])", kItems, options), "error 292");
  options.allow_disk_use = true;
  EXPECT_EQ(RunPipeline(R"([{"$sort": {"n": 1}}, {"$count": "c"}])", kItems, options), "{ c: 4 }");
}

TEST(Project, InclusionExclusionAndComputed_KeepTheOrderOfFields) {
  constexpr std::string_view kDocs =
      R"([{"_id": 1, "a": {"b": 1, "c": 2}, "d": [{"e": 1, "f": 2}, 3]}])";
  EXPECT_EQ(RunPipeline(R"([{"$project": {"d.e": 1, "a.b": 1}}])", kDocs),
            "{ _id: 1, a: { b: 1 }, d: [ { e: 1 } ] }");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": 0, "d.f": 0}}])", kDocs),
            "{ _id: 1, d: [ { e: 1 }, 3 ] }");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"_id": 0, "x": "$a.c", "a": {"b": 1}}}])", kDocs),
            "{ a: { b: 1 }, x: 2 }");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a.b": "$$REMOVE", "_id": 0}}])", kDocs), "{ a: {} }");
}

TEST(Project, Malformed_GivesMongoCodes) {
  EXPECT_EQ(RunPipeline(R"([{"$project": {}}])", kItems), "error 51272");
  EXPECT_EQ(RunPipeline(R"([{"$project": 1}])", kItems), "error 15969");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": 1, "b": 0}}])", kItems), "error 31254");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": 0, "b": 1}}])", kItems), "error 31253");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": 1, "a.b": 1}}])", kItems), "error 31249");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a.b": 1, "a": 1}}])", kItems), "error 31250");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": {"$nope": 1}}}])", kItems), "error 31325");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": {"$elemMatch": {"b": 1}}}}])", kItems), "error 168");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a.$": 1}}])", kItems), "error 31324");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": {"$slice": 1}}}])", kItems), "error 28667");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": 0, "b": {"$add": [1]}}}])", kItems), "error 31252");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": 0, "b": "$c"}}])", kItems), "error 31310");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"a": {}}}])", kItems), "error 51270");
}

TEST(Project, Metadata_IsAnInclusionAloneButGoesWithAnExclusion) {
  constexpr std::string_view kDocs = R"([{"_id": 1, "a": 1, "b": 2}])";
  EXPECT_EQ(RunPipeline(R"([{"$project": {"s": {"$meta": "sortKey"}}}])", kDocs), "{ _id: 1 }");
  EXPECT_EQ(RunPipeline(R"([{"$project": {"s": {"$meta": "sortKey"}, "a": 0}}])", kDocs),
            "{ _id: 1, b: 2 }");
}

TEST(AddFields, Paths_ReplaceInPlaceAndAppend) {
  constexpr std::string_view kDocs = R"([{"a": 1, "b": {"c": 1}, "d": [{"x": 1}, 2]}])";
  EXPECT_EQ(RunPipeline(R"([{"$addFields": {"e": 9, "a": "$b.c", "b.d": 5, "d.y": 0}}])", kDocs),
            "{ a: 1, b: { c: 1, d: 5 }, d: [ { x: 1, y: 0 }, { y: 0 } ], e: 9 }");
  EXPECT_EQ(RunPipeline(R"([{"$unset": ["a", "b.c"]}])", kDocs), "{ b: {}, d: [ { x: 1 }, 2 ] }");
  EXPECT_EQ(RunPipeline(R"([{"$set": {"a": 1, "a.b": 1}}])", kDocs), "error 40176");
  EXPECT_EQ(RunPipeline(R"([{"$set": {"a": {"$add": [1], "b": 1}}}])", kDocs), "error 40181");
  EXPECT_EQ(RunPipeline(R"([{"$set": {"a": {"b.c": 1}}}])", kDocs), "error 40183");
  EXPECT_EQ(RunPipeline(R"([{"$unset": ["a", "a.b"]}])", kDocs), "error 31249");
}

TEST(Group, IdThatIsCodeOrAnEndOfTheOrder_IsShownAsMongoDoes) {
  EXPECT_EQ(RunPipeline(R"([{"$group": {"_id": "$v"}}])",
                        R"([{"v": {"$minKey": 1}}, {"v": {"$maxKey": 1}}, {"v": {"$code": "f"}}])"),
            R"({ _id: { : MinKey } } { _id: { : MaxKey } } { _id: "f" })");
  EXPECT_EQ(RunPipeline(R"([{"$group": {"_id": {"$maxKey": 1}}}])", R"([{"v": 1}])"),
            "{ _id: MaxKey }");
}

TEST(ReplaceRoot, NoDocument_IsAnError) {
  EXPECT_EQ(RunPipeline(R"([{"$replaceRoot": {"newRoot": {"x": "$n"}}}, {"$limit": 1}])", kItems),
            "{ x: 1 }");
  EXPECT_EQ(RunPipeline(R"([{"$replaceWith": "$n"}])", kItems), "error 40228");
}

TEST(Unwind, Elements_BecomeDocuments) {
  constexpr std::string_view kDocs =
      R"([{"_id": 1, "a": [1, 2]}, {"_id": 2, "a": []}, {"_id": 3}, {"_id": 4, "a": 7}])";
  EXPECT_EQ(RunPipeline(R"([{"$unwind": "$a"}])", kDocs),
            "{ _id: 1, a: 1 } { _id: 1, a: 2 } { _id: 4, a: 7 }");
  EXPECT_EQ(
      RunPipeline(
          R"([{"$unwind": {"path": "$a", "preserveNullAndEmptyArrays": true, "includeArrayIndex": "i"}}])",
          kDocs),
      "{ _id: 1, a: 1, i: 0 } { _id: 1, a: 2, i: 1 } { _id: 2, i: null } { _id: 3, i: null } "
      "{ _id: 4, a: 7, i: null }");
  EXPECT_EQ(RunPipeline(R"([{"$unwind": "a"}])", kDocs), "error 28818");
}

TEST(Group, Accumulators_RunOverEveryGroup) {
  EXPECT_EQ(
      RunPipeline(
          R"([{"$group": {"_id": "$k", "s": {"$sum": "$n"}, "c": {"$count": {}}, "p": {"$push": "$_id"}}}])",
          kItems),
      R"({ _id: "a", s: 4.5, c: 2, p: [ 1, 3 ] } { _id: "b", s: 2, c: 1, p: [ 2 ] } { _id: null, s: 4, c: 1, p: [ 4 ] })");
  EXPECT_EQ(
      RunPipeline(
          R"([{"$group": {"_id": null, "t": {"$topN": {"n": 2, "sortBy": {"n": -1}, "output": "$_id"}},
                                        "m": {"$maxN": {"n": 2, "input": "$n"}}, "a": {"$avg": "$n"}}}])",
          kItems),
      "{ _id: null, t: [ 4, 3 ], m: [ 4, 3.5 ], a: 2.625 }");
}

TEST(Group, Malformed_GivesMongoCodes) {
  EXPECT_EQ(RunPipeline(R"([{"$group": {"s": {"$sum": 1}}}])", kItems), "error 15955");
  EXPECT_EQ(RunPipeline(R"([{"$group": {"_id": 1, "s": 1}}])", kItems), "error 40234");
  EXPECT_EQ(RunPipeline(R"([{"$group": {"_id": 1, "s": {"$nope": 1}}}])", kItems), "error 15952");
  EXPECT_EQ(RunPipeline(R"([{"$group": {"_id": 1, "s": {"$sum": [1, 2]}}}])", kItems),
            "error 40237");
  EXPECT_EQ(RunPipeline(R"([{"$group": {"_id": {"a": 1}}}])", kItems), "error 17390");
}

TEST(Count, Documents_AreCounted) {
  EXPECT_EQ(RunPipeline(R"([{"$count": "n"}])", kItems), "{ n: 4 }");
  EXPECT_EQ(RunPipeline(R"([{"$count": "n"}])", "[]"), "");
  EXPECT_EQ(RunPipeline(R"([{"$sortByCount": "$k"}])", kItems),
            R"({ _id: "a", count: 2 } { _id: "b", count: 1 } { _id: null, count: 1 })");
}

TEST(Documents, Expressions_MakeTheSource) {
  EXPECT_EQ(RunPipeline(R"([{"$documents": [{"x": {"$add": [1, 2]}}]}])", "[]"), "{ x: 3 }");
}

TEST(Stages, Rows_AreUniqueAndHaveHelp) {
  std::set<std::string_view> names;
  for (const StageRow* row : StageRows()) {
    EXPECT_TRUE(names.insert(row->name).second) << row->name;
    EXPECT_FALSE(row->help.empty()) << row->name;
    EXPECT_EQ(FindStage(row->name), row);
  }
  names.clear();
  for (absl::Span<const AccumulatorRow> family : AccumulatorFamilies()) {
    for (const AccumulatorRow& row : family) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_FALSE(row.help.empty()) << row.name;
    }
  }
}

}  // namespace
}  // namespace mayfly::engine

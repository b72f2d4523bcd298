// Stages that read or write other collections, and those that run pipelines of their own.
#include <gtest/gtest.h>

#include "tests/engine/aggregate/run_pipeline.h"

namespace mayfly::engine {
namespace {

class JoinTest : public ::testing::Test {
 protected:
  JoinTest() {
    host_.collections["items"] =
        ParseDocuments(R"([{"_id": 1, "k": "a"}, {"_id": 2, "k": "b"}, {"_id": 3}])");
    options_.host = &host_;
  }
  std::string Run(std::string_view pipeline, std::string_view documents) {
    return RunPipeline(pipeline, documents, options_);
  }
  std::string Collection(const std::string& name) {
    std::string out;
    for (const bson::Document& document : host_.collections[name])
      out += bson::ToShellText(document.view());
    return out;
  }

  MemoryHost host_;
  RunOptions options_;
};

TEST_F(JoinTest, Lookup_ByFields_JoinsEqualValuesAndNullWithMissing) {
  EXPECT_EQ(
      Run(R"([{"$lookup": {"from": "items", "localField": "x", "foreignField": "k", "as": "f"}}])",
          R"([{"x": "a"}, {"x": ["a", "b"]}, {"y": 1}])"),
      R"({ x: "a", f: [ { _id: 1, k: "a" } ] } { x: [ "a", "b" ], f: [ { _id: 1, k: "a" }, { _id: 2, k: "b" } ] })"
      R"( { y: 1, f: [ { _id: 3 } ] })");
}

TEST_F(JoinTest, Lookup_ByPipeline_SeesTheVariables) {
  EXPECT_EQ(Run(R"([{"$lookup": {"from": "items", "let": {"v": "$x"}, "as": "f.g", "pipeline": [
                    {"$match": {"$expr": {"$eq": ["$k", "$$v"]}}}, {"$project": {"_id": 0, "z": "$$v"}}]}}])",
                R"([{"x": "b"}, {"x": "q"}])"),
            R"({ x: "b", f: { g: [ { z: "b" } ] } } { x: "q", f: { g: [] } })");
}

TEST_F(JoinTest, Lookup_OfDocumentsByFields_JoinsThoseThatMatch) {
  EXPECT_EQ(Run(R"([{"$lookup": {"localField": "x", "foreignField": "k", "as": "f", "pipeline": [
                    {"$documents": [{"k": 1, "n": 1}, {"k": 2, "n": 2}]}, {"$project": {"n": 1}}]}}])",
                R"([{"x": 1}, {"x": 2}, {"x": 3}])"),
            "{ x: 1, f: [ { n: 1 } ] } { x: 2, f: [ { n: 2 } ] } { x: 3, f: [] }");
}

TEST_F(JoinTest, Facet_StageThatIsNotAllowed_IsParsedFirst) {
  EXPECT_EQ(Run(R"([{"$facet": {"a": [{"$indexStats": 1}]}}])", "[]"), "error 28803");
  EXPECT_EQ(Run(R"([{"$facet": {"a": [{"$indexStats": {}}]}}])", "[]"), "error 40600");
  EXPECT_EQ(Run(R"([{"$facet": {"a": [{"$listLocalSessions": {}}]}}])", "[]"), "error 73");
  EXPECT_EQ(Run(R"([{"$facet": {"a": [{"$search": {}}]}}])", "[]"), "error 40600");
  EXPECT_EQ(Run(R"([{"$match": {}}, {"$searchMeta": {}}])", "[]"), "error 40602");
  EXPECT_EQ(Run(R"([{"$facet": {"a": [{"$match": {}}, {"$searchMeta": {}}]}}])", "[]"),
            "error 40600");
}

TEST_F(JoinTest, Lookup_Nested_SeesOuterVariables) {
  EXPECT_EQ(
      Run(R"([{"$lookup": {"from": "items", "let": {"v": "$x"}, "as": "f", "pipeline": [{"$limit": 1},
                    {"$lookup": {"from": "items", "let": {"w": "$k"}, "as": "g", "pipeline": [{"$limit": 1},
                      {"$project": {"_id": 0, "r": ["$$v", "$$w"]}}]}}]}}])",
          R"([{"x": 5}])"),
      R"({ x: 5, f: [ { _id: 1, k: "a", g: [ { r: [ 5, "a" ] } ] } ] })");
}

TEST_F(JoinTest, Lookup_Malformed_GivesMongoCodes) {
  EXPECT_EQ(Run(R"([{"$lookup": 1}])", "[]"), "error 9");
  EXPECT_EQ(Run(R"([{"$lookup": {"from": "items", "localField": "a", "as": "b"}}])", "[]"),
            "error 9");
  EXPECT_EQ(
      Run(R"([{"$lookup": {"from": "items", "as": "b", "pipeline": [{"$out": "x"}]}}])", "[]"),
      "error 51047");
}

TEST_F(JoinTest, UnionWith_AddsTheOtherCollection) {
  EXPECT_EQ(Run(R"([{"$unionWith": {"coll": "items", "pipeline": [{"$match": {"k": "a"}}]}}])",
                R"([{"x": 1}])"),
            R"({ x: 1 } { _id: 1, k: "a" })");
}

TEST_F(JoinTest, Facet_RunsEveryPipelineOverTheSameDocuments) {
  EXPECT_EQ(
      Run(R"([{"$facet": {"n": [{"$count": "c"}], "top": [{"$sort": {"x": -1}}, {"$limit": 1}]}}])",
          R"([{"x": 1}, {"x": 2}])"),
      "{ n: [ { c: 2 } ], top: [ { x: 2 } ] }");
  EXPECT_EQ(Run(R"([{"$facet": {}}])", "[]"), "error 40169");
  EXPECT_EQ(Run(R"([{"$facet": {"a": [{"$out": "x"}]}}])", "[]"), "error 40600");
}

TEST_F(JoinTest, Bucket_GroupsByBoundaries) {
  EXPECT_EQ(
      Run(R"([{"$bucket": {"groupBy": "$x", "boundaries": [0, 10, 20], "default": "other"}}])",
          R"([{"x": 5}, {"x": 10}, {"x": 19}, {"x": 20}, {"x": "s"}])"),
      R"({ _id: 0, count: 1 } { _id: 10, count: 2 } { _id: "other", count: 2 })");
  EXPECT_EQ(Run(R"([{"$bucket": {"groupBy": "$x", "boundaries": [0, "a"]}}])", "[]"),
            "error 40193");
}

TEST_F(JoinTest, Sample_ChoosesNoMoreThanThereAre) {
  EXPECT_EQ(Run(R"([{"$sample": {"size": 5}}, {"$count": "c"}])", R"([{"x": 1}, {"x": 2}])"),
            "{ c: 2 }");
  EXPECT_EQ(Run(R"([{"$sample": {"size": 0}}])", "[]"), "error 28747");
}

TEST_F(JoinTest, Redact_DescendsAndPrunes) {
  EXPECT_EQ(
      Run(R"([{"$redact": {"$cond": [{"$eq": ["$level", 5]}, "$$PRUNE", "$$DESCEND"]}}])",
          R"([{"level": 1, "a": {"level": 5}, "b": [{"level": 5}, {"level": 2}, 7]}, {"level": 5}])"),
      "{ level: 1, b: [ { level: 2 }, 7 ] }");
  EXPECT_EQ(Run(R"([{"$redact": 1}])", R"([{"x": 1}])"), "error 17053");
}

TEST_F(JoinTest, Out_ReplacesTheCollection) {
  EXPECT_EQ(Run(R"([{"$out": "items"}])", R"([{"_id": 9}])"), "");
  EXPECT_EQ(Collection("items"), "{ _id: 9 }");
  EXPECT_EQ(Run(R"([{"$out": "items"}, {"$limit": 1}])", "[]"), "error 40601");
}

TEST_F(JoinTest, Merge_Modes_DecideWhatHappensToMatches) {
  EXPECT_EQ(Run(R"([{"$merge": "items"}])", R"([{"_id": 1, "n": 1}, {"_id": 9}])"), "");
  EXPECT_EQ(Collection("items"),
            R"({ _id: 1, k: "a", n: 1 }{ _id: 2, k: "b" }{ _id: 3 }{ _id: 9 })");
  EXPECT_EQ(
      Run(R"([{"$merge": {"into": "items", "whenMatched": [{"$set": {"n": {"$add": ["$n", "$$new.n"]}}}]}}])",
          R"([{"_id": 1, "n": 10}])"),
      "");
  EXPECT_EQ(Collection("items").substr(0, 27), R"({ _id: 1, k: "a", n: 11 }{ )");
  EXPECT_EQ(Run(R"([{"$merge": {"into": "items", "whenMatched": "fail"}}])", R"([{"_id": 1}])"),
            "error 11000");
  EXPECT_EQ(Run(R"([{"$merge": {"into": "items", "whenNotMatched": "fail"}}])", R"([{"_id": 77}])"),
            "error 13113");
  EXPECT_EQ(Run(R"([{"$merge": {"into": "items", "on": "k"}}])", R"([{"k": 1}])"), "error 51183");
}

TEST_F(JoinTest, Report_AsksTheHost) {
  EXPECT_EQ(Run(R"([{"$indexStats": {}}])", "[]"), R"({ stage: "$indexStats" })");
  EXPECT_EQ(Run(R"([{"$indexStats": 1}])", "[]"), "error 28803");
}

}  // namespace
}  // namespace mayfly::engine

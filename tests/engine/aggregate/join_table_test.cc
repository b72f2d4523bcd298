// $lookup without an index: the other collection is read once, and the answers are the same.
#include "engine/aggregate/join_table.h"

#include "gtest/gtest.h"
#include "tests/engine/aggregate/run_pipeline.h"

namespace mayfly::engine {
namespace {

constexpr std::string_view kLookup =
    R"([{"$lookup": {"from": "other", "localField": "k", "foreignField": "f.g", "as": "found"}}])";
constexpr std::string_view kLocal =
    R"([{"k": 1}, {"k": [2, 1]}, {"k": null}, {"x": 1}, {"k": "A"}, {"k": 7}, {"k": []}])";

std::string Answers(std::string_view pipeline, MemoryHost* host,
                    int64_t memory = kStageMemoryLimitBytes) {
  host->collections["other"] = ParseDocuments(
      R"([{"_id": 1, "f": {"g": 1}}, {"_id": 2, "f": [{"g": 2}, {"g": 1}]}, {"_id": 3, "f": {"g": null}},
          {"_id": 4}, {"_id": 5, "f": []}, {"_id": 6, "f": {"g": ["A", 1.0]}}, {"_id": 7, "f": 5}])");
  RunOptions options;
  options.host = host;
  options.memory_limit_bytes = memory;
  return RunPipeline(pipeline, kLocal, options);
}

TEST(JoinTable, AnswersAreThoseOfAnIndex) {
  MemoryHost with_index;
  with_index.indexed = "f.g";
  MemoryHost without;
  EXPECT_EQ(Answers(kLookup, &without), Answers(kLookup, &with_index));
  EXPECT_GT(with_index.opened, 2);
  // Once for the first document, once for the table.
  EXPECT_EQ(without.opened, 2);
}

TEST(JoinTable, TooLittleMemoryReadsEachTime) {
  MemoryHost enough;
  MemoryHost little;
  EXPECT_EQ(Answers(kLookup, &little, 50), Answers(kLookup, &enough));
  EXPECT_GT(little.opened, 2);
}

TEST(JoinTable, PipelineAndVariablesApplyToWhatIsFound) {
  constexpr std::string_view kWithPipeline =
      R"([{"$lookup": {"from": "other", "localField": "k", "foreignField": "f.g", "let": {"k": "$k"},
           "pipeline": [{"$match": {"_id": {"$gt": 1}}}, {"$project": {"k": "$$k"}}], "as": "found"}}])";
  MemoryHost with_index;
  with_index.indexed = "f.g";
  MemoryHost without;
  EXPECT_EQ(Answers(kWithPipeline, &without), Answers(kWithPipeline, &with_index));
  EXPECT_EQ(without.opened, 2);
}

}  // namespace
}  // namespace mayfly::engine

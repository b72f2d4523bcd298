// Stages that hold more than their memory: the same result by way of files, or error 292.
#include "engine/aggregate/spill.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bson/builder.h"
#include "bson/json.h"
#include "gtest/gtest.h"
#include "tests/engine/aggregate/run_pipeline.h"

namespace mayfly::engine {
namespace {

constexpr int kDocuments = 2000;

std::vector<bson::Document> Numbers() {
  std::vector<bson::Document> documents;
  for (int i = 0; i < kDocuments; ++i) {
    bson::Builder builder;
    builder.Int32("_id", i).Int32("n", (i * 7919) % kDocuments).Int32("k", i % 500);
    documents.push_back(builder.Finish());
  }
  return documents;
}

std::vector<std::string> Answers(std::string_view pipeline, const RunOptions& options) {
  const bson::Document holder =
      *bson::ParseJson(std::string(R"({"p": )") + std::string(pipeline) + "}");
  const auto result = RunPipelineDocuments(holder.Find("p").AsDocument(), Numbers(), options);
  if (!result.ok())
    return {"error " + std::to_string(static_cast<int>(base::CodeOf(result.status())))};
  std::vector<std::string> texts;
  for (const bson::Document& document : *result) texts.push_back(bson::ToShellText(document));
  return texts;
}

const RunOptions kSmall = {.memory_limit_bytes = 20'000};
const RunOptions kSmallWithoutDisk = {.allow_disk_use = false, .memory_limit_bytes = 20'000};

TEST(Spill, SortGivesTheSameOrder) {
  constexpr std::string_view kPipeline = R"([{"$sort": {"k": -1, "n": 1}}])";
  EXPECT_EQ(Answers(kPipeline, kSmall), Answers(kPipeline, RunOptions{}));
  EXPECT_EQ(Answers(kPipeline, kSmallWithoutDisk), std::vector<std::string>{"error 292"});
}

TEST(Spill, SortIsStable) {
  constexpr std::string_view kPipeline = R"([{"$sort": {"k": 1}}])";
  EXPECT_EQ(Answers(kPipeline, kSmall), Answers(kPipeline, RunOptions{}));
}

TEST(Spill, SortWithALimitGivesNoMore) {
  constexpr std::string_view kPipeline = R"([{"$sort": {"n": 1}}, {"$limit": 700}])";
  EXPECT_EQ(Answers(kPipeline, kSmall).size(), 700);
  EXPECT_EQ(Answers(kPipeline, kSmall), Answers(kPipeline, RunOptions{}));
}

TEST(Spill, GroupGivesTheSameGroups) {
  constexpr std::string_view kPipeline =
      R"([{"$group": {"_id": "$k", "sum": {"$sum": "$n"}, "first": {"$first": "$_id"}}}])";
  std::vector<std::string> spilled = Answers(kPipeline, kSmall);
  std::vector<std::string> in_memory = Answers(kPipeline, RunOptions{});
  std::sort(spilled.begin(), spilled.end());
  std::sort(in_memory.begin(), in_memory.end());
  EXPECT_EQ(spilled.size(), 500);
  EXPECT_EQ(spilled, in_memory);
  EXPECT_EQ(Answers(kPipeline, kSmallWithoutDisk), std::vector<std::string>{"error 292"});
}

// More partitions than one level has room for.
TEST(Spill, GroupsOfOneDocumentEach) {
  constexpr std::string_view kPipeline = R"([{"$group": {"_id": "$n"}}])";
  RunOptions tiny = kSmall;
  tiny.memory_limit_bytes = 500;
  EXPECT_EQ(Answers(kPipeline, tiny).size(), kDocuments);
}

TEST(SpillFile, RowsComeBackAsTheyWere) {
  auto file = SpillFile::Make();
  ASSERT_TRUE(file.ok()) << file.status().message();
  SpilledRow row;
  row.key = {bson::Value::Int64(5), bson::Value::String("x")};
  row.sequence = 9;
  row.row.Own(bson::Builder().Int32("a", 1).Finish());
  row.row.record_id = 42;
  row.row.text_score = 1.5;
  ASSERT_TRUE((*file)->Write(row).ok());
  ASSERT_TRUE((*file)->Rewind().ok());
  SpilledRow read;
  ASSERT_TRUE(*(*file)->Read(&read));
  EXPECT_EQ(read.sequence, 9);
  EXPECT_EQ(read.row.record_id, 42);
  EXPECT_EQ(read.row.text_score, 1.5);
  EXPECT_EQ(bson::ToShellText(read.row.doc()), "{ a: 1 }");
  ASSERT_EQ(read.key.size(), 2);
  EXPECT_EQ(read.key[1].view().AsString(), "x");
  EXPECT_FALSE(*(*file)->Read(&read));
}

}  // namespace
}  // namespace mayfly::engine

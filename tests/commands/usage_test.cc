#include "commands/usage.h"

#include "bson/json.h"
#include "gtest/gtest.h"

namespace mayfly::commands {
namespace {

int64_t BucketOf(int64_t time_us) {
  Latencies latencies;
  latencies.Add(time_us);
  bson::Builder out;
  out.OpenArray("histogram");
  latencies.AppendHistogram(out);
  out.Close();
  const bson::Document document = out.Finish();
  const bson::View histogram = document.view().Find("histogram").AsDocument();
  EXPECT_EQ(histogram.Count(), 1u);
  const bson::View bucket = histogram.Find("0").AsDocument();
  EXPECT_EQ(bucket.Find("count").AsInt64(), 1);
  return bucket.Find("micros").AsInt64();
}

TEST(LatenciesTest, LowerBounds_AreMongoDBs) {
  const auto bounds = Latencies::LowerBounds();
  EXPECT_EQ(bounds[0], 0);
  EXPECT_EQ(bounds[1], 2);
  EXPECT_EQ(bounds[11], 2048);
  EXPECT_EQ(bounds[12], 3072);
  EXPECT_EQ(bounds[31], 2097152);
  EXPECT_EQ(bounds[32], 4194304);
  EXPECT_EQ(bounds[50], int64_t{1} << 40);
}

TEST(LatenciesTest, TimeOfAnOperation_IsInTheBucketThatBeginsAtOrBelowIt) {
  EXPECT_EQ(BucketOf(0), 0);
  EXPECT_EQ(BucketOf(1), 0);
  EXPECT_EQ(BucketOf(2), 2);
  EXPECT_EQ(BucketOf(3071), 2048);
  EXPECT_EQ(BucketOf(3072), 3072);
  EXPECT_EQ(BucketOf(int64_t{1} << 45), int64_t{1} << 40);
}

TEST(UsageStatisticsTest, CommandsThatOnlyRead_AreReads) {
  EXPECT_EQ(LatencyKindOf("aggregate"), LatencyKind::kReads);
  EXPECT_EQ(LatencyKindOf("findAndModify"), LatencyKind::kWrites);
  EXPECT_EQ(LatencyKindOf("collStats"), LatencyKind::kCommands);
  UsageStatistics usage;
  usage.Add(
      {.database = "d", .collection = "c", .latency_kind = LatencyKind::kReads, .time_us = 5});
  usage.Add(
      {.database = "d", .collection = "c", .latency_kind = LatencyKind::kReads, .time_us = 7});
  bson::Builder out;
  AppendLatencies(usage.Of("d", "c"), true, out);
  EXPECT_EQ(bson::ToShellText(out.Finish()),
            "{ reads: { histogram: [ { micros: 4, count: 2 } ], latency: 12, ops: 2 }, "
            "writes: { histogram: [], latency: 0, ops: 0 }, commands: { histogram: [], latency: 0, "
            "ops: 0 }, "
            "transactions: { histogram: [], latency: 0, ops: 0 } }");
}

}  // namespace
}  // namespace mayfly::commands

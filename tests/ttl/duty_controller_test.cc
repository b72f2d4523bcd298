#include "ttl/duty_controller.h"

#include <cmath>

#include "gtest/gtest.h"

namespace mayfly::ttl {
namespace {

// A window with so many commands, one in fifty of them as slow as `p99_us`.
DutyController::Window Commands(int64_t count, int64_t median_us, int64_t p99_us, bool removal) {
  DutyController::Window window{.removal = removal};
  window.latencies[static_cast<size_t>(LatencyBucket(median_us))] += count - count / 50;
  window.latencies[static_cast<size_t>(LatencyBucket(p99_us))] += count / 50;
  return window;
}

TEST(ForegroundMeterTest, PercentilesAreRightToAnEighth) {
  ForegroundMeter meter;
  for (int64_t us = 1; us <= 100'000; ++us) meter.Record(us);
  const LatencyCounts counts = meter.Read();
  EXPECT_EQ(TotalOf(counts), 100'000);
  for (const double share : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    EXPECT_NEAR(static_cast<double>(LatencyAt(counts, share)), share * 1e5, share * 1e5 / 8);
  }
  EXPECT_EQ(LatencyAt(LatencyCounts{}, 0.5), 0);
}

TEST(ForegroundMeterTest, AnyLatencyHasItsBucket) {
  int last = -1;
  for (int64_t us = 0; us < 1'000'000; us += 1 + us / 16) {
    const int bucket = LatencyBucket(us);
    EXPECT_GE(bucket, last);
    last = bucket;
  }
  EXPECT_EQ(LatencyBucket(-5), 0);
  EXPECT_LT(LatencyBucket(INT64_MAX), 256);
}

TEST(DutyControllerTest, NobodyThere_AllOfTheTime) {
  DutyController controller;
  EXPECT_EQ(controller.duty(), 1.0);
  EXPECT_EQ(controller.PauseUs(1000), 0);
  EXPECT_EQ(controller.slice_us(), DutyController::kMaxSliceUs);
  controller.OnWindow(Commands(10, 100, 100, false));
  EXPECT_EQ(controller.duty(), 1.0);
  EXPECT_FALSE(controller.WantsQuietWindow(0));
}

TEST(DutyControllerTest, ClientsWhoFeelIt_Less) {
  DutyController controller;
  controller.OnWindow(Commands(1000, 100, 1000, false));
  const double start = controller.duty();
  EXPECT_LT(start, 1.0);
  EXPECT_EQ(controller.slice_us(), DutyController::kMinSliceUs);
  controller.OnWindow(Commands(1000, 100, 5000, true));
  EXPECT_LT(controller.duty(), start);
  for (int i = 0; i < 50; ++i) controller.OnWindow(Commands(1000, 200, 1000, true));
  EXPECT_EQ(controller.duty(), DutyController::kMinDuty);
  EXPECT_EQ(controller.PauseUs(100), 1900);
}

TEST(DutyControllerTest, ClientsWhoDoNotFeelIt_More) {
  DutyController controller;
  controller.OnWindow(Commands(1000, 100, 1000, false));
  const double start = controller.duty();
  for (int i = 0; i < 50; ++i) controller.OnWindow(Commands(1000, 105, 1100, true));
  EXPECT_GT(controller.duty(), start);
}

TEST(DutyControllerTest, UnderPressureNotBelowAHigherFloor) {
  DutyController controller;
  controller.OnWindow(Commands(1000, 100, 1000, false));
  for (int i = 0; i < 50; ++i) controller.OnWindow(Commands(1000, 100, 9000, true));
  controller.OnBacklog(DutyController::kMaxLagMs, false);
  EXPECT_EQ(controller.duty(), DutyController::kMinDuty);
  controller.OnBacklog(DutyController::kMaxLagMs + 1, false);
  EXPECT_EQ(controller.duty(), DutyController::kMinDutyUnderPressure);
  controller.OnBacklog(0, true);
  EXPECT_EQ(controller.duty(), DutyController::kMinDutyUnderPressure);
  controller.OnBacklog(0, false);
  EXPECT_EQ(controller.duty(), DutyController::kMinDuty);
}

TEST(DutyControllerTest, APartOfWhatTheClientsThreadHasLeft) {
  DutyController controller;
  controller.OnWindow(Commands(1000, 100, 1000, false));
  DutyController::Window window = Commands(1000, 100, 1000, true);
  window.spare = 0.5;
  for (int i = 0; i < 50; ++i) controller.OnWindow(window);
  EXPECT_LT(controller.duty(), 0.5);
  EXPECT_GT(controller.duty(), 0.1);
  window.spare = 0;
  controller.OnWindow(window);
  EXPECT_EQ(controller.duty(), DutyController::kMinDuty);
  controller.OnBacklog(0, true);
  EXPECT_EQ(controller.duty(), DutyController::kMinDutyUnderPressure);
}

TEST(DutyControllerTest, WithoutAComparisonAQuietWindowIsWanted) {
  DutyController controller;
  controller.OnWindow(Commands(1000, 100, 1000, true));
  EXPECT_TRUE(controller.WantsQuietWindow(0));
  controller.OnWindow(Commands(1000, 100, 1000, false));
  EXPECT_FALSE(controller.WantsQuietWindow(0));
  EXPECT_TRUE(controller.WantsQuietWindow(DutyController::kBaselineAgeUs + 1));
}

}  // namespace
}  // namespace mayfly::ttl

// Clocks that jump: removal pauses, and goes on when it may.
#include <cstdint>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"
#include "ttl/clock_guard.h"
#include "ttl/moment_file.h"

namespace mayfly::ttl {
namespace {

using testing::HasSubstr;

constexpr int64_t kStart = test::TestServer::kStartMs;
constexpr int64_t kMinute = 60'000;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kYear = 365 * kDay;

class MemoryMoments : public MomentStore {
 public:
  std::optional<int64_t> Load() override { return kept; }
  void Save(int64_t moment_ms) override { kept = moment_ms; }
  std::optional<int64_t> kept;
};

class ClockGuardTest : public testing::Test {
 protected:
  base::ManualClock clock_{kStart};
  MemoryMoments moments_;
};

TEST_F(ClockGuardTest, PassingTimeIsNoJump) {
  ClockGuard guard(clock_, &moments_);
  for (const int64_t step : {int64_t{1}, kMinute, kHour, kDay, 50 * kYear}) {
    clock_.AdvanceMs(step);
    EXPECT_TRUE(guard.Check()) << step;
  }
}

TEST_F(ClockGuardTest, AJumpOfMoreThanAMinuteIsSuspiciousEitherWay) {
  for (const int64_t jump : {kMinute + 1, -kMinute - 1, 10 * kYear, -10 * kYear}) {
    base::ManualClock clock(kStart);
    ClockGuard guard(clock, nullptr);
    clock.JumpToMs(kStart + jump);
    EXPECT_FALSE(guard.Check()) << jump;
    EXPECT_EQ(guard.state().off_by_ms, jump);
    EXPECT_THAT(guard.state().reason, HasSubstr(jump > 0 ? "ahead" : "back"));
  }
  for (const int64_t jump : {kMinute, -kMinute}) {
    base::ManualClock clock(kStart);
    ClockGuard guard(clock, nullptr);
    clock.JumpToMs(kStart + jump);
    EXPECT_TRUE(guard.Check()) << jump;
  }
}

TEST_F(ClockGuardTest, SlowCorrectionsDoNotAddUp) {
  ClockGuard guard(clock_, &moments_);
  for (int i = 0; i < 100; ++i) {
    clock_.AdvanceMs(kHour);
    clock_.JumpToMs(clock_.NowMs() + kMinute / 2);
    EXPECT_TRUE(guard.Check()) << i;
  }
}

TEST_F(ClockGuardTest, GoesOnWhenTheClockIsBack) {
  ClockGuard guard(clock_, &moments_);
  clock_.JumpToMs(kStart + kYear);
  EXPECT_FALSE(guard.Check());
  clock_.AdvanceMs(kHour);
  EXPECT_FALSE(guard.Check());
  clock_.JumpToMs(kStart + kHour + 10);
  EXPECT_TRUE(guard.Check());
  EXPECT_FALSE(guard.state().suspicious);
}

TEST_F(ClockGuardTest, GoesOnWhenConfirmed) {
  ClockGuard guard(clock_, &moments_);
  EXPECT_FALSE(guard.Confirm());
  clock_.JumpToMs(kStart + kYear);
  EXPECT_FALSE(guard.Check());
  EXPECT_TRUE(guard.Confirm());
  EXPECT_TRUE(guard.Check());
  EXPECT_EQ(moments_.kept, kStart + kYear);
}

TEST_F(ClockGuardTest, GoesOnAfterHoursOfSteadyRunning) {
  ClockGuard guard(clock_, &moments_);
  guard.SetGraceHours(2);
  clock_.JumpToMs(kStart + kYear);
  EXPECT_FALSE(guard.Check());
  clock_.AdvanceMs(kHour);
  EXPECT_FALSE(guard.Check());
  EXPECT_EQ(guard.state().trusted_in_ms, kHour);
  // Another jump begins the time anew.
  clock_.JumpToMs(clock_.NowMs() + kYear);
  EXPECT_FALSE(guard.Check());
  clock_.AdvanceMs(2 * kHour - 1);
  EXPECT_FALSE(guard.Check());
  clock_.AdvanceMs(1);
  EXPECT_TRUE(guard.Check());
}

TEST_F(ClockGuardTest, AWrongTimeIsNotKept) {
  ClockGuard guard(clock_, &moments_);
  EXPECT_EQ(moments_.kept, kStart);
  clock_.AdvanceMs(2 * kMinute);
  EXPECT_TRUE(guard.Check());
  EXPECT_EQ(moments_.kept, kStart + 2 * kMinute);
  clock_.JumpToMs(kStart + kYear);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(guard.Check());
    clock_.AdvanceMs(kMinute);
  }
  guard.SaveNow();
  EXPECT_EQ(moments_.kept, kStart + 2 * kMinute);
}

TEST_F(ClockGuardTest, AcrossARestartTheKeptMomentCounts) {
  struct Case {
    int64_t kept_before_ms;
    bool trusted;
  };
  for (const Case& c : {Case{0, true}, Case{kDay, true}, Case{30 * kDay, true},
                        Case{30 * kDay + 1, false}, Case{10 * kYear, false}, Case{-kMinute, true},
                        Case{-kMinute - 1, false}, Case{-10 * kYear, false}}) {
    moments_.kept = kStart - c.kept_before_ms;
    ClockGuard guard(clock_, &moments_);
    EXPECT_EQ(guard.Check(), c.trusted) << c.kept_before_ms;
    EXPECT_EQ(*moments_.kept, c.trusted ? kStart : kStart - c.kept_before_ms);
  }
}

TEST_F(ClockGuardTest, AfterASuspiciousStartTheClockMayComeBack) {
  moments_.kept = kStart - 10 * kYear;
  ClockGuard guard(clock_, &moments_);
  EXPECT_FALSE(guard.Check());
  // Set right; a week had really passed.
  clock_.JumpToMs(kStart - 10 * kYear + 7 * kDay);
  EXPECT_TRUE(guard.Check());

  moments_.kept = kStart + kHour;
  base::ManualClock behind(kStart);
  ClockGuard other(behind, &moments_);
  EXPECT_FALSE(other.Check());
  behind.AdvanceMs(kHour);
  EXPECT_FALSE(other.Check());
  behind.JumpToMs(kStart + 3 * kHour);
  EXPECT_TRUE(other.Check());
}

TEST_F(ClockGuardTest, TheFileHasTheRealTime) {
  test::TempDir dir;
  int64_t ahead_ms = 0;
  const auto make = [&] {
    return MomentFile(dir.path() + "/clock", [&ahead_ms] { return ahead_ms; });
  };
  EXPECT_EQ(make().Load(), std::nullopt);
  make().Save(kStart);
  EXPECT_EQ(make().Load(), kStart);
  ahead_ms = kYear;
  make().Save(kStart + kYear);
  ahead_ms = 0;
  EXPECT_EQ(make().Load(), kStart);
}

class ClockJumpTest : public testing::Test {
 protected:
  std::string Run(std::string_view command) { return server_.RunText("db", command); }
  test::TestServer server_;
};

TEST_F(ClockJumpTest, NothingIsRemovedAndHidingFollows) {
  Run("{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}]}");
  Run("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
  server_.clock().JumpToMs(kStart + 10 * kYear);
  EXPECT_EQ(*server_.ttl().RunNow(), 0);
  EXPECT_THAT(Run("{count: 'c'}"), HasSubstr("n: 0"));
  EXPECT_THAT(Run("{serverStatus: 1}"), HasSubstr("paused: true"));
  EXPECT_THAT(Run("{validate: 'c'}"), HasSubstr("2 expired documents wait"));
  server_.clock().JumpToMs(kStart + 1'000);
  EXPECT_EQ(*server_.ttl().RunNow(), 0);
  EXPECT_THAT(Run("{count: 'c'}"), HasSubstr("n: 2"));
  EXPECT_THAT(Run("{serverStatus: 1}"), HasSubstr("paused: false"));
}

TEST_F(ClockJumpTest, ResumeConfirmsTheTime) {
  Run("{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}]}");
  Run("{insert: 'c', documents: [{_id: 1}, {_id: 2, ttl: -1}]}");
  EXPECT_THAT(Run("{ttlResume: 1}"), HasSubstr("resumed: false"));
  server_.clock().JumpToMs(kStart + 10 * kYear);
  EXPECT_EQ(*server_.ttl().RunNow(), 0);
  EXPECT_THAT(Run("{ttlResume: 1}"), HasSubstr("resumed: true"));
  EXPECT_EQ(*server_.ttl().RunNow(), 1);
}

// Section 3: over a small step back the moment of modification stands still.
TEST_F(ClockJumpTest, ModificationsDoNotRunBackwardsOverASmallStep) {
  Run("{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}]}");
  Run("{insert: 'c', documents: [{_id: 1}]}");
  server_.clock().JumpToMs(kStart - 30'000);
  Run("{insert: 'c', documents: [{_id: 2}]}");
  server_.clock().AdvanceMs(30'000 + 99'999);
  EXPECT_THAT(Run("{count: 'c'}"), HasSubstr("n: 2"));
  server_.clock().AdvanceMs(1);
  EXPECT_THAT(Run("{count: 'c'}"), HasSubstr("n: 0"));
}

TEST_F(ClockJumpTest, ALargeStepBackIsStamped) {
  Run("{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}]}");
  Run("{insert: 'c', documents: [{_id: 1}]}");
  server_.clock().JumpToMs(kStart - kHour);
  Run("{insert: 'c', documents: [{_id: 2}]}");
  server_.clock().AdvanceMs(100'000);
  EXPECT_THAT(Run("{find: 'c'}"), HasSubstr("[ { _id: 1 } ]"));
}

}  // namespace
}  // namespace mayfly::ttl

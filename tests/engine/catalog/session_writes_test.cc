#include "engine/catalog/session_writes.h"

#include <memory>
#include <string>

#include "base/status.h"
#include "bson/builder.h"
#include "engine/storage/database.h"
#include "gtest/gtest.h"

namespace mayfly::engine {
namespace {

constexpr int64_t kNowMs = 1'700'000'000'000;

class SessionWritesTest : public testing::Test {
 protected:
  void SetUp() override { database_ = *store_->Get("db", Store::IfMissing::kCreate); }

  static std::string Session(int number) {
    std::string session(16, 's');
    session[0] = static_cast<char>(number / 200);
    session[1] = static_cast<char>(number % 200);
    return session;
  }
  static std::string Reply(int n) { return bson::Builder().Int32("n", n).Finish().bytes(); }

  absl::Status Remember(int session, int64_t number, int64_t at_ms,
                        absl::Status result = absl::OkStatus()) {
    return database_->Run({.access = Access::kWrite}, [&](Transaction& transaction) {
      writes_.Remember(transaction, Session(session), {number, Reply(session)}, at_ms);
      return result;
    });
  }
  // By the database alone, as after a restart.
  std::optional<SessionWrites::Write> FindKept(int session) {
    std::optional<SessionWrites::Write> found;
    SessionWrites fresh;
    EXPECT_TRUE(database_
                    ->Run({},
                          [&](Transaction& transaction) -> absl::Status {
                            MAYFLY_ASSIGN_OR_RETURN(found,
                                                    fresh.Find(transaction, Session(session)));
                            return absl::OkStatus();
                          })
                    .ok());
    return found;
  }

  std::unique_ptr<Store> store_ = OpenMemoryStore();
  std::shared_ptr<Database> database_;
  SessionWrites writes_;
};

TEST_F(SessionWritesTest, WriteOfASession_IsKeptWithItsReply) {
  EXPECT_EQ(FindKept(1), std::nullopt);
  ASSERT_TRUE(Remember(1, 7, kNowMs).ok());
  const auto kept = FindKept(1);
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(kept->number, 7);
  EXPECT_EQ(kept->reply, Reply(1));
}

TEST_F(SessionWritesTest, WriteThatWasUndone_LeavesTheOneBefore) {
  ASSERT_TRUE(Remember(1, 7, kNowMs).ok());
  EXPECT_FALSE(Remember(1, 8, kNowMs, base::Error(base::ErrorCode::kBadValue, "undone")).ok());
  ASSERT_TRUE(Remember(2, 1, kNowMs).ok());
  EXPECT_EQ(FindKept(1)->number, 7);
}

TEST_F(SessionWritesTest, OldRows_GoInStepsWithLaterWrites) {
  constexpr int kSessions = SessionWrites::kSweepRows * 2;
  for (int i = 1; i <= kSessions; ++i) ASSERT_TRUE(Remember(i, 1, kNowMs).ok());
  int64_t now_ms = kNowMs + SessionWrites::kKeepMs + 1;
  for (int step = 0; step < 4; ++step) {
    ASSERT_TRUE(Remember(0, step, now_ms).ok());
    now_ms += SessionWrites::kSweepEveryMs;
  }
  for (const int i : {1, kSessions / 2, kSessions}) EXPECT_EQ(FindKept(i), std::nullopt) << i;
  EXPECT_EQ(FindKept(0)->number, 3);
}

}  // namespace
}  // namespace mayfly::engine

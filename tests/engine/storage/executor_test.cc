// How operations are scheduled, grouped, yielded and dropped; the same for every kind of store.
#include "engine/storage/executor.h"

#include <atomic>
#include <thread>

#include "tests/engine/storage/store_kinds.h"

namespace mayfly::engine {
namespace {

using base::CodeOf;
using base::ErrorCode;
using testing::Each;
using testing::ElementsAre;

constexpr OperationOptions kRead = {.access = Access::kRead};
constexpr OperationOptions kWrite = {.access = Access::kWrite};
constexpr OperationOptions kBackgroundWrite = {.access = Access::kWrite,
                                               .priority = Priority::kBackground};

absl::Status No() { return base::Error(ErrorCode::kBadValue, "no"); }

class ExecutorTest : public StoreTest {
 protected:
  void SetUp() override { space_ = MakeSpace(SpaceKind::kRecords); }

  Database::Body Putting(RecordId id, std::string value = "x") {
    return [this, id, value](Transaction& t) { return t.PutRecord(space_, id, value); };
  }
  // Notes `what` when it runs.
  Database::Body Noting(std::string what) {
    return [this, what](Transaction&) {
      ran_.push_back(what);
      return absl::OkStatus();
    };
  }
  // Runs until the slice is over and gives way once.
  absl::Status YieldWhenOthersWait(Transaction& t) {
    while (!t.ShouldYield()) clock_.AdvanceMs(1);
    return t.Yield();
  }
  // An answer may come a moment before the thread that gave it has let go of the database.
  absl::Status RunInline(OperationOptions options, Database::Body body) {
    for (;;) {
      absl::Status answer;
      Database::Done done = [&](absl::Status status) { answer = std::move(status); };
      if (database_->TryRunInline(options, body, done, nullptr)) return answer;
      std::this_thread::yield();
    }
  }

  SpaceId space_ = 0;
  std::vector<std::string> ran_;  // touched inside operations only
};
INSTANTIATE_TEST_SUITE_P(Stores, ExecutorTest, testing::ValuesIn(kStoreKinds), NameOfKind);

TEST_P(ExecutorTest, InlineWhenIdle_RunsOnTheCallersThread) {
  std::thread::id ran_on;
  Database::Body body = [&](Transaction& t) {
    ran_on = std::this_thread::get_id();
    return t.PutRecord(space_, 1, "one");
  };
  EXPECT_EQ(RunInline(kWrite, std::move(body)), absl::OkStatus());
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_EQ(Get(space_, 1), "one");
}

TEST_P(ExecutorTest, InlineFails_ItsWritesAreUndone) {
  bool undone = false;
  Database::Body body = [&](Transaction& t) {
    t.OnRollback([&] { undone = true; });
    MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, "one"));
    return No();
  };
  EXPECT_EQ(CodeOf(RunInline(kWrite, std::move(body))), ErrorCode::kBadValue);
  EXPECT_TRUE(undone);
  EXPECT_EQ(Get(space_, 1), std::nullopt);
}

TEST_P(ExecutorTest, InlineWhenSomethingRunsOrMustBeSynced_IsNotRun) {
  Database::Body body = [](Transaction&) { return absl::OkStatus(); };
  Database::Done done = [](absl::Status) { FAIL(); };
  EXPECT_FALSE(database_->TryRunInline(
      {.access = Access::kWrite, .durability = Durability::kSynced}, body, done, nullptr));
  Blocker blocker(*database_);
  EXPECT_FALSE(database_->TryRunInline(kRead, body, done, nullptr));
  EXPECT_TRUE(body != nullptr && done != nullptr);
}

TEST_P(ExecutorTest, OneOfAGroupFails_OthersAreCommittedTogether) {
  const int64_t commits = database_->Stats().commits;
  Answers answers;
  {
    Blocker blocker(*database_);
    database_->Submit(kWrite, Putting(1), answers.Expect());
    database_->Submit(
        kWrite,
        [&](Transaction& t) {
          MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, "overwritten"));
          MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 2, "lost"));
          return No();
        },
        answers.Expect());
    database_->Submit(kWrite, Putting(3), answers.Expect());
  }
  const std::vector<absl::Status> statuses = answers.Wait();
  EXPECT_TRUE(statuses[0].ok());
  EXPECT_EQ(CodeOf(statuses[1]), ErrorCode::kBadValue);
  EXPECT_TRUE(statuses[2].ok());
  EXPECT_EQ(database_->Stats().commits, commits + 1);
  EXPECT_EQ(Get(space_, 1), "x");
  EXPECT_EQ(Get(space_, 2), std::nullopt);
  EXPECT_EQ(Get(space_, 3), "x");
}

TEST_P(ExecutorTest, FirstOfAGroupFails_OthersAreCommitted) {
  Answers answers;
  {
    Blocker blocker(*database_);
    database_->Submit(
        kWrite,
        [&](Transaction& t) {
          MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, "lost"));
          return No();
        },
        answers.Expect());
    database_->Submit(kWrite, Putting(2), answers.Expect());
  }
  EXPECT_FALSE(answers.Wait()[0].ok());
  EXPECT_TRUE(answers.Wait()[1].ok());
  EXPECT_EQ(Get(space_, 1), std::nullopt);
  EXPECT_EQ(Get(space_, 2), "x");
}

TEST_P(ExecutorTest, BeforeCommitOfAGroup_RunsOnceForAllWithItsOwner) {
  std::atomic<int> calls = 0;
  Answers answers;
  {
    Blocker blocker(*database_);
    for (RecordId id = 1; id <= 5; ++id) {
      database_->Submit(
          kWrite,
          [&, id](Transaction& t) {
            t.BeforeCommit(&calls, [&](Transaction& hook) {
              ++calls;
              return hook.PutRecord(space_, 100, "counter");
            });
            MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, id, "x"));
            return id == 1 ? No() : absl::OkStatus();
          },
          answers.Expect());
    }
  }
  EXPECT_FALSE(answers.Wait()[0].ok());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Get(space_, 100), "counter");
}

TEST_P(ExecutorTest, BeforeCommitOfAGroupFails_AllFailAndAreUndone) {
  std::atomic<int> undone = 0;
  Answers answers;
  {
    Blocker blocker(*database_);
    for (RecordId id = 1; id <= 3; ++id) {
      database_->Submit(
          kWrite,
          [&, id](Transaction& t) {
            t.OnRollback([&] { ++undone; });
            if (id == 2) t.BeforeCommit(&undone, [](Transaction&) { return No(); });
            return t.PutRecord(space_, id, "x");
          },
          answers.Expect());
    }
  }
  for (const absl::Status& status : answers.Wait()) EXPECT_EQ(CodeOf(status), ErrorCode::kBadValue);
  EXPECT_EQ(undone, 3);
  EXPECT_EQ(Get(space_, 1), std::nullopt);
}

TEST_P(ExecutorTest, WaitingTogether_ReadsRunBeforeWrites) {
  Answers answers;
  {
    Blocker blocker(*database_);
    database_->Submit(kWrite, Noting("write 1"), answers.Expect());
    database_->Submit(kRead, Noting("read 1"), answers.Expect());
    database_->Submit(kWrite, Noting("write 2"), answers.Expect());
    database_->Submit(kRead, Noting("read 2"), answers.Expect());
  }
  answers.Wait();
  EXPECT_THAT(ran_, ElementsAre("read 1", "read 2", "write 1", "write 2"));
}

TEST_P(ExecutorTest, Write_AnsweredAfterItsCommitHook) {
  std::vector<std::string> order;
  Answers answers;
  Database::Done done = answers.Expect();
  database_->Submit(
      kWrite,
      [&](Transaction& t) {
        t.OnCommit([&] { order.push_back("committed"); });
        return t.PutRecord(space_, 1, "x");
      },
      [&](absl::Status status) {
        order.push_back("answered");
        done(std::move(status));
      });
  answers.Wait();
  EXPECT_THAT(order, ElementsAre("committed", "answered"));
}

TEST_P(ExecutorTest, BackgroundAndForegroundWait_ForegroundGoesFirst) {
  Answers answers;
  {
    Blocker blocker(*database_);
    database_->Submit(kBackgroundWrite, Noting("background 1"), answers.Expect());
    database_->Submit(kBackgroundWrite, Noting("background 2"), answers.Expect());
    database_->Submit(kWrite, Noting("foreground"), answers.Expect());
  }
  answers.Wait();
  EXPECT_THAT(ran_, ElementsAre("foreground", "background 1", "background 2"));
}

TEST_P(ExecutorTest, BackgroundHasWaitedLong_GoesWithTheForeground) {
  Answers answers;
  {
    Blocker blocker(*database_);
    database_->Submit(kBackgroundWrite, Noting("old"), answers.Expect());
    database_->Submit(kBackgroundWrite, Noting("also old"), answers.Expect());
    clock_.AdvanceMs(Executor::kBackgroundAgeUs / 1000);
    database_->Submit(kWrite, Noting("foreground"), answers.Expect());
    database_->Submit(
        kWrite,
        [&](Transaction&) {
          // One more foreground operation waits when the next batch is taken.
          database_->Submit(kWrite, Noting("later"), answers.Expect());
          return absl::OkStatus();
        },
        answers.Expect());
  }
  answers.Wait();
  EXPECT_THAT(ran_, ElementsAre("foreground", "old", "later", "also old"));
}

TEST_P(ExecutorTest, NobodyWaits_ShouldYieldIsFalseForHoweverLong) {
  ASSERT_TRUE(Read([&](Transaction& t) {
                EXPECT_FALSE(t.ShouldYield());
                clock_.AdvanceMs(10'000);
                EXPECT_FALSE(t.ShouldYield());
                return t.Yield();
              }).ok());
}

TEST_P(ExecutorTest, LongReadYields_ShortOperationsAreAnsweredBeforeItEnds) {
  std::atomic<bool> short_done = false;
  std::atomic<bool> running = false;
  Answers answers;
  database_->Submit(
      kRead,
      [&](Transaction& t) {
        running = true;
        while (!short_done) {
          clock_.AdvanceMs(1);
          if (t.ShouldYield()) MAYFLY_RETURN_IF_ERROR(t.Yield());
        }
        return absl::OkStatus();
      },
      answers.Expect());
  while (!running) std::this_thread::yield();
  EXPECT_TRUE(Put(space_, 1, "x").ok());
  EXPECT_EQ(Get(space_, 1), "x");
  short_done = true;
  EXPECT_THAT(answers.Wait(), Each(absl::OkStatus()));
}

TEST_P(ExecutorTest, WriteYields_ItsPartIsCommittedAndTheRestCanFail) {
  std::vector<std::string> hooks;
  Answers answers;
  std::optional<std::string> seen;
  Blocker blocker(*database_);
  database_->Submit(
      kWrite,
      [&](Transaction& t) {
        t.OnCommit([&] { hooks.push_back("first part committed"); });
        t.OnRollback([&] { hooks.push_back("never"); });
        MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, "kept"));
        database_->Submit(
            kRead,
            [&](Transaction& reader) {
              MAYFLY_ASSIGN_OR_RETURN(auto value, reader.GetRecord(space_, 1));
              if (value.has_value()) seen = std::string(*value);
              return absl::OkStatus();
            },
            answers.Expect());
        MAYFLY_RETURN_IF_ERROR(YieldWhenOthersWait(t));
        EXPECT_EQ(seen, "kept");
        t.OnRollback([&] { hooks.push_back("second part undone"); });
        MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 2, "lost"));
        return No();
      },
      answers.Expect());
  blocker.Release();
  EXPECT_FALSE(answers.Wait()[0].ok());
  EXPECT_THAT(hooks, ElementsAre("first part committed", "second part undone"));
  EXPECT_EQ(Get(space_, 1), "kept");
  EXPECT_EQ(Get(space_, 2), std::nullopt);
}

TEST_P(ExecutorTest, GroupBeforeAYieldingWrite_IsAnsweredBeforeItGoesOn) {
  Answers answers;
  Answers first;
  {
    Blocker blocker(*database_);
    database_->Submit(kWrite, Putting(1), first.Expect());
    database_->Submit(
        kWrite,
        [&](Transaction& t) {
          EXPECT_EQ(first.answered(), 0u);
          database_->Submit(kRead, Noting("read"), answers.Expect());
          MAYFLY_RETURN_IF_ERROR(YieldWhenOthersWait(t));
          EXPECT_EQ(first.answered(), 1u);
          return absl::OkStatus();
        },
        answers.Expect());
  }
  EXPECT_THAT(answers.Wait(), Each(absl::OkStatus()));
}

TEST_P(ExecutorTest, CursorOverAYield_GoesOnWithTheEntriesAsTheyAreThen) {
  ASSERT_TRUE(Write([&](Transaction& t) {
                for (RecordId id = 1; id <= 5; ++id) {
                  MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, id, "x"));
                }
                return absl::OkStatus();
              }).ok());
  Answers answers;
  std::vector<RecordId> ids;
  Blocker blocker(*database_);
  database_->Submit(
      kRead,
      [&](Transaction& t) {
        auto cursor = t.NewRecordCursor(space_, Direction::kForward);
        for (;;) {
          MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
          if (!more) return absl::OkStatus();
          ids.push_back(cursor->id());
          if (cursor->id() != 2) continue;
          database_->Submit(
              kWrite,
              [&](Transaction& writer) {
                MAYFLY_RETURN_IF_ERROR(writer.DeleteRecord(space_, 2));
                MAYFLY_RETURN_IF_ERROR(writer.DeleteRecord(space_, 3));
                return writer.PutRecord(space_, 6, "new");
              },
              answers.Expect());
          MAYFLY_RETURN_IF_ERROR(YieldWhenOthersWait(t));
        }
      },
      answers.Expect());
  blocker.Release();
  EXPECT_THAT(answers.Wait(), Each(absl::OkStatus()));
  EXPECT_THAT(ids, ElementsAre(1, 2, 4, 5, 6));
}

TEST_P(ExecutorTest, InlineOperationYields_OthersRunAndItsResultIsReturned) {
  Answers answers;
  Database::Body body = [&](Transaction& t) {
    MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, "x"));
    database_->Submit(kWrite, Putting(2), answers.Expect());
    MAYFLY_RETURN_IF_ERROR(YieldWhenOthersWait(t));
    EXPECT_EQ(answers.answered(), 1u);
    return t.PutRecord(space_, 3, "x");
  };
  EXPECT_EQ(RunInline(kWrite, std::move(body)), absl::OkStatus());
  EXPECT_EQ(Get(space_, 2), "x");
  EXPECT_EQ(Get(space_, 3), "x");
}

TEST_P(ExecutorTest, MuchWrittenAndNobodyWaits_YieldCommitsAndGoesOn) {
  const int64_t commits = database_->Stats().commits;
  const std::string value(1 << 20, 'x');
  int yields = 0;
  EXPECT_FALSE(Write([&](Transaction& t) {
                 for (RecordId id = 1; id <= 40; ++id) {
                   MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1 + id % 3, value));
                   if (!t.ShouldYield()) continue;
                   ++yields;
                   MAYFLY_RETURN_IF_ERROR(t.Yield());
                   EXPECT_FALSE(t.ShouldYield());
                   MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 10, "lost"));
                 }
                 return No();
               }).ok());
  EXPECT_EQ(yields, 1);
  EXPECT_EQ(database_->Stats().commits, commits + 1);
  EXPECT_EQ(Get(space_, 1), value);
  EXPECT_EQ(Get(space_, 10), std::nullopt);
}

TEST_P(ExecutorTest, YieldInsideASavepoint_IsRefused) {
  EXPECT_EQ(
      CodeOf(Write([](Transaction& t) { return t.WithSavepoint([&] { return t.Yield(); }); })),
      ErrorCode::kInternalError);
}

TEST_P(ExecutorTest, BackgroundRuns_GivesWayToTheForegroundAtOnce) {
  Answers answers;
  {
    Blocker blocker(*database_);
    database_->Submit(
        kBackgroundWrite,
        [&](Transaction& t) {
          ran_.push_back("background begins");
          EXPECT_FALSE(t.ShouldYield());
          database_->Submit(kWrite, Noting("foreground"), answers.Expect());
          EXPECT_TRUE(t.ShouldYield());
          MAYFLY_RETURN_IF_ERROR(t.Yield());
          ran_.push_back("background ends");
          return absl::OkStatus();
        },
        answers.Expect());
  }
  EXPECT_THAT(answers.Wait(), Each(absl::OkStatus()));
  EXPECT_THAT(ran_, ElementsAre("background begins", "foreground", "background ends"));
}

TEST_P(ExecutorTest, DroppedWhileOthersWait_TheyFailAndTheRunningOneHearsAtItsYield) {
  Answers answers;
  std::atomic<bool> running = false;
  database_->Submit(
      kWrite,
      [&](Transaction& t) {
        running = true;
        while (!t.ShouldYield()) std::this_thread::yield();
        return t.Yield();
      },
      answers.Expect());
  while (!running) std::this_thread::yield();
  // The clock stands still, so the slice of the running operation does not end for these.
  database_->Submit(kWrite, Putting(1), answers.Expect());
  database_->Submit(kRead, Noting("never"), answers.Expect());
  EXPECT_TRUE(store_->Drop("db").ok());
  for (const absl::Status& status : answers.Wait()) {
    EXPECT_EQ(CodeOf(status), ErrorCode::kDatabaseDropPending);
  }
  EXPECT_THAT(ran_, ElementsAre());
}

TEST_P(ExecutorTest, TooManyWait_OneMoreIsRefused) {
  Answers answers;
  Blocker blocker(*database_);
  for (int i = 0; i < Database::kMaxQueued; ++i) {
    database_->Submit(
        kRead, [](Transaction&) { return absl::OkStatus(); }, [](absl::Status) {});
  }
  database_->Submit(
      kRead, [](Transaction&) { return absl::OkStatus(); }, answers.Expect());
  EXPECT_EQ(CodeOf(answers.Wait()[0]), ErrorCode::kExceededTimeLimit);
}

TEST_P(ExecutorTest, MoreWaitThanAGroupHolds_SeveralCommits) {
  const int64_t commits = database_->Stats().commits;
  Answers answers;
  {
    Blocker blocker(*database_);
    for (int i = 0; i < 2 * Database::kMaxGroupSize + 1; ++i) {
      database_->Submit(kWrite, Putting(i + 1), answers.Expect());
    }
  }
  EXPECT_THAT(answers.Wait(), Each(absl::OkStatus()));
  EXPECT_EQ(database_->Stats().commits, commits + 3);
}

TEST_P(ExecutorTest, Synced_IsAnswered) {
  EXPECT_TRUE(
      database_->Run({.access = Access::kWrite, .durability = Durability::kSynced}, Putting(1))
          .ok());
  EXPECT_TRUE(database_->Sync().ok());
}

TEST_P(ExecutorTest, ManyThreadsCountUpWithYields_NothingIsLost) {
  constexpr int kThreads = 4;
  constexpr int kEach = 150;
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < kEach; ++k) {
        Database::Body body = [&](Transaction& t) -> absl::Status {
          if (k % 3 == 0) {
            clock_.AdvanceMs(2);
            if (t.ShouldYield()) MAYFLY_RETURN_IF_ERROR(t.Yield());
          }
          MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetRecord(space_, 1));
          const int count = value.has_value() ? std::stoi(std::string(*value)) : 0;
          MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, std::to_string(count + 1)));
          return k % 10 == 9 ? No() : absl::OkStatus();
        };
        absl::Status status;
        Database::Done done = [&](absl::Status answer) { status = std::move(answer); };
        if (i != 0 || !database_->TryRunInline(kWrite, body, done, nullptr)) {
          const Priority priority = i == 1 ? Priority::kBackground : Priority::kForeground;
          status =
              database_->Run({.access = Access::kWrite, .priority = priority}, std::move(body));
        }
        if (!status.ok()) ++failures;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, kThreads * kEach / 10);
  EXPECT_EQ(Get(space_, 1), std::to_string(kThreads * kEach - failures));
}

}  // namespace
}  // namespace mayfly::engine

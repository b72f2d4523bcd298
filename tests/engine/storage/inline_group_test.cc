// Operations on a thread that serves many clients: those that are ready together share a commit.
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/storage/executor.h"
#include "tests/engine/storage/store_kinds.h"

namespace mayfly::engine {
namespace {

using base::CodeOf;
using base::ErrorCode;

constexpr OperationOptions kRead = {.access = Access::kRead};
constexpr OperationOptions kWrite = {.access = Access::kWrite};

absl::Status No() { return base::Error(ErrorCode::kBadValue, "no"); }

// Runs what is deferred when told to.
class ManualDeferrer : public Deferrer {
 public:
  bool IsCurrent() const override { return true; }
  void Defer(absl::AnyInvocable<void()> task) override { tasks_.push_back(std::move(task)); }
  void Run() {
    for (auto& task : std::exchange(tasks_, {})) task();
  }

 private:
  std::vector<absl::AnyInvocable<void()>> tasks_;
};

class InlineGroupTest : public StoreTest {
 protected:
  void SetUp() override { space_ = MakeSpace(SpaceKind::kRecords); }

  Database::Body Putting(RecordId id) {
    return [this, id](Transaction& t) { return t.PutRecord(space_, id, "x"); };
  }
  // The answer comes into the row of answers.
  void Begin(OperationOptions options, Database::Body body) {
    for (;;) {
      Database::Done done = [this](absl::Status status) { answers_.push_back(std::move(status)); };
      if (database_->TryRunInline(options, body, done, &deferrer_)) return;
      std::this_thread::yield();
    }
  }

  SpaceId space_ = 0;
  ManualDeferrer deferrer_;
  std::vector<absl::Status> answers_;
};
INSTANTIATE_TEST_SUITE_P(Stores, InlineGroupTest, testing::ValuesIn(kStoreKinds), NameOfKind);

TEST_P(InlineGroupTest, WritesOfOneTurn_AreCommittedTogetherThenAnswered) {
  const int64_t commits = database_->Stats().commits;
  Begin(kWrite, Putting(1));
  Begin(kWrite, [&](Transaction& t) {
    MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 2, "lost"));
    return No();
  });
  Begin(kWrite, Putting(3));
  EXPECT_THAT(answers_, testing::IsEmpty());
  EXPECT_EQ(database_->Stats().commits, commits);
  deferrer_.Run();
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_TRUE(answers_[0].ok());
  EXPECT_EQ(CodeOf(answers_[1]), ErrorCode::kBadValue);
  EXPECT_TRUE(answers_[2].ok());
  EXPECT_EQ(database_->Stats().commits, commits + 1);
  EXPECT_EQ(Get(space_, 1), "x");
  EXPECT_EQ(Get(space_, 2), std::nullopt);
  EXPECT_EQ(Get(space_, 3), "x");
}

TEST_P(InlineGroupTest, ReadInAnOpenGroup_SeesItAndIsAnsweredWithIt) {
  Begin(kWrite, Putting(1));
  std::string seen;
  Begin(kRead, [&](Transaction& t) -> absl::Status {
    MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetRecord(space_, 1));
    seen = value.value_or("");
    return absl::OkStatus();
  });
  EXPECT_EQ(seen, "x");
  EXPECT_THAT(answers_, testing::IsEmpty());
  deferrer_.Run();
  EXPECT_EQ(answers_.size(), 2u);
}

TEST_P(InlineGroupTest, WhatWaitsMeanwhile_RunsAfterTheGroup) {
  Begin(kWrite, Putting(1));
  Answers others;
  database_->Submit(kWrite, Putting(2), others.Expect());
  EXPECT_THAT(answers_, testing::IsEmpty());
  deferrer_.Run();
  EXPECT_EQ(answers_.size(), 1u);
  EXPECT_TRUE(others.Wait()[0].ok());
  EXPECT_EQ(Get(space_, 2), "x");
}

TEST_P(InlineGroupTest, NobodyElseWasReady_TheNextAreCommittedAtOnce) {
  Begin(kWrite, Putting(1));
  deferrer_.Run();
  for (int i = 0; i < Executor::kAloneMin; ++i) {
    Begin(kWrite, Putting(2));
    EXPECT_EQ(answers_.size(), 2u + i);
  }
  Begin(kWrite, Putting(3));
  Begin(kWrite, Putting(4));
  EXPECT_EQ(answers_.size(), 1u + Executor::kAloneMin);
  deferrer_.Run();
  EXPECT_EQ(answers_.size(), 3u + Executor::kAloneMin);
  Begin(kWrite, Putting(5));
  EXPECT_EQ(answers_.size(), 3u + Executor::kAloneMin);
  deferrer_.Run();
}

TEST_P(InlineGroupTest, LargeGroup_IsCommittedBeforeItsTurnEnds) {
  for (size_t i = 0; i < Executor::kMaxInlineGroup; ++i) Begin(kWrite, Putting(i + 1));
  EXPECT_EQ(answers_.size(), Executor::kMaxInlineGroup);
  Begin(kWrite, Putting(1000));
  deferrer_.Run();
  EXPECT_EQ(answers_.size(), Executor::kMaxInlineGroup + 1);
}

}  // namespace
}  // namespace mayfly::engine

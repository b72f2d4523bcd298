// What the tests of every kind of store share: opening one, and short forms for operations.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "engine/storage/database.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace mayfly::engine {

struct StoreKind {
  const char* name;
  std::unique_ptr<Store> (*open)(const StoreOptions& options);
  bool persistent;
};

inline std::unique_ptr<Store> OpenMemory(const StoreOptions& options) {
  return OpenMemoryStore(options);
}

inline std::unique_ptr<Store> OpenSqlite(const StoreOptions& options) {
  auto store = OpenSqliteStore(options);
  EXPECT_TRUE(store.ok()) << store.status();
  return store.ok() ? *std::move(store) : nullptr;
}

class StoreTest : public testing::TestWithParam<StoreKind> {
 protected:
  StoreTest() { Reopen(); }

  void Reopen() {
    database_.reset();
    store_.reset();
    store_ = GetParam().open(StoreOptions{.path = dir_.path(), .clock = &clock_});
    ASSERT_NE(store_, nullptr);
    auto database = store_->Get("db", Store::IfMissing::kCreate);
    ASSERT_TRUE(database.ok()) << database.status();
    database_ = *database;
  }

  absl::Status Write(Database::Body body) {
    return database_->Run({.access = Access::kWrite}, std::move(body));
  }
  absl::Status Read(Database::Body body) {
    return database_->Run({.access = Access::kRead}, std::move(body));
  }

  SpaceId MakeSpace(SpaceKind kind) {
    SpaceId space = 0;
    absl::Status status = Write([&](Transaction& transaction) {
      MAYFLY_ASSIGN_OR_RETURN(space, transaction.CreateSpace(kind));
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return space;
  }

  absl::Status Put(SpaceId space, RecordId id, std::string value) {
    return Write([&](Transaction& t) { return t.PutRecord(space, id, value); });
  }
  std::optional<std::string> Get(SpaceId space, RecordId id) {
    std::optional<std::string> result;
    absl::Status status = Read([&](Transaction& t) {
      MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetRecord(space, id));
      if (value.has_value()) result = std::string(*value);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return result;
  }

  base::ManualClock clock_{1'000'000};
  test::TempDir dir_;
  std::unique_ptr<Store> store_;
  std::shared_ptr<Database> database_;
};

// Keeps a database busy until it is let go, so that what is submitted meanwhile waits together.
class Blocker {
 public:
  explicit Blocker(Database& database, OperationOptions options = {}) {
    database.Submit(
        options,
        [this](Transaction&) {
          std::unique_lock lock(mutex_);
          running_ = true;
          changed_.notify_all();
          changed_.wait(lock, [&] { return released_; });
          return absl::OkStatus();
        },
        [this](absl::Status) {
          std::lock_guard lock(mutex_);
          done_ = true;
          changed_.notify_all();
        });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return running_; });
  }
  ~Blocker() {
    Release();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_; });
  }
  void Release() {
    std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  bool released_ = false;
  bool done_ = false;
};

// Counts answers and waits for all of them.
class Answers {
 public:
  // The `done` of one more operation.
  Database::Done Expect() {
    std::lock_guard lock(mutex_);
    const size_t index = statuses_.size();
    statuses_.emplace_back();
    return [this, index](absl::Status status) {
      std::lock_guard lock(mutex_);
      statuses_[index] = std::move(status);
      ++answered_;
      changed_.notify_all();
    };
  }
  // In the order of Expect().
  std::vector<absl::Status> Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return answered_ == statuses_.size(); });
    std::vector<absl::Status> result;
    for (auto& status : statuses_) result.push_back(*status);
    return result;
  }
  size_t answered() {
    std::lock_guard lock(mutex_);
    return answered_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<absl::Status>> statuses_;
  size_t answered_ = 0;
};

}  // namespace mayfly::engine

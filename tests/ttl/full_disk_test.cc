// A full disk pauses removal, says so, and is no loss; free pages go back to the file system;
// beside clients, removal runs on their thread.
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "engine/collection/index_builder.h"
#include "engine/collection/writer.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"
#include "ttl/service.h"
#include "ttl/spare_time.h"

namespace mayfly::ttl {
namespace {

constexpr int64_t kStartMs = 1'700'000'000'000;

class SqliteServiceTest : public testing::Test {
 protected:
  SqliteServiceTest() {
    auto store = engine::OpenSqliteStore({.path = dir_.path(), .clock = &clock_});
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    engine_.emplace(*store_, clock_);
    service_.emplace(*engine_, clock_);
  }
  ~SqliteServiceTest() override { service_->Stop(); }

  absl::Status Run(absl::FunctionRef<absl::Status(const engine::WriteContext&)> body) {
    MAYFLY_ASSIGN_OR_RETURN(const auto handle,
                            engine_->Open("db", engine::Store::IfMissing::kCreate));
    return handle->storage().Run(
        {.access = engine::Access::kWrite}, [&](engine::Transaction& t) -> absl::Status {
          MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, handle->GetCatalog(t));
          engine::EvaluationContext evaluation;
          evaluation.now_ms = clock_.NowMs();
          return body({.transaction = t,
                       .catalog = *catalog,
                       .evaluation = evaluation,
                       .modified_ms = evaluation.now_ms,
                       .expiry_listener = engine_->expiry_listener()});
        });
  }

  // Documents of a kilobyte that are due 100 s after now.
  absl::Status Fill(int documents) {
    return Run([&](const engine::WriteContext& write) -> absl::Status {
      MAYFLY_ASSIGN_OR_RETURN(const auto collection,
                              write.catalog.Create(write.transaction, "c", {}, engine_->NewUuid()));
      MAYFLY_ASSIGN_OR_RETURN(
          const engine::IndexSpec spec,
          engine::ParseIndexSpec(
              *bson::ParseJson(R"({"key": {"_ts": 1}, "name": "r", "expireAfterSeconds": 100})"),
              {}));
      MAYFLY_RETURN_IF_ERROR(write.catalog.AddIndex(write.transaction, *collection, spec).status());
      engine::CollectionWriter writer(write, collection);
      const std::string text(1000, 'x');
      for (int i = 0; i < documents; ++i) {
        const bson::Document document =
            *bson::ParseJson(base::StrCat("{\"_id\": ", i, ", \"a\": \"", text, "\"}"));
        MAYFLY_RETURN_IF_ERROR(writer.Insert(document).status());
      }
      return absl::OkStatus();
    });
  }

  int64_t Documents() {
    int64_t documents = -1;
    EXPECT_TRUE(Run([&](const engine::WriteContext& write) {
                  documents = write.catalog.Find("c")->counters().documents;
                  return absl::OkStatus();
                }).ok());
    return documents;
  }

  void PassTime(int64_t ms) {
    clock_.AdvanceMs(ms);
    service_->SetEnabled(true);  // wakes the thread, whose clock stood still
    std::this_thread::yield();
  }

  test::TempDir dir_;
  base::ManualClock clock_{kStartMs};
  std::unique_ptr<engine::Store> store_;
  std::optional<engine::Engine> engine_;
  std::optional<Service> service_;
};

TEST_F(SqliteServiceTest, FullDisk_PausesAndGoesOn) {
  ASSERT_TRUE(Fill(100).ok());
  clock_.AdvanceMs(100'000);
  // Writing beyond this size fails as on a full disk.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit full = before;
  full.rlim_cur = 4096;
  signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  service_->Start();
  while (!service_->metrics().disk_full) std::this_thread::yield();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(Documents(), 100);
  // Not before the pause is over.
  EXPECT_EQ(service_->metrics().deleted_documents, 0);
  // The thread may be about to fix the end of its pause, so time passes until it is over.
  while (service_->metrics().disk_full) PassTime(Service::kMaxRetryMs);
  EXPECT_EQ(*service_->RunNow(), 100);
  EXPECT_EQ(Documents(), 0);
}

TEST_F(SqliteServiceTest, FreePagesGoBackWhenClientsAreIdle) {
  ASSERT_TRUE(Fill(10'000).ok());
  clock_.AdvanceMs(100'000);
  EXPECT_EQ(*service_->RunNow(), 10'000);
  service_->Start();
  while (service_->metrics().vacuumed_pages < 100) PassTime(1'000);
}

// A serving thread that never has a moment to spare, until it is told to hurry.
class NoSpareTime : public SpareTime {
 public:
  ~NoSpareTime() override { Hurry(); }
  bool RunWhenIdle(absl::AnyInvocable<void()>& task) override {
    const std::lock_guard lock(mutex_);
    if (task_) return false;
    task_ = std::move(task);
    return true;
  }
  void Hurry() override {
    absl::AnyInvocable<void()> task;
    {
      const std::lock_guard lock(mutex_);
      task = std::exchange(task_, nullptr);
    }
    if (!task) return;
    ++hurried_;
    task();
  }
  int64_t UnusedUs() const override { return 0; }
  int hurried() const { return hurried_; }

 private:
  std::mutex mutex_;
  absl::AnyInvocable<void()> task_;
  std::atomic<int> hurried_{0};
};

TEST_F(SqliteServiceTest, BesideClientsOnTheirThread_AndNotPutOffForEver) {
  NoSpareTime spare_time;
  service_->SetSpareTime(&spare_time);
  ASSERT_TRUE(Fill(1'000).ok());
  clock_.AdvanceMs(100'000);
  const auto clients_work = [this] {
    for (int i = 0; i < 100; ++i) service_->meter().Record(100);
  };
  service_->SetEnabled(false);
  service_->Start();
  while (service_->metrics().duty_percent == 100) {
    clients_work();
    clock_.AdvanceMs(1);
    service_->SetEnabled(false);  // wakes the thread
    std::this_thread::yield();
  }
  while (service_->metrics().deleted_documents < 1'000) {
    clients_work();
    PassTime(1);
  }
  EXPECT_GT(spare_time.hurried(), 0);
  service_->Stop();
  EXPECT_EQ(Documents(), 0);
}

}  // namespace
}  // namespace mayfly::ttl

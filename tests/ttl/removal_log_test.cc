// The log of removals, and the hook it hangs on.
#include "ttl/removal_log.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "bson/json.h"
#include "gmock/gmock.h"
#include "tests/support/temp_dir.h"
#include "tests/ttl/slices.h"

namespace mayfly::ttl {
namespace {

using engine::RemovalReason;
using engine::RemovedDocument;
using testing::ElementsAre;
using testing::HasSubstr;

class Collector : public engine::RemovalObserver {
 public:
  void OnRemoved(RemovedDocument removed) override { all.push_back(std::move(removed)); }
  std::vector<RemovedDocument> all;
};

class RemovalHookTest : public SliceTest {
 protected:
  RemovalHookTest() { server_.services().engine.SetRemovalObserver(&collector_); }
  ~RemovalHookTest() override { server_.services().engine.SetRemovalObserver(nullptr); }
  Collector collector_;
};

TEST_F(RemovalHookTest, EachRuleTellsWhatWhenAndWhy) {
  const int64_t start_ms = test::TestServer::kStartMs;
  Run("{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}, "
      "{key: {at: 1}, name: 'at', expireAfterSeconds: 5}]}");
  Run("{updateTimeToLive: 'c', timeToLiveSpecification: {enabled: true, attributeName: 'exp'}}");
  Run("{insert: 'c', documents: [{_id: 'w'}, {_id: 'o', ttl: 30}]}");
  Run(base::StrCat("{insert: 'c', documents: [{_id: 'd', ttl: -1, at: {$date: ", start_ms + 1000,
                   "}}, {_id: 'e', ttl: -1, exp: ", start_ms / 1000 + 7, "}]}"));
  server_.clock().AdvanceMs(200'000);
  EXPECT_EQ(*server_.ttl().RunNow(), 4);
  ASSERT_EQ(collector_.all.size(), 4u);
  for (const RemovedDocument& removed : collector_.all) {
    EXPECT_EQ(removed.ns, "db.c");
    EXPECT_EQ(removed.removed_ms, start_ms + 200'000);
    const std::string_view id = removed.document.Find("_id").AsString();
    const auto expect = [&](RemovalReason reason, int64_t after_ms) {
      EXPECT_EQ(removed.reason, reason) << id;
      EXPECT_EQ(removed.due_ms, start_ms + after_ms) << id;
    };
    if (id == "w") expect(RemovalReason::kLastWriteTtl, 100'000);
    if (id == "o") expect(RemovalReason::kLastWriteTtl, 30'000);
    if (id == "d") expect(RemovalReason::kDateTtl, 6'000);
    if (id == "e") expect(RemovalReason::kEpochTtl, 7'000);
  }
}

TEST_F(RemovalHookTest, OneInTheWayIsToldToo_AUsersDeleteIsNot) {
  Run("{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}]}");
  Run("{insert: 'c', documents: [{_id: 1, a: 'old'}, {_id: 2}]}");
  Run("{delete: 'c', deletes: [{q: {_id: 2}, limit: 1}]}");
  server_.clock().AdvanceMs(100'000);
  Run("{insert: 'c', documents: [{_id: 1, a: 'new'}]}");
  ASSERT_EQ(collector_.all.size(), 1u);
  EXPECT_EQ(collector_.all[0].document.Find("a").AsString(), "old");
  EXPECT_EQ(collector_.all[0].due_ms, test::TestServer::kStartMs + 100'000);
}

TEST_F(RemovalHookTest, WhatIsUndoneIsNotTold) {
  MakeCollection();
  Insert(0, 10);
  server_.clock().AdvanceMs(100'000);
  const absl::Status status =
      InOperation([&](engine::DatabaseHandle& database, engine::Transaction& t) -> absl::Status {
        const auto result =
            RunPurgeSlice(database, t, ticking_, {.max_us = 1000}, &progress_, &turn_, &collector_);
        EXPECT_EQ(result->removed, 10);
        return base::Error(base::ErrorCode::kBadValue, "no");
      });
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(collector_.all.empty());
  turn_ = PurgeTurn();
  EXPECT_EQ(Slice(1000, &collector_).removed, 10);
  EXPECT_EQ(collector_.all.size(), 10u);
}

RemovedDocument Sample(int id) {
  return {.ns = "db.c",
          .document = *bson::ParseJson(base::StrCat("{\"_id\": ", id, ", \"a\": \"x\"}")),
          .reason = RemovalReason::kDateTtl,
          .due_ms = 1000,
          .removed_ms = 2000};
}

TEST(RemovalLogTest, OneLineForEachDocument) {
  EXPECT_EQ(RemovalLogLine(Sample(1)),
            R"({ "ns" : "db.c", "_id" : { "$numberInt" : "1" }, "rule" : "date", )"
            R"("due" : { "$date" : { "$numberLong" : "1000" } }, )"
            R"("removed" : { "$date" : { "$numberLong" : "2000" } }, )"
            R"("document" : { "_id" : { "$numberInt" : "1" }, "a" : "x" } })");
  test::TempDir dir;
  const std::string path = dir.path() + "/log";
  {
    auto log = RemovalLog::Open(path);
    ASSERT_TRUE(log.ok()) << log.status();
    for (int i = 0; i < 100; ++i) (*log)->OnRemoved(Sample(i));
    (*log)->Flush();
    EXPECT_EQ((*log)->written(), 100);
    EXPECT_EQ((*log)->dropped(), 0);
  }
  std::FILE* file = std::fopen(path.c_str(), "r");
  ASSERT_NE(file, nullptr);
  int lines = 0;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) lines += c == '\n';
  std::fclose(file);
  EXPECT_EQ(lines, 100);
  EXPECT_FALSE(RemovalLog::Open(dir.path() + "/no/such/folder/log").ok());
}

TEST(RemovalLogTest, SlowDisk_DropsAndCountsAndNeverWaits) {
  std::mutex mutex;
  std::condition_variable changed;
  bool blocked = true;
  RemovalLog log([&](const std::string&) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !blocked; });
    return true;
  });
  RemovedDocument large = Sample(1);
  const std::string text(1 << 20, 'x');
  large.document = *bson::ParseJson(base::StrCat("{\"_id\": \"", text, "\"}"));
  for (int i = 0; i < 40; ++i) log.OnRemoved(large);
  EXPECT_GE(log.dropped(), 24);
  {
    const std::lock_guard lock(mutex);
    blocked = false;
    changed.notify_all();
  }
  log.Flush();
  EXPECT_EQ(log.written() + log.dropped(), 40);
  EXPECT_GE(log.written(), 10);
}

TEST(RemovalLogTest, LostLinesAreCounted) {
  RemovalLog log([](const std::string&) { return false; });
  log.OnRemoved(Sample(1));
  log.Flush();
  EXPECT_EQ(log.written(), 0);
  EXPECT_EQ(log.dropped(), 1);
}

}  // namespace
}  // namespace mayfly::ttl

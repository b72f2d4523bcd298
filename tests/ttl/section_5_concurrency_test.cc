// Collections come, go, change their names and their rules while the purge runs over them.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "base/random.h"
#include "base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::ttl {
namespace {

using testing::HasSubstr;

constexpr int kCollections = 50;
constexpr int kSteps = 1500;

class ConcurrencyTest : public testing::Test {
 protected:
  ConcurrencyTest() { RecordProperty("seed", std::to_string(kSeed)); }

  std::string Name() { return base::StrCat("c", random_.Below(kCollections)); }
  std::string Database() { return base::StrCat("db", random_.Below(3)); }

  void Insert(const std::string& database, const std::string& name) {
    std::string documents;
    for (int i = 0; i < 20; ++i) {
      const int64_t second =
          server_.clock().NowMs() / 1000 + static_cast<int64_t>(random_.Below(3));
      documents += base::StrCat("{_id: ", next_id_++, ", v: ", random_.Below(100),
                                ", ttl: ", 1 + random_.Below(3), ", exp: ", second,
                                ", at: {$date: ", second * 1000, "}},");
    }
    documents.pop_back();
    server_.Run(database, base::StrCat("{insert: '", name, "', documents: [", documents, "]}"));
  }

  void ChangeRule(const std::string& database, const std::string& name) {
    switch (random_.Below(6)) {
      case 0:
        server_.Run(database,
                    base::StrCat("{collMod: '", name, "', index: {name: 'r', expireAfterSeconds: ",
                                 1 + random_.Below(3), "}}"));
        return;
      case 1:
        server_.Run(database, base::StrCat("{dropIndexes: '", name, "', index: 'r'}"));
        return;
      case 2:
        server_.Run(database, base::StrCat("{dropIndexes: '", name, "', index: 'v'}"));
        return;
      default:
        break;
    }
    const bool on = random_.Below(3) > 0;
    server_.Run(database,
                base::StrCat("{updateTimeToLive: '", name, "', timeToLiveSpecification: {enabled: ",
                             on ? "true" : "false", ", attributeName: 'exp'}}"));
  }

  void Step() {
    const std::string database = Database();
    const std::string name = Name();
    switch (random_.Below(20)) {
      case 0:
        server_.Run(database, base::StrCat("{drop: '", name, "'}"));
        return;
      case 1:
        server_.Run("admin", base::StrCat("{renameCollection: '", database, ".", name, "', to: '",
                                          database, ".", Name(), "', dropTarget: true}"));
        return;
      case 2:
        if (random_.Below(10) == 0) server_.Run(database, "{dropDatabase: 1}");
        return;
      case 3:
        server_.Run(database, base::StrCat("{delete: '", name,
                                           "', deletes: [{q: {v: {$lt: 50}}, "
                                           "limit: 0}]}"));
        return;
      case 4:
        server_.Run(database,
                    base::StrCat("{update: '", name,
                                 "', updates: [{q: {}, u: {$inc: {v: 1}}, multi: true}]}"));
        return;
      case 5:
      case 6:
      case 7:
        ChangeRule(database, name);
        return;
      case 8:
      case 9:
        server_.Run(database,
                    base::StrCat("{createIndexes: '", name,
                                 "', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 2}, "
                                 "{key: {at: 1}, name: 'at', expireAfterSeconds: 1}, "
                                 "{key: {v: 1}, name: 'v'}]}"));
        return;
      default:
        Insert(database, name);
    }
  }

  static constexpr uint64_t kSeed = 20240611;
  base::Random random_{kSeed};
  test::TestServer server_;
  int64_t next_id_ = 0;
};

TEST_F(ConcurrencyTest, EverythingChangesWhilePurging) {
  server_.ttl().Start();
  std::atomic<bool> done{false};
  std::thread purger([&] {
    while (!done) EXPECT_TRUE(server_.ttl().RunNow().ok());
  });
  for (int i = 0; i < kSteps; ++i) {
    Step();
    server_.clock().AdvanceMs(20);
  }
  done = true;
  purger.join();
  server_.ttl().Stop();
  int checked = 0;
  for (int d = 0; d < 3; ++d) {
    for (int c = 0; c < kCollections; ++c) {
      const std::string reply = server_.RunText(base::StrCat("db", d),
                                                base::StrCat("{validate: 'c", c, "', full: true}"));
      if (reply.find("code: 26") != std::string::npos) continue;
      ++checked;
      EXPECT_THAT(reply, HasSubstr("valid: true"));
    }
  }
  EXPECT_GT(checked, 10);
  EXPECT_EQ(server_.ttl().metrics().failed_collections.load(), 0);
  EXPECT_GT(server_.ttl().metrics().deleted_documents.load(), 100);
}

// A test suite makes and drops a database for each test; what is kept for them must not add up.
TEST_F(ConcurrencyTest, DroppedDatabasesAreForgotten) {
  const std::string rule =
      "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 2}]}";
  server_.ttl().Start();
  server_.Run("kept", rule);
  for (int i = 0; i < 100; ++i) {
    const std::string database = base::StrCat("db", i);
    server_.Run(database, rule);
    server_.Run(database, "{dropDatabase: 1}");
    server_.clock().AdvanceMs(20);
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (server_.ttl().databases() > 1 && std::chrono::steady_clock::now() < give_up) {
    server_.clock().AdvanceMs(20);
    std::this_thread::yield();
  }
  EXPECT_EQ(server_.ttl().databases(), 1u);
  // One that comes back is looked after as any other.
  server_.Run("db1", rule);
  Insert("db1", "c");
  server_.clock().AdvanceMs(5'000);
  ASSERT_TRUE(server_.ttl().RunNow().ok());
  EXPECT_THAT(server_.RunText("db1", "{ttlStatus: 'c'}"), HasSubstr("backlog: { documents: 0"));
  server_.ttl().Stop();
}

// Nobody waits for long: a collection with very many does not keep the others waiting.
TEST_F(ConcurrencyTest, StopEndsAPass) {
  server_.Run("db",
              "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: "
              "1}]}");
  for (int i = 0; i < 50; ++i) Insert("db", "c");
  server_.clock().AdvanceMs(10'000);
  server_.ttl().Start();
  server_.ttl().Stop();
  EXPECT_THAT(server_.RunText("db", "{validate: 'c'}"), HasSubstr("valid: true"));
}

}  // namespace
}  // namespace mayfly::ttl

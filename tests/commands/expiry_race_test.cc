// Reads and writes while documents expire below them: no error, nothing twice, nothing comes back.
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "gtest/gtest.h"
#include "tests/support/shell_notation.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

constexpr int kDocuments = 2000;
constexpr int kSpans = 20;  // every document expires in one of so many seconds

// One connection of its own, which counts what goes wrong.
class Racer {
 public:
  explicit Racer(test::TestServer& server)
      : server_(server), client_(std::make_shared<ClientState>(server.client())) {}

  bson::Document Run(std::string_view command) {
    const auto document = test::ParseShell(command);
    Invocation invocation = server_.MakeInvocation("db", document->view());
    invocation.client = client_;
    bson::Document reply(server_.RunForOutcome(std::move(invocation)).document);
    if (reply.view().Has("code") || reply.view().Has("writeErrors")) {
      failures_ += bson::ToShellText(reply.view()) + "\n";
    }
    return reply;
  }
  const std::string& failures() const { return failures_; }

  // Reads everything in small batches; the ids must be different ones.
  void ReadAll() {
    std::set<int64_t> ids;
    bson::Document reply = Run("{find: 'c', batchSize: 50, projection: {_id: 1}}");
    std::string batch = "firstBatch";
    while (reply.view().Find("cursor").IsDocument()) {
      const bson::View cursor = reply.view().Find("cursor").AsDocument();
      for (const bson::Element& element : cursor.Find(batch).AsDocument()) {
        const int64_t id = bson::ToInt64Truncated(element.value.AsDocument().Find("_id"));
        if (!ids.insert(id).second) failures_ += base::StrCat("twice: ", id, "\n");
      }
      const int64_t open = cursor.Find("id").AsInt64();
      if (open == 0) return;
      reply = Run(
          base::StrCat("{getMore: {$numberLong: '", open, "'}, collection: 'c', batchSize: 50}"));
      batch = "nextBatch";
    }
  }

 private:
  test::TestServer& server_;
  std::shared_ptr<ClientState> client_;
  std::string failures_;
};

void Fill(test::TestServer& server) {
  server.Run("db",
             "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: -1},"
             " {key: {at: 1}, name: 'at', expireAfterSeconds: 0}, {key: {a: 1}, name: 'a'}]}");
  bson::Builder insert;
  insert.String("insert", "c").OpenArray("documents");
  for (int i = 0; i < kDocuments; ++i) {
    const int seconds = 1 + i % kSpans;
    insert.PushOpenDocument().Int32("_id", i).Int32("a", i % 7);
    if (i % 2 == 0) {
      insert.Int32("ttl", seconds);
    } else {
      insert.Date("at", test::TestServer::kStartMs + seconds * 1000);
    }
    insert.Close();
  }
  insert.Close();
  const bson::Document reply = server.Run("db", insert.Finish().view());
  ASSERT_EQ(bson::ToInt64Truncated(reply.view().Find("n")), kDocuments);
}

TEST(ExpiryRaceTest, ReadersAndWritersNeverFailWhileDocumentsExpire) {
  test::TestServer server;
  Fill(server);
  std::atomic<bool> stop{false};
  std::vector<std::string> failures(4);
  const auto race = [&](size_t number, auto&& step) {
    Racer racer(server);
    while (!stop) step(racer);
    failures[number] = racer.failures();
  };
  std::vector<std::thread> threads;
  threads.emplace_back(race, 0, [](Racer& racer) { racer.ReadAll(); });
  threads.emplace_back(race, 1, [](Racer& racer) {
    racer.Run("{findAndModify: 'c', query: {a: 3}, remove: true}");
    racer.Run("{find: 'c', filter: {a: {$lt: 3}}, sort: {_id: -1}, limit: 10}");
  });
  threads.emplace_back(race, 2, [](Racer& racer) {
    racer.Run(
        "{update: 'c', updates: [{q: {a: 5, ttl: {$exists: false}}, u: {$inc: {n: 1}}, multi: "
        "true}]}");
  });
  threads.emplace_back(race, 3, [](Racer& racer) {
    racer.Run("{aggregate: 'c', pipeline: [{$group: {_id: '$a', n: {$sum: 1}}}], cursor: {}}");
  });

  int64_t before = kDocuments;
  for (int second = 0; second <= kSpans; ++second) {
    server.clock().AdvanceMs(1000);
    EXPECT_TRUE(server.ttl().RunNow().ok());
    const int64_t now = bson::ToInt64Truncated(server.Run("db", "{count: 'c'}").view().Find("n"));
    EXPECT_LE(now, before);
    before = now;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(before, 0);
  for (const std::string& text : failures) EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace mayfly::commands

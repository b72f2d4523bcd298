// Turns of collections, failures, what the metrics say.
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "gmock/gmock.h"
#include "tests/ttl/slices.h"

namespace mayfly::ttl {
namespace {

using testing::HasSubstr;

class RemovalTest : public SliceTest {
 protected:
  void MakeNamed(const std::string& name, int documents) {
    Run(base::StrCat("{createIndexes: '", name,
                     "', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}]}"));
    std::string all;
    for (int i = 0; i < documents; ++i) all += base::StrCat("{_id: ", i, "},");
    all.pop_back();
    Run(base::StrCat("{insert: '", name, "', documents: [", all, "]}"));
  }
  int Left(const std::string& name) {
    const bson::Document reply = server_.Run("db", base::StrCat("{ttlStatus: '", name, "'}"));
    return static_cast<int>(reply.Find("backlog").AsDocument().Find("documents").AsInt64());
  }
};

TEST_F(RemovalTest, CollectionsTakeTurns) {
  for (const char* name : {"a", "b", "c", "d"}) MakeNamed(name, 900);
  server_.clock().AdvanceMs(100'000);
  for (int i = 0; i < 40; ++i) EXPECT_TRUE(Slice(10).more);
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_LT(Left(name), 850) << name;
    EXPECT_GT(Left(name), 100) << name;
  }
}

TEST_F(RemovalTest, ASliceEndsWithItsTime) {
  MakeNamed("a", 900);
  server_.clock().AdvanceMs(100'000);
  const SliceResult result = Slice(10);
  EXPECT_TRUE(result.more);
  EXPECT_LE(result.removed, 10);
  EXPECT_GE(result.removed, 5);
  EXPECT_EQ(result.oldest_due_ms, test::TestServer::kStartMs + 100'000);
}

// Their entries are put many at a time.
TEST_F(RemovalTest, DocumentsInsertedTogether_AllAreRemoved) {
  MakeNamed("a", 700);
  std::string more = "{_id: 1000, ttl: 50}, {_id: 1001, ttl: -1}, {_id: 1002}, ";
  more += "{_id: 3}, {_id: 1003}";
  EXPECT_THAT(Run(base::StrCat("{insert: 'a', ordered: false, documents: [", more, "]}")),
              HasSubstr("n: 4,"));
  EXPECT_THAT(Run("{insert: 'a', documents: [{_id: 1004}, {_id: 4}, {_id: 1005}]}"),
              HasSubstr("n: 1,"));
  EXPECT_EQ(Slice(100'000).next_due_ms, test::TestServer::kStartMs + 50'000);
  server_.clock().AdvanceMs(100'000);
  EXPECT_EQ(Slice(100'000).removed, 704);
  EXPECT_THAT(Run("{count: 'a'}"), HasSubstr("n: 1,"));
}

TEST_F(RemovalTest, DocumentsInsertedTogetherIntoCapped_WhatIsEvictedLeavesNoEntry) {
  Run("{create: 'a', capped: true, size: 100000, max: 10}");
  Run("{createIndexes: 'a', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 100}]}");
  std::string all;
  for (int i = 0; i < 300; ++i) all += base::StrCat("{_id: ", i, "},");
  all.pop_back();
  Run(base::StrCat("{insert: 'a', documents: [", all, "]}"));
  EXPECT_THAT(Run("{validate: 'a', full: true}"), HasSubstr("valid: true"));
  server_.clock().AdvanceMs(100'000);
  EXPECT_EQ(Left("a"), 10);
  EXPECT_EQ(Slice(100'000).removed, 10);
}

TEST_F(RemovalTest, TheNextDueMomentIsFound) {
  MakeNamed("a", 3);
  Run("{createIndexes: 'b', indexes: [{key: {at: -1}, name: 'at', expireAfterSeconds: 10}]}");
  Run(base::StrCat(
      "{insert: 'b', documents: [{_id: 1, at: {$date: ", test::TestServer::kStartMs + 30'000,
      "}}, {_id: 2, at: {$date: ", test::TestServer::kStartMs + 60'000, "}}]}"));
  EXPECT_EQ(Slice(1000).next_due_ms, test::TestServer::kStartMs + 40'000);
  server_.clock().AdvanceMs(40'000);
  const SliceResult result = Slice(1000);
  EXPECT_EQ(result.removed, 1);
  EXPECT_EQ(result.next_due_ms, test::TestServer::kStartMs + 70'000);
}

TEST_F(RemovalTest, BacklogIsCountedAndItsAge) {
  MakeNamed("a", 5);
  Run("{createIndexes: 'b', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 0}]}");
  Run(base::StrCat("{insert: 'b', documents: [{_id: 1, at: {$date: ",
                   test::TestServer::kStartMs + 30'000, "}}]}"));
  EXPECT_THAT(Run("{serverStatus: 1}"), HasSubstr("backlog: 0, backlogIsPartial: false, "
                                                  "backlogAgeMillis: 0"));
  server_.clock().AdvanceMs(101'000);
  EXPECT_THAT(Run("{serverStatus: 1}"), HasSubstr("backlog: 6, backlogIsPartial: false, "
                                                  "backlogAgeMillis: 71000"));
  EXPECT_EQ(*server_.ttl().RunNow(), 6);
  EXPECT_THAT(Run("{serverStatus: 1}"), HasSubstr("backlog: 0"));
}

// An index on dates that are nowhere near: the sum with the lifetime does not wrap.
TEST_F(RemovalTest, DatesAtTheEndOfTimeStay) {
  Run("{createIndexes: 'b', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: "
      "2147483647}]}");
  Run("{insert: 'b', documents: [{_id: 1, at: {$date: {$numberLong: '9223372036854775807'}}}, "
      "{_id: 2, at: {$date: {$numberLong: '-9223372036854775808'}}}]}");
  EXPECT_EQ(*server_.ttl().RunNow(), 1);
  EXPECT_THAT(Run("{find: 'b', projection: {_id: 1}}"), HasSubstr("[ { _id: 1 } ]"));
}

}  // namespace
}  // namespace mayfly::ttl

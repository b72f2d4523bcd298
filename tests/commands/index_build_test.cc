// An index is built while others read and write.
#include <atomic>
#include <string>
#include <thread>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

using base::StrCat;

constexpr int kDocuments = 4000;
constexpr int kPerInsert = 1000;

void Fill(test::TestServer& server) {
  for (int start = 0; start < kDocuments; start += kPerInsert) {
    std::string documents;
    for (int id = start; id < start + kPerInsert; ++id) {
      documents += StrCat(id == start ? "" : ", ", "{_id: ", id, ", a: ", id % 977, ", t: [", id,
                          ", ", id + 1, "], pad: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'}");
    }
    ASSERT_EQ(server.RunCode("db", StrCat("{insert: 'c', documents: [", documents, "]}")), 0);
  }
}

TEST(IndexBuildTest, WritesMeanwhile_AreInTheIndex) {
  test::TestServer server;
  Fill(server);
  std::atomic<bool> built{false};
  std::thread builder([&] {
    EXPECT_EQ(server.RunCode("db",
                             "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}, "
                             "{key: {t: 1, a: -1}, name: 't'}, {key: {'$**': 1}, name: 'w'}]}"),
              0);
    built = true;
  });
  int round = 0;
  while (!built || round < 50) {
    const int id = round * 131 % kDocuments;
    EXPECT_EQ(server.RunCode("db", StrCat("{update: 'c', updates: [{q: {_id: ", id,
                                          "}, u: {$set: {a: ", -round, ", t: 7}}}]}")),
              0);
    EXPECT_EQ(server.RunCode(
                  "db", StrCat("{delete: 'c', deletes: [{q: {_id: ", id + 1, "}, limit: 1}]}")),
              0);
    EXPECT_EQ(server.RunCode("db", StrCat("{insert: 'c', documents: [{_id: ", kDocuments + round,
                                          ", a: ", round, "}]}")),
              0);
    EXPECT_EQ(server.RunCode("db", "{find: 'c', filter: {a: 5}, batchSize: 1000}"), 0);
    ++round;
  }
  builder.join();
  const bson::Document report = server.Run("db", "{validate: 'c', full: true}");
  EXPECT_TRUE(report.Find("valid").AsBool()) << server.RunText("db", "{validate: 'c'}");
  EXPECT_EQ(server.RunText("db", "{count: 'c', query: {a: {$lt: 0}}, hint: 'a'}"),
            server.RunText("db", "{count: 'c', query: {a: {$lt: 0}}, hint: {$natural: 1}}"));
}

TEST(IndexBuildTest, DuplicatesOfAUniqueIndex_LeaveNoIndex) {
  test::TestServer server;
  Fill(server);
  EXPECT_EQ(server.RunCode("db",
                           "{createIndexes: 'c', indexes: [{key: {pad: 1}, name: 'p'}, "
                           "{key: {a: 1}, name: 'a', unique: true}]}"),
            11000);
  EXPECT_EQ(server.RunText("db", "{listIndexes: 'c'}").find("name: \"p\""), std::string::npos);
  EXPECT_EQ(server.RunCode("db", "{insert: 'c', documents: [{_id: -1, a: 1}]}"), 0);
}

// True if a read was answered while the indexes were being built.
bool ReadsDuringABuild(test::TestServer& server) {
  std::atomic<bool> built{false};
  std::thread builder([&] {
    EXPECT_EQ(server.RunCode("db",
                             "{createIndexes: 'c', indexes: [{key: {'$**': 1}, name: 'w'}, "
                             "{key: {t: 1}, name: 't'}]}"),
              0);
    built = true;
  });
  bool overlapped = false;
  while (!built) {
    EXPECT_EQ(server.RunCode("db", "{find: 'c', filter: {_id: 17}}"), 0);
    overlapped |= !built;
  }
  builder.join();
  return overlapped;
}

TEST(IndexBuildTest, ReadsMeanwhile_AreNotHeldBack) {
  test::TestServer server;
  Fill(server);
  // A build may be over before the first read; one of many is not.
  constexpr int kAttempts = 50;
  bool overlapped = false;
  for (int i = 0; i < kAttempts && !overlapped; ++i) {
    overlapped = ReadsDuringABuild(server);
    EXPECT_EQ(server.RunCode("db", "{dropIndexes: 'c', index: ['w', 't']}"), 0);
  }
  EXPECT_TRUE(overlapped);
}

}  // namespace
}  // namespace mayfly::commands

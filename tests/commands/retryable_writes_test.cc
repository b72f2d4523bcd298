#include <string>

#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

constexpr char kSession[] = "lsid: {id: {$uuid: '0fbc7c5b-8d33-4b8c-9d1e-0a0b0c0d0e0f'}}";

std::string Insert(int id, int number) {
  return "{insert: 'c', documents: [{_id: " + std::to_string(id) + "}], " + kSession +
         ", txnNumber: {$numberLong: '" + std::to_string(number) + "'}}";
}

TEST(RetryableWriteTest, ARepeatGetsTheFirstReplyAndWritesNothing) {
  test::TestServer server;
  const std::string first = server.RunText("db", Insert(1, 1));
  EXPECT_EQ(first, "{ n: 1, ok: 1.0 }");
  // Without the memory this would be a duplicate key.
  EXPECT_EQ(server.RunText("db", Insert(1, 1)), first);
  EXPECT_EQ(server.services().sessions.Stats().writes_repeated, 1);
}

TEST(RetryableWriteTest, AnOlderNumberIsRefused) {
  test::TestServer server;
  EXPECT_EQ(server.RunCode("db", Insert(1, 5)), 0);
  EXPECT_EQ(server.RunCode("db", Insert(2, 4)), 225);
}

TEST(RetryableWriteTest, AWriteThatFailedAsAWholeRunsAgain) {
  test::TestServer server;
  const std::string bad = std::string("{insert: '', documents: [{_id: 1}], ") + kSession +
                          ", txnNumber: {$numberLong: '1'}}";
  EXPECT_EQ(server.RunCode("db", bad), 73);
  EXPECT_EQ(server.RunText("db", Insert(1, 1)), "{ n: 1, ok: 1.0 }");
}

TEST(RetryableWriteTest, WriteErrorsAreRepeatedToo) {
  test::TestServer server;
  EXPECT_EQ(server.RunCode("db", Insert(1, 1)), 0);
  const std::string second = server.RunText("db", Insert(1, 2));
  EXPECT_NE(second.find("11000"), std::string::npos) << second;
  EXPECT_EQ(server.RunText("db", Insert(1, 2)), second);
}

TEST(RetryableWriteTest, NumbersNeedASessionAReplicaSetAndAWrite) {
  test::TestServer server;
  EXPECT_EQ(server.RunCode("db", "{insert: 'c', documents: [{}], txnNumber: {$numberLong: '1'}}"),
            72);
  EXPECT_EQ(server.RunCode(
                "db", std::string("{hello: 1, txnNumber: {$numberLong: '1'}, ") + kSession + "}"),
            50768);
  test::TestServer standalone({.replica_set = false});
  EXPECT_EQ(standalone.RunCode("db", Insert(1, 1)), 20);
}

TEST(ConcernsTest, CommandsWithoutDataTakeNone) {
  test::TestServer server;
  EXPECT_EQ(server.RunCode("admin", "{hello: 1, writeConcern: {w: 1}}"), 72);
  EXPECT_EQ(server.RunCode("admin", "{hello: 1, writeConcern: 1}"), 14);
  EXPECT_EQ(server.RunCode("admin", "{hello: 1, readConcern: {level: 'majority'}}"), 72);
  EXPECT_EQ(server.RunCode("admin", "{hello: 1, readConcern: {level: 'local'}}"), 0);
  EXPECT_EQ(server.RunCode("admin", "{hello: 1, maxTimeMS: 'x'}"), 14);
  EXPECT_EQ(server.RunCode("admin", "{hello: 1, maxTimeMS: 0.5}"), 9);
  EXPECT_EQ(server.RunCode("admin", "{hello: 1, maxTimeMS: -1}"), 2);
}

}  // namespace
}  // namespace mayfly::commands

#include <string>

#include "base/status.h"
#include "bson/json.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

constexpr char kId[] = "{id: {$uuid: '0fbc7c5b-8d33-4b8c-9d1e-0a0b0c0d0e0f'}}";

class SessionCommandsTest : public testing::Test {
 protected:
  int Code(const std::string& command) { return server_.RunCode("db", command); }
  int64_t Active() { return server_.services().sessions.Stats().active; }

  // A cursor of the session that has more to give.
  std::string OpenCursor() {
    server_.Run("db", "{insert: 'c', documents: [{}, {}, {}, {}]}");
    const bson::Document reply =
        server_.Run("db", std::string("{find: 'c', batchSize: 1, lsid: ") + kId + "}");
    const bson::ValueView id = reply.Find("cursor").AsDocument().Find("id");
    return "{getMore: {$numberLong: '" + std::to_string(id.AsInt64()) +
           "'}, collection: 'c', batchSize: 1, lsid: " + kId + "}";
  }

  test::TestServer server_;
};

TEST_F(SessionCommandsTest, StartSessionGivesAnId) {
  const bson::Document reply = server_.Run("db", "{startSession: 1}");
  EXPECT_EQ(reply.Find("timeoutMinutes").AsInt32(), 30);
  EXPECT_TRUE(server_.services().sessions.Contains(SessionIdOf(reply.Find("id").AsDocument())));
}

TEST_F(SessionCommandsTest, ACommandMakesItsSessionKnown) {
  EXPECT_EQ(Code(std::string("{ping: 1, lsid: ") + kId + "}"), 0);
  EXPECT_EQ(Active(), 1);
  EXPECT_EQ(Code(std::string("{endSessions: [") + kId + "]}"), 0);
  EXPECT_EQ(Active(), 0);
  EXPECT_EQ(Code(std::string("{refreshSessions: [") + kId + "]}"), 0);
  EXPECT_EQ(Active(), 1);
}

TEST_F(SessionCommandsTest, KillingASessionClosesItsCursors) {
  const std::string get_more = OpenCursor();
  EXPECT_EQ(Code(get_more), 0);
  EXPECT_EQ(Code("{killSessions: [{id: {$uuid: '00000000-0000-0000-0000-000000000001'}}]}"), 0);
  EXPECT_EQ(Code(get_more), 0);
  EXPECT_EQ(Code(std::string("{killSessions: [") + kId + "]}"), 0);
  EXPECT_EQ(Code(get_more), 43);
}

TEST_F(SessionCommandsTest, KillAllSessionsTakesUsers) {
  const std::string get_more = OpenCursor();
  EXPECT_EQ(Code("{killAllSessions: [{user: 'nobody', db: 'db'}]}"), 0);
  EXPECT_EQ(Code(get_more), 0);
  EXPECT_EQ(Code("{killAllSessions: []}"), 0);
  EXPECT_EQ(Code(get_more), 43);
  EXPECT_EQ(Code("{killAllSessions: [null]}"), 0);
  EXPECT_EQ(Code("{killAllSessions: [1]}"), 14);
  EXPECT_EQ(Code("{killAllSessions: [{}]}"), 40414);
  EXPECT_EQ(Code("{killAllSessions: [{user: 'a'}]}"), 40414);
  EXPECT_EQ(Code("{killAllSessions: [{user: 1, db: 'a'}]}"), 14);
  EXPECT_EQ(Code("{killAllSessions: [{user: 'a', db: 'b', c: 1}]}"), 40415);
  EXPECT_EQ(Code("{killAllSessions: null}"), 40414);
}

TEST_F(SessionCommandsTest, KillAllSessionsByPatternTakesSessions) {
  const std::string get_more = OpenCursor();
  EXPECT_EQ(Code(std::string("{killAllSessionsByPattern: [{lsid: ") + kId + "}]}"), 0);
  EXPECT_EQ(Code(get_more), 43);
  EXPECT_EQ(Code("{killAllSessionsByPattern: []}"), 0);
  EXPECT_EQ(Code("{killAllSessionsByPattern: [{foo: 1}]}"), 40415);
}

TEST_F(SessionCommandsTest, IdleCursorsEnd) {
  server_.Run("db", "{insert: 'c', documents: [{}, {}, {}, {}]}");
  const bson::Document reply = server_.Run("db", "{find: 'c', batchSize: 1}");
  const int64_t id = reply.Find("cursor").AsDocument().Find("id").AsInt64();
  const std::string get_more =
      "{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: 'c', batchSize: 1}";
  server_.clock().AdvanceMs(9 * 60 * 1000);
  EXPECT_EQ(Code(get_more), 0);
  server_.clock().AdvanceMs(11 * 60 * 1000);
  EXPECT_EQ(Code(get_more), 43);
}

TEST_F(SessionCommandsTest, CursorsOfASessionEndWithIt) {
  const std::string get_more = OpenCursor();
  server_.clock().AdvanceMs(29 * 60 * 1000);
  EXPECT_EQ(Code("{ping: 1}"), 0);
  EXPECT_EQ(Code(get_more), 0);
  server_.clock().AdvanceMs(31 * 60 * 1000);
  EXPECT_EQ(Code("{ping: 1}"), 0);
  EXPECT_EQ(Code(get_more), 43);
}

TEST_F(SessionCommandsTest, KillingStopsOperations) {
  auto operation = server_.services().operations.Make(0);
  operation->lsid = server_.services().sessions.Start()->ToLsid();
  server_.services().operations.Add(operation);
  EXPECT_TRUE(operation->Check().ok());
  EXPECT_EQ(Code("{killAllSessions: []}"), 0);
  EXPECT_EQ(base::CodeOf(operation->Check()), base::ErrorCode::kInterrupted);
}

TEST_F(SessionCommandsTest, WhatIsNoSessionIsRefused) {
  for (const std::string name : {"killSessions", "endSessions", "refreshSessions"}) {
    EXPECT_EQ(Code("{" + name + ": [1]}"), 14) << name;
    EXPECT_EQ(Code("{" + name + ": [{}]}"), 40414) << name;
    EXPECT_EQ(Code("{" + name + ": [{foo: 1}]}"), 40415) << name;
    EXPECT_EQ(Code("{" + name + ": 1}"), 14) << name;
    EXPECT_EQ(Code("{" + name + ": null}"), 40414) << name;
  }
}

TEST_F(SessionCommandsTest, SessionsTakeNoWriteConcern) {
  EXPECT_EQ(Code("{startSession: 1, writeConcern: {}}"), 72);
  EXPECT_EQ(Code("{startSession: 1, readConcern: {level: 'snapshot'}}"), 72);
  EXPECT_EQ(Code("{startSession: 1, apiVersion: '1', apiStrict: true}"), 323);
}

}  // namespace
}  // namespace mayfly::commands

#include <string>

#include "bson/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

using testing::HasSubstr;

// The value at a dotted path, in the notation of the shell; "" if there is none.
std::string At(const bson::Document& document, std::string_view path) {
  bson::ValueView value;
  bson::View level = document;
  while (true) {
    const size_t dot = path.find('.');
    value = level.Find(path.substr(0, dot));
    if (dot == std::string_view::npos) break;
    if (!value.IsContainer()) return "";
    level = value.AsDocument();
    path.remove_prefix(dot + 1);
  }
  return value.IsMissing() ? "" : bson::ToShellText(value);
}

class DiagnosticTest : public testing::Test {
 protected:
  bson::Document Admin(std::string_view command) { return server_.Run("admin", command); }
  int AdminCode(std::string_view command) { return server_.RunCode("admin", command); }

  test::TestServer server_;
};

TEST_F(DiagnosticTest, CommandsOfTheAdminDatabaseAreRefusedElsewhere) {
  for (const std::string command :
       {"{getCmdLineOpts: 1}", "{getLog: '*'}", "{top: 1}", "{lockInfo: 1}", "{fsync: 1}",
        "{getParameter: '*'}", "{setParameter: 1, logLevel: 0}", "{replSetGetStatus: 1}",
        "{shutdown: 1}", "{killOp: 1, op: 1}", "{currentOp: 1}", "{logRotate: 1}",
        "{dropConnections: 1, hostAndPort: []}", "{getDefaultRWConcern: 1}",
        "{setFeatureCompatibilityVersion: '8.2', confirm: true}"}) {
    EXPECT_EQ(server_.RunCode("db", command), 13) << command;
  }
}

TEST_F(DiagnosticTest, CommandsOfEveryDatabaseTakeAnyValue) {
  for (const std::string name :
       {"ping", "buildInfo", "buildinfo", "whatsmyuri", "hostInfo", "connectionStatus",
        "serverStatus", "listCommands", "connPoolStats", "startSession", "logout"}) {
    for (const std::string value : {"1", "null", "'x'", "{}", "[]", "{$minKey: 1}"}) {
      const std::string command = "{" + name + ": " + value + "}";
      EXPECT_EQ(server_.RunCode("db", command), 0) << command;
    }
  }
}

TEST_F(DiagnosticTest, UnknownFieldsAreRefusedWhereMongoDbDoes) {
  for (const std::string name : {"ping", "buildInfo", "hostInfo", "getCmdLineOpts", "lockInfo",
                                 "connectionStatus", "fsync", "getDefaultRWConcern", "logRotate"}) {
    EXPECT_EQ(AdminCode("{" + name + ": 1, foo: 1}"), 40415) << name;
  }
  for (const std::string name :
       {"whatsmyuri", "serverStatus", "listCommands", "connPoolStats", "top", "startSession"}) {
    EXPECT_EQ(AdminCode("{" + name + ": 1, foo: 1}"), 0) << name;
  }
}

TEST_F(DiagnosticTest, BuildInfoGivesTheVersionThatIsOffered) {
  const bson::Document reply = Admin("{buildInfo: 1}");
  EXPECT_EQ(At(reply, "version"), "\"8.2.0\"");
  EXPECT_EQ(At(reply, "versionArray"), "[ 8, 2, 0, 0 ]");
  EXPECT_EQ(At(reply, "maxBsonObjectSize"), "16777216");
}

TEST_F(DiagnosticTest, TheConnectionIsDescribed) {
  EXPECT_EQ(server_.RunText("db", "{whatsmyuri: 1}"), "{ you: \"127.0.0.1:50000\", ok: 1.0 }");
  EXPECT_EQ(At(Admin("{connectionStatus: 1}"), "authInfo.authenticatedUsers"), "[]");
  EXPECT_EQ(At(Admin("{connectionStatus: 1}"), "authInfo.authenticatedUserPrivileges"), "");
  EXPECT_EQ(
      At(Admin("{connectionStatus: 1, showPrivileges: 1}"), "authInfo.authenticatedUserPrivileges"),
      "[]");
  EXPECT_EQ(AdminCode("{connectionStatus: 1, showPrivileges: 'x'}"), 14);
}

TEST_F(DiagnosticTest, HostInfoComesFromTheMachine) {
  const bson::Document reply = Admin("{hostInfo: 1}");
  const bson::View system = reply.Find("system").AsDocument();
  EXPECT_GT(system.Find("memSizeMB").AsInt64(), 0);
  EXPECT_LE(system.Find("memLimitMB").AsInt64(), system.Find("memSizeMB").AsInt64());
  EXPECT_GE(system.Find("numCores").AsInt32(), 1);
  EXPECT_EQ(At(reply, "os.type"), "\"Linux\"");
  EXPECT_NE(At(reply, "extra.kernelVersion"), "");
}

TEST_F(DiagnosticTest, ListCommandsIsTheRegistry) {
  const bson::Document reply = Admin("{listCommands: 1}");
  const bson::View commands = reply.Find("commands").AsDocument();
  EXPECT_EQ(At(reply, "commands.getLog.adminOnly"), "true");
  EXPECT_EQ(At(reply, "commands.find.adminOnly"), "false");
  EXPECT_EQ(At(reply, "commands.find.apiVersions"), "[ \"1\" ]");
  EXPECT_FALSE(commands.Has("shardCollection"));
  EXPECT_FALSE(commands.Has("setClock"));
}

TEST_F(DiagnosticTest, GetLogChecksTheName) {
  EXPECT_EQ(server_.RunText("admin", "{getLog: '*'}"),
            "{ names: [ \"global\", \"startupWarnings\" ], ok: 1.0 }");
  EXPECT_EQ(AdminCode("{getLog: 'global'}"), 0);
  EXPECT_EQ(AdminCode("{getLog: 'startupWarnings'}"), 0);
  EXPECT_EQ(AdminCode("{getLog: 'rs'}"), 96);
  EXPECT_EQ(AdminCode("{getLog: 1}"), 14);
  EXPECT_EQ(AdminCode("{getLog: null}"), 40414);
}

TEST_F(DiagnosticTest, ServerStatusCountsWhatHappened) {
  server_.Run("db", "{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
  server_.Run("db", "{find: 'c'}");
  server_.clock().AdvanceMs(5000);
  const bson::Document reply = Admin("{serverStatus: 1}");
  EXPECT_EQ(At(reply, "process"), "\"mongod\"");
  EXPECT_EQ(At(reply, "uptime"), "5.0");
  EXPECT_EQ(At(reply, "uptimeMillis"), "5000");
  EXPECT_EQ(At(reply, "opcounters.insert"), "2");
  EXPECT_EQ(At(reply, "opcounters.query"), "1");
  EXPECT_EQ(At(reply, "connections.current"), "1");
  EXPECT_EQ(At(reply, "catalogStats.collections"), "1");
  EXPECT_EQ(At(reply, "repl.setName"), "\"globaldb\"");
  EXPECT_EQ(At(reply, "metrics.ttl.deletedDocuments"), "0");
  EXPECT_EQ(At(reply, "storageEngine.name"), "\"memory\"");
}

TEST_F(DiagnosticTest, ServerStatusShowsTheSectionsAskedFor) {
  const bson::Document reply =
      Admin("{serverStatus: 1, metrics: 0, locks: null, mirroredReads: 'x', asserts: false}");
  EXPECT_EQ(At(reply, "metrics"), "");
  EXPECT_EQ(At(reply, "locks"), "");
  EXPECT_EQ(At(reply, "asserts"), "");
  EXPECT_NE(At(reply, "mirroredReads"), "");
  EXPECT_NE(At(reply, "mem.resident"), "");
  EXPECT_EQ(At(Admin("{serverStatus: 1}"), "mirroredReads"), "");
  EXPECT_EQ(At(Admin("{serverStatus: 1, none: 1, mem: 1}"), "network"), "");
}

TEST_F(DiagnosticTest, AStandaloneServerHasNoReplicaSet) {
  test::TestServer standalone({.replica_set = false});
  EXPECT_EQ(standalone.RunCode("admin", "{replSetGetStatus: 1}"), 76);
  EXPECT_EQ(standalone.RunCode("admin", "{replSetGetConfig: 1}"), 76);
  EXPECT_EQ(standalone.RunCode("admin", "{getDefaultRWConcern: 1}"), 51300);
  EXPECT_EQ(At(standalone.Run("admin", "{serverStatus: 1}"), "repl"), "");
}

TEST_F(DiagnosticTest, TheReplicaSetHasOneMember) {
  const bson::Document status = Admin("{replSetGetStatus: 1}");
  EXPECT_EQ(At(status, "set"), "\"globaldb\"");
  EXPECT_EQ(At(status, "myState"), "1");
  EXPECT_EQ(At(status, "members.0.stateStr"), "\"PRIMARY\"");
  EXPECT_EQ(At(status, "members.0.name"), "\"127.0.0.1:27017\"");
  EXPECT_EQ(At(Admin("{replSetGetConfig: 1}"), "config.members.0.host"), "\"127.0.0.1:27017\"");
  EXPECT_EQ(AdminCode("{replSetInitiate: {}}"), 23);
}

TEST_F(DiagnosticTest, TopCountsByCollection) {
  server_.Run("db", "{insert: 'c', documents: [{_id: 1}]}");
  server_.Run("db", "{find: 'c'}");
  server_.Run("db", "{update: 'c', updates: [{q: {}, u: {$set: {a: 1}}}]}");
  const bson::Document reply = Admin("{top: 1}");
  const bson::View totals = reply.Find("totals").AsDocument();
  ASSERT_TRUE(totals.Has("db.c"));
  const bson::Document usage(totals.Find("db.c").AsDocument());
  EXPECT_EQ(At(usage, "insert.count"), "1");
  EXPECT_EQ(At(usage, "queries.count"), "1");
  EXPECT_EQ(At(usage, "update.count"), "1");
  EXPECT_EQ(At(usage, "writeLock.count"), "2");
  EXPECT_EQ(At(usage, "readLock.count"), "1");
  server_.Run("db", "{drop: 'c'}");
  EXPECT_FALSE(Admin("{top: 1}").Find("totals").AsDocument().Has("db.c"));
}

TEST_F(DiagnosticTest, CurrentOpShowsItself) {
  const std::string all = server_.RunText("admin", "{currentOp: 1}");
  EXPECT_THAT(all, HasSubstr("currentOp"));
  EXPECT_EQ(server_.RunText("admin", "{currentOp: 1, ns: 'nothing.here'}"),
            "{ inprog: [], ok: 1.0 }");
  EXPECT_EQ(AdminCode("{currentOp: 1, ns: {$bad: 1}}"), 2);
}

TEST_F(DiagnosticTest, KillOpTakesA32BitInteger) {
  EXPECT_EQ(server_.RunText("admin", "{killOp: 1, op: 999}"),
            "{ info: \"attempting to kill op\", ok: 1.0 }");
  EXPECT_EQ(AdminCode("{killOp: 1}"), 4);
  EXPECT_EQ(AdminCode("{killOp: 1, op: null}"), 14);
  EXPECT_EQ(AdminCode("{killOp: 1, op: 'x'}"), 14);
  EXPECT_EQ(AdminCode("{killOp: 1, op: 3.14}"), 2);
  EXPECT_EQ(AdminCode("{killOp: 1, op: {$numberLong: '2147483648'}}"), 26823);
}

TEST_F(DiagnosticTest, KillOpStopsAnOperation) {
  auto operation = server_.services().operations.Make(0);
  server_.services().operations.Add(operation);
  Admin("{killOp: 1, op: " + std::to_string(operation->id()) + "}");
  EXPECT_EQ(base::CodeOf(operation->Check()), base::ErrorCode::kInterrupted);
}

TEST_F(DiagnosticTest, WhatOtherServersHaveIsRefusedWithTheirError) {
  EXPECT_EQ(AdminCode("{atlasVersion: 1}"), 59);
  EXPECT_EQ(AdminCode("{shardCollection: 'a.b', key: {a: 1}}"), 59);
  EXPECT_EQ(AdminCode("{isdbgrid: 1}"), 59);
  EXPECT_EQ(AdminCode("{createUser: 'x', pwd: 'y', roles: []}"), 115);
  EXPECT_EQ(AdminCode("{saslStart: 1, mechanism: 'SCRAM-SHA-256'}"), 18);
}

}  // namespace
}  // namespace mayfly::commands

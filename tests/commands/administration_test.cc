#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "base/log.h"
#include "bson/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

using testing::Contains;
using testing::HasSubstr;

class AdministrationTest : public testing::Test {
 protected:
  std::string Admin(std::string_view command) { return server_.RunText("admin", command); }
  int Code(std::string_view command) { return server_.RunCode("admin", command); }

  test::TestServer server_;
};

TEST_F(AdministrationTest, GetParameterSelects) {
  EXPECT_EQ(Admin("{getParameter: 1, logLevel: 1, quiet: 1}"),
            "{ logLevel: 0, quiet: false, ok: 1.0 }");
  EXPECT_EQ(Admin("{getParameter: {showDetails: true}, authSchemaVersion: 1}"),
            "{ authSchemaVersion: { value: 5, settableAtRuntime: false, settableAtStartup: false "
            "}, ok: 1.0 }");
  EXPECT_THAT(Admin("{getParameter: '*'}"), HasSubstr("featureCompatibilityVersion"));
  EXPECT_THAT(Admin("{getParameter: {allParameters: true, setAt: 'startup'}}"),
              HasSubstr("KeysRotationIntervalSec"));
  EXPECT_THAT(Admin("{getParameter: {allParameters: true, setAt: 'runtime'}}"),
              testing::Not(HasSubstr("KeysRotationIntervalSec")));
}

TEST_F(AdministrationTest, GetParameterRefuses) {
  EXPECT_EQ(Code("{getParameter: 1}"), 72);
  EXPECT_EQ(Code("{getParameter: 1, unknown: 1}"), 72);
  EXPECT_EQ(Code("{getParameter: 'foo'}"), 72);
  EXPECT_EQ(Code("{getParameter: {showDetails: 'yes'}, logLevel: 1}"), 14);
  EXPECT_EQ(Code("{getParameter: {foo: 1}, logLevel: 1}"), 40415);
  EXPECT_EQ(Code("{getParameter: {allParameters: true, setAt: ''}}"), 2);
  EXPECT_EQ(Code("{getParameter: {allParameters: true, setAt: 1}}"), 14);
}

TEST_F(AdministrationTest, SetParameterAnswersWhatWas) {
  EXPECT_EQ(Admin("{setParameter: 1, logLevel: 2, comment: 'x'}"), "{ was: 0, ok: 1.0 }");
  EXPECT_EQ(Admin("{setParameter: 1, logLevel: 0}"), "{ was: 2, ok: 1.0 }");
  EXPECT_EQ(Code("{setParameter: 1}"), 72);
  EXPECT_EQ(Code("{setParameter: 1, '': 1}"), 72);
  EXPECT_EQ(Code("{setParameter: 1, featureCompatibilityVersion: '8.0'}"), 20);
}

TEST_F(AdministrationTest, FeatureCompatibilityVersionNeedsConfirmation) {
  EXPECT_EQ(Code("{setFeatureCompatibilityVersion: '8.0'}"), 7369100);
  EXPECT_EQ(Code("{setFeatureCompatibilityVersion: '3.0', confirm: true}"), 4926900);
  EXPECT_EQ(Code("{setFeatureCompatibilityVersion: null, confirm: true}"), 40414);
  EXPECT_EQ(Code("{setFeatureCompatibilityVersion: 8, confirm: true}"), 14);
  EXPECT_EQ(Code("{setFeatureCompatibilityVersion: '8.0', confirm: true, writeConcern: {w: 1}}"),
            0);
  EXPECT_EQ(Admin("{getParameter: 1, featureCompatibilityVersion: 1}"),
            "{ featureCompatibilityVersion: { version: \"8.0\" }, ok: 1.0 }");
}

TEST_F(AdministrationTest, DefaultConcernsSetAtOnceAreBothKept) {
  const auto set = [&](std::string_view command) {
    std::promise<std::string> done;
    const auto parsed = bson::ParseJson(command);
    server_.dispatcher().Dispatch(
        server_.MakeInvocation("admin", *parsed),
        [&done](Outcome outcome) { done.set_value(std::move(outcome.document)); });
    done.get_future().get();
  };
  const auto get = [&] { return Admin("{getDefaultRWConcern: 1}"); };
  for (int round = 0; round < 50; ++round) {
    const bool even = round % 2 == 0;
    std::thread other([&] {
      set(even ? R"({"setDefaultRWConcern": 1, "defaultReadConcern": {"level": "majority"}})"
               : R"({"setDefaultRWConcern": 1, "defaultReadConcern": {"level": "available"}})");
    });
    set(even ? R"({"setDefaultRWConcern": 1, "defaultWriteConcern": {"w": 1, "wtimeout": 5}})"
             : R"({"setDefaultRWConcern": 1, "defaultWriteConcern": {"w": 1, "wtimeout": 7}})");
    other.join();
    ASSERT_THAT(get(), HasSubstr(even ? "majority" : "available")) << round;
    ASSERT_THAT(get(), HasSubstr(even ? "wtimeout: 5" : "wtimeout: 7")) << round;
  }
}

TEST_F(AdministrationTest, FsyncHoldsWritesBack) {
  EXPECT_EQ(Admin("{fsync: 1}"), "{ numFiles: 1, ok: 1.0 }");
  EXPECT_EQ(Code("{fsyncUnlock: 1}"), 20);
  EXPECT_THAT(Admin("{fsync: 1, lock: true}"), HasSubstr("lockCount: 1"));
  EXPECT_THAT(Admin("{fsync: 1, lock: 0.5}"), HasSubstr("lockCount: 2"));
  EXPECT_THAT(Admin("{lockInfo: 1}"), HasSubstr("Global"));
  EXPECT_THAT(Admin("{currentOp: 1}"), HasSubstr("fsyncLock: true"));

  std::promise<std::string> done;
  std::future<std::string> reply = done.get_future();
  const auto insert = bson::ParseJson(R"({"insert": "c", "documents": [{"_id": 1}]})");
  server_.dispatcher().Dispatch(server_.MakeInvocation("db", *insert), [&done](Outcome outcome) {
    done.set_value(std::move(outcome.document));
  });
  const auto answered = [&] {
    return reply.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  EXPECT_FALSE(answered());
  EXPECT_EQ(server_.RunCode("db", "{find: 'c'}"), 0);
  EXPECT_THAT(Admin("{fsyncUnlock: 1}"), HasSubstr("lockCount: 1"));
  EXPECT_FALSE(answered());
  EXPECT_THAT(Admin("{fsyncUnlock: 1}"), HasSubstr("lockCount: 0"));
  EXPECT_THAT(bson::ToShellText(bson::Document(reply.get()).view()), HasSubstr("n: 1, ok: 1.0"));
}

TEST_F(AdministrationTest, FsyncHoldsWritesOverSeveralDatabasesBack) {
  EXPECT_EQ(server_.RunCode("db", "{insert: 'c', documents: [{_id: 1}]}"), 0);
  for (const auto& [database, command] : std::initializer_list<std::pair<const char*, const char*>>{
           {"admin", R"({"bulkWrite": 1, "ops": [{"insert": 0, "document": {"_id": 2}}],
                         "nsInfo": [{"ns": "db.c"}]})"},
           {"db", R"({"aggregate": "c", "pipeline": [{"$out": {"db": "other", "coll": "c"}}],
                      "cursor": {}})"}}) {
    EXPECT_EQ(Code("{fsync: 1, lock: true}"), 0);
    std::promise<std::string> done;
    std::future<std::string> reply = done.get_future();
    server_.dispatcher().Dispatch(
        server_.MakeInvocation(database, *bson::ParseJson(command)),
        [&done](Outcome outcome) { done.set_value(std::move(outcome.document)); });
    EXPECT_EQ(Code("{listDatabases: 1, nameOnly: true}"), 0);  // on a worker as well
    EXPECT_EQ(reply.wait_for(std::chrono::seconds(0)), std::future_status::timeout) << command;
    EXPECT_EQ(Code("{fsyncUnlock: 1}"), 0);
    EXPECT_THAT(bson::ToShellText(bson::Document(reply.get()).view()), HasSubstr("ok: 1.0"));
  }
  EXPECT_THAT(server_.RunText("other", "{count: 'c'}"), HasSubstr("n: 2"));
}

TEST_F(AdministrationTest, FsyncChecksItsArguments) {
  EXPECT_EQ(Code("{fsync: 1, lock: 'x'}"), 14);
  EXPECT_EQ(Code("{fsync: 1, fsyncLockAcquisitionTimeoutMillis: 1.0}"), 14);
  EXPECT_EQ(Code("{fsync: 1, fsyncLockAcquisitionTimeoutMillis: 5000}"), 0);
  EXPECT_EQ(Code("{fsync: 1, writeConcern: {w: 1}}"), 72);
  EXPECT_EQ(Code("{fsync: 1, readConcern: {level: 'majority'}}"), 72);
}

TEST_F(AdministrationTest, ProfileKeepsItsSettings) {
  EXPECT_EQ(server_.RunText("db", "{profile: 1, slowms: 50, sampleRate: 0.5, filter: {op: 'q'}}"),
            "{ was: 0, slowms: 100, sampleRate: 1.0, ok: 1.0 }");
  const std::string now = server_.RunText("db", "{profile: -1}");
  EXPECT_THAT(now, HasSubstr("was: 1, slowms: 50, sampleRate: 0.5"));
  EXPECT_THAT(now, HasSubstr("filter: { op: { $eq: \"q\" } }"));
  EXPECT_THAT(server_.RunText("other", "{profile: -1}"), HasSubstr("was: 0, slowms: 50"));
  server_.Run("db", "{profile: 3, filter: 'unset'}");
  EXPECT_EQ(server_.RunText("db", "{profile: -1}"),
            "{ was: 1, slowms: 50, sampleRate: 0.5, ok: 1.0 }");
}

TEST_F(AdministrationTest, ProfileChecksItsArguments) {
  EXPECT_EQ(server_.RunCode("db", "{profile: true}"), 14);
  EXPECT_EQ(server_.RunCode("db", "{profile: null}"), 40414);
  EXPECT_EQ(server_.RunCode("db", "{profile: 0, sampleRate: 1.1}"), 2);
  EXPECT_EQ(server_.RunCode("db", "{profile: 0, filter: 'UNSET'}"), 2);
  EXPECT_EQ(server_.RunCode("db", "{profile: 0, filter: null}"), 2);
  EXPECT_EQ(server_.RunCode("db", "{profile: 0, slowms: 'x'}"), 14);
  EXPECT_EQ(server_.RunCode("db", "{profile: 0, sampleRate: null}"), 0);
}

TEST_F(AdministrationTest, SlowOperationsAreLogged) {
  base::LogCapture log;
  server_.Run("db", "{find: 'c'}");
  EXPECT_THAT(log.TakeLines(), testing::Not(Contains(HasSubstr("Slow query"))));
  server_.Run("db", "{profile: 0, slowms: -1}");
  server_.Run("db", "{find: 'c'}");
  EXPECT_THAT(log.TakeLines(), Contains(HasSubstr("Slow query")));
}

TEST_F(AdministrationTest, DefaultConcernsAreKept) {
  EXPECT_THAT(Admin("{getDefaultRWConcern: 1}"),
              HasSubstr("defaultWriteConcern: { w: \"majority\", wtimeout: 0 }"));
  EXPECT_EQ(Code("{setDefaultRWConcern: 1}"), 2);
  EXPECT_EQ(Code("{setDefaultRWConcern: 1, defaultReadConcern: {level: 'snapshot'}}"), 2);
  EXPECT_EQ(Code("{setDefaultRWConcern: 1, defaultWriteConcern: {w: 0}}"), 2);
  EXPECT_EQ(Code("{setDefaultRWConcern: 1, defaultWriteConcern: {w: 'tag'}}"), 79);
  EXPECT_EQ(Code("{setDefaultRWConcern: 1, defaultWriteConcern: {w: 1}}"), 0);
  const std::string now = Admin("{getDefaultRWConcern: 1, inMemory: true}");
  EXPECT_THAT(now, HasSubstr("defaultWriteConcern: { w: 1, wtimeout: 0 }"));
  EXPECT_THAT(now, HasSubstr("defaultWriteConcernSource: \"global\""));
  EXPECT_THAT(now, HasSubstr("inMemory: true"));
}

TEST_F(AdministrationTest, LogRotateKnowsTheServersLogOnly) {
  EXPECT_EQ(Code("{logRotate: 1}"), 0);
  EXPECT_EQ(Code("{logRotate: 'server'}"), 0);
  EXPECT_EQ(Code("{logRotate: 'audit'}"), 4);
  EXPECT_EQ(Code("{logRotate: {}}"), 14);
}

TEST_F(AdministrationTest, DropConnectionsReadsItsHosts) {
  EXPECT_EQ(Code("{dropConnections: 1, hostAndPort: ['a:1', '[::1]:27017', 'b', null]}"), 0);
  EXPECT_EQ(Code("{dropConnections: 1, hostAndPort: [':27017']}"), 9);
  EXPECT_EQ(Code("{dropConnections: 1, hostAndPort: ['a:0']}"), 9);
  EXPECT_EQ(Code("{dropConnections: 1, hostAndPort: ['a:x']}"), 9);
  EXPECT_EQ(Code("{dropConnections: 1, hostAndPort: [1]}"), 14);
  EXPECT_EQ(Code("{dropConnections: 1}"), 40414);
}

TEST_F(AdministrationTest, ShutdownIsForClientsOfThisMachine) {
  server_.client().remote = "10.0.0.7:50000";
  EXPECT_EQ(Code("{shutdown: 1, force: false, timeoutSecs: 0.0}"), 13);
  EXPECT_EQ(server_.shutdown_requests(), 0);
  server_.client().remote = "127.0.0.1:50000";
  EXPECT_EQ(Code("{shutdown: 1}"), 0);
  EXPECT_EQ(server_.shutdown_requests(), 1);
}

TEST_F(AdministrationTest, NoUsersAndNoRoles) {
  EXPECT_EQ(server_.RunText("db", "{usersInfo: 1}"), "{ users: [], ok: 1.0 }");
  EXPECT_EQ(server_.RunText("db", "{rolesInfo: 1, showBuiltinRoles: true}"),
            "{ roles: [], ok: 1.0 }");
}

}  // namespace
}  // namespace mayfly::commands

// Expiry by Unix seconds in an attribute, with a clock that moves.
#include <string>

#include "base/strings.h"
#include "bson/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::ttl {
namespace {

using testing::HasSubstr;

class EpochTest : public testing::Test {
 protected:
  static constexpr int64_t kNow = test::TestServer::kStartMs / 1000;

  std::string Run(std::string_view command) { return server_.RunText("db", command); }
  void SwitchOn() {
    EXPECT_EQ(server_.RunCode("db",
                              "{updateTimeToLive: 'c', timeToLiveSpecification: {enabled: true, "
                              "attributeName: 'exp'}}"),
              0);
  }
  void Insert(std::string_view id, std::string_view value) {
    Run(base::StrCat("{insert: 'c', documents: [{_id: '", id, "', exp: ", value, "}]}"));
  }
  int64_t Purge() {
    const auto removed = server_.ttl().RunNow();
    EXPECT_TRUE(removed.ok()) << removed.status();
    return removed.value_or(-1);
  }
  std::string Left() { return Run("{distinct: 'c', key: '_id'}"); }

  test::TestServer server_;
};

TEST_F(EpochTest, NumbersOfEveryTypeExpire) {
  Run("{create: 'c'}");
  SwitchOn();
  const std::string due = base::StrCat(kNow - 1);
  Insert("int", due);
  Insert("long", base::StrCat("{$numberLong: '", due, "'}"));
  Insert("double", base::StrCat(due, ".9"));
  Insert("decimal", base::StrCat("{$numberDecimal: '", due, ".9'}"));
  EXPECT_EQ(Purge(), 4);
}

TEST_F(EpochTest, OtherValuesNeverExpire) {
  Run("{create: 'c'}");
  SwitchOn();
  int next_id = 0;
  for (const char* value : {"'1600000000'", "null", "true", "{$date: 1000}", "[1600000000]",
                            "{a: 1600000000}", "-5", "0", "{$numberDouble: 'NaN'}",
                            "{$numberDouble: 'Infinity'}", "{$numberDouble: '-Infinity'}",
                            "{$numberLong: '1700000000000'}", "{$numberDecimal: '1E+300'}"}) {
    Insert(base::StrCat("id ", next_id++), value);
  }
  EXPECT_EQ(Purge(), 0);
  server_.clock().AdvanceMs(int64_t{1000} * 86400 * 1000);
  EXPECT_EQ(Purge(), 0);
}

TEST_F(EpochTest, ExpiresAtTheSecondAndNotBefore) {
  Run("{create: 'c'}");
  SwitchOn();
  Insert("x", base::StrCat(kNow + 10));
  server_.clock().AdvanceMs(9'999);
  EXPECT_EQ(Purge(), 0);
  server_.clock().AdvanceMs(1);
  EXPECT_THAT(Left(), HasSubstr("[ \"x\" ]"));  // visible until it is removed
  EXPECT_EQ(Purge(), 1);
}

TEST_F(EpochTest, FiveYearsInThePastAreLeftAlone) {
  Run("{create: 'c'}");
  SwitchOn();
  constexpr int64_t kGuard = engine::kEpochGuardMs / 1000;
  Insert("just inside", base::StrCat(kNow - kGuard));
  Insert("just outside", base::StrCat(kNow - kGuard - 1));
  EXPECT_EQ(Purge(), 1);
  EXPECT_THAT(Left(), HasSubstr("[ \"just outside\" ]"));
}

TEST_F(EpochTest, ChangingOrRemovingTheAttributeSaves) {
  Run("{create: 'c'}");
  SwitchOn();
  for (const char* id : {"set", "unset", "replaced", "due"}) Insert(id, base::StrCat(kNow + 1));
  server_.clock().AdvanceMs(5'000);
  Run(base::StrCat("{update: 'c', updates: [{q: {_id: 'set'}, u: {$set: {exp: ", kNow + 100,
                   "}}}]}"));
  Run("{update: 'c', updates: [{q: {_id: 'unset'}, u: {$unset: {exp: 1}}}]}");
  Run("{update: 'c', updates: [{q: {_id: 'replaced'}, u: {a: 1}}]}");
  EXPECT_EQ(Purge(), 1);
  EXPECT_THAT(Run("{validate: 'c', full: true}"), HasSubstr("valid: true"));
  server_.clock().AdvanceMs(100'000);
  EXPECT_EQ(Purge(), 1);
  EXPECT_THAT(Left(), HasSubstr("[ \"replaced\", \"unset\" ]"));
}

TEST_F(EpochTest, DocumentsBeforeTheRuleAreTakenIn) {
  std::string documents;
  for (int i = 0; i < 1000; ++i) {
    documents += base::StrCat("{_id: ", i, ", exp: ", kNow - 100 + (i % 2) * 1000, "},");
  }
  documents.pop_back();
  Run(base::StrCat("{insert: 'c', documents: [", documents, "]}"));
  SwitchOn();
  // Written before the background has come so far.
  Run("{update: 'c', updates: [{q: {_id: 998}, u: {$unset: {exp: 1}}}]}");
  Run("{delete: 'c', deletes: [{q: {_id: 996}, limit: 1}]}");
  EXPECT_EQ(Purge(), 498);
  EXPECT_THAT(Run("{validate: 'c', full: true}"), HasSubstr("valid: true"));
  server_.clock().AdvanceMs(1'000'000);
  EXPECT_EQ(Purge(), 500);
}

TEST_F(EpochTest, GoesOffWithTheRule) {
  Run("{create: 'c'}");
  SwitchOn();
  Insert("x", base::StrCat(kNow + 10));
  Run("{updateTimeToLive: 'c', timeToLiveSpecification: {enabled: false, attributeName: 'exp'}}");
  server_.clock().AdvanceMs(20'000);
  EXPECT_EQ(Purge(), 0);
  SwitchOn();
  EXPECT_EQ(Purge(), 1);
}

TEST_F(EpochTest, WhicheverRuleComesFirst) {
  Run("{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 50}, "
      "{key: {at: 1}, name: 'd', expireAfterSeconds: 0}]}");
  SwitchOn();
  const auto date = [](int64_t s) { return base::StrCat("{$date: ", s * 1000, "}"); };
  Run(base::StrCat("{insert: 'c', documents: [{_id: 'epoch', exp: ", kNow + 10, ", at: ",
                   date(kNow + 90), "}, {_id: 'date', exp: ", kNow + 90, ", at: ", date(kNow + 20),
                   "}, {_id: 'write', exp: ", kNow + 90, ", at: ", date(kNow + 90), "}]}"));
  server_.clock().AdvanceMs(10'000);
  EXPECT_EQ(Purge(), 1);
  EXPECT_THAT(Left(), HasSubstr("[ \"date\", \"write\" ]"));
  server_.clock().AdvanceMs(10'000);
  EXPECT_EQ(Purge(), 1);
  EXPECT_THAT(Left(), HasSubstr("[ \"write\" ]"));
  server_.clock().AdvanceMs(30'000);
  EXPECT_EQ(Purge(), 1);
  EXPECT_THAT(Run("{validate: 'c', full: true}"), HasSubstr("valid: true"));
}

}  // namespace
}  // namespace mayfly::ttl

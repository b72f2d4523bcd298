// TTL.md section 6: ttlMonitorSleepSecs. Dates are looked at once in a period; other rules as ever.
#include <string>
#include <thread>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"
#include "ttl/service.h"

namespace mayfly::ttl {
namespace {

class DatePeriodTest : public testing::Test {
 protected:
  ~DatePeriodTest() override { service().Stop(); }

  Service& service() { return server_.ttl(); }
  void Run(std::string_view command) { EXPECT_EQ(server_.RunCode("db", command), 0) << command; }
  // Time passes until the service has begun another pass and ended it.
  void AwaitPass() {
    const int64_t passes = service().metrics().passes;
    for (int i = 0; service().metrics().passes < passes + 2; ++i) {
      // Not each time: far less than the period is to pass, however slow the thread.
      if (i % 1000 == 0) server_.clock().AdvanceMs(Service::kMinGapMs);
      service().OnRulesChanged("db");
      std::this_thread::yield();
    }
  }

  test::TestServer server_;
};

TEST_F(DatePeriodTest, DatesWaitForTheirPeriod_LastWriteDoesNot) {
  Run("{createIndexes: 'c', indexes: [{key: {d: 1}, name: 'd', expireAfterSeconds: 0}]}");
  Run("{createIndexes: 'w', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 1}]}");
  Run("{insert: 'c', documents: [{_id: 1, d: {$date: {$numberLong: '0'}}}]}");
  Run("{insert: 'w', documents: [{_id: 1}]}");
  server_.clock().AdvanceMs(1'000);
  service().SetDatePeriodSeconds(3600);
  service().Start();
  AwaitPass();
  EXPECT_EQ(service().metrics().deleted_documents, 1);
  server_.clock().AdvanceMs(3'000'000);
  AwaitPass();
  EXPECT_EQ(service().metrics().deleted_documents, 1);
  server_.clock().AdvanceMs(600'000);
  AwaitPass();
  EXPECT_EQ(service().metrics().deleted_documents, 2);
}

}  // namespace
}  // namespace mayfly::ttl

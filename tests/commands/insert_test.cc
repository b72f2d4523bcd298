#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace mayfly::commands {
namespace {

TEST(TestServerTest, RunsCommandsInTheStore) {
  test::TestServer server;
  EXPECT_EQ(server.RunText("db", "{insert: 'c', documents: [{_id: 1}, {_id: 2}]}"),
            "{ n: 2, ok: 1.0 }");
  EXPECT_EQ(server.RunCode("db", "{nosuch: 1}"), 59);
}

}  // namespace
}  // namespace mayfly::commands

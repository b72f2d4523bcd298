#include "server/frontend.h"

#include <csignal>
#include <thread>

#include "base/clock.h"
#include "base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/wire/echo_server.h"
#include "tests/wire/raw_client.h"

namespace mayfly::server {
namespace {

using wire::test::RawClient;

std::string Message(std::string_view command) {
  return wire::test::Msg(wire::test::BodySection(wire::test::Command(command)));
}

class FrontendTest : public ::testing::Test {
 protected:
  static Options MakeOptions() {
    Options options;
    options.port = 0;
    options.unix_socket = false;
    return options;
  }
  void SetUp() override { ASSERT_TRUE(frontend_.Listen(handler_).ok()); }
  void Start() {
    thread_ = std::thread([this] {
      frontend_.Run(
          {.answer_waiting = [this] { ++waiting_answered_; }, .interrupt_running = [] {}});
    });
  }
  void TearDown() override {
    if (thread_.joinable()) thread_.join();
  }

  base::SystemClock clock_;
  wire::test::EchoHandler handler_;
  Frontend frontend_{MakeOptions(), clock_};
  std::thread thread_;
  int waiting_answered_ = 0;
};

TEST_F(FrontendTest, SignalEndsInOrder) {
  Start();
  RawClient client = RawClient::Tcp(frontend_.port());
  ASSERT_TRUE(client.Call(Message("ping")).has_value());
  std::raise(SIGTERM);
  EXPECT_TRUE(client.IsClosedByServer());
  thread_.join();
  EXPECT_EQ(waiting_answered_, 1);
  EXPECT_FALSE(RawClient::Tcp(frontend_.port()).Call(Message("ping")).has_value());
}

TEST_F(FrontendTest, RunningRequestIsAnsweredBeforeTheEnd) {
  Start();
  RawClient client = RawClient::Tcp(frontend_.port());
  ASSERT_TRUE(client.Send(Message("hold")));
  while (handler_.holding == 0) std::this_thread::yield();
  frontend_.RequestShutdown();
  EXPECT_FALSE(RawClient::Tcp(frontend_.port()).Call(Message("ping")).has_value());
  handler_.Release();
  EXPECT_TRUE(client.ReceiveReply().has_value());
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST_F(FrontendTest, ShutdownRequestedBeforeRunEndsAtOnce) {
  frontend_.RequestShutdown();
  Start();
}

TEST_F(FrontendTest, ConnectionStringHasTheRealPort) {
  EXPECT_EQ(frontend_.ConnectionString(),
            base::StrCat("mongodb://127.0.0.1:", frontend_.port(), "/?directConnection=true"));
  frontend_.RequestShutdown();
  Start();
}

TEST(Frontend, AddressInUseIsAnError) {
  base::SystemClock clock;
  wire::test::EchoHandler handler;
  Options options;
  options.port = 0;
  options.unix_socket = false;
  Frontend first(options, clock);
  ASSERT_TRUE(first.Listen(handler).ok());
  options.port = first.port();
  Frontend second(options, clock);
  EXPECT_FALSE(second.Listen(handler).ok());
}

}  // namespace
}  // namespace mayfly::server

// Sessions and the listener, end to end over real sockets.
#include "wire/session.h"

#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/wire/echo_server.h"
#include "tests/wire/raw_client.h"
#include "wire/compression.h"
#include "wire/op_compressed.h"

namespace mayfly::wire {
namespace {

using test::BodySection;
using test::Command;
using test::EchoServer;
using test::Msg;
using test::RawClient;

std::string Ping(int32_t id = 7) { return Msg(BodySection(Command("ping")), 0, id); }

std::string IntCommand(std::string_view name, int32_t value) {
  bson::Builder b;
  b.Int32(name, value);
  return b.Finish().bytes();
}

TEST(Session, RequestIsAnsweredWithItsId) {
  EchoServer server;
  ASSERT_TRUE(server.status().ok());
  RawClient client = RawClient::Tcp(server.port());
  const auto reply = client.Call(Ping(4711));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->header.response_to, 4711);
  EXPECT_EQ(reply->header.opcode, Opcode::kMsg);
  EXPECT_EQ(reply->flags, 0u);
  EXPECT_EQ(reply->document.Find("ok").AsDouble(), 1);
  EXPECT_EQ(reply->document.Find("local").AsString(), base::StrCat("127.0.0.1:", server.port()));
}

TEST(Session, BytesThatComeOneByOneMakeOneRequest) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  for (const char byte : Ping()) ASSERT_TRUE(client.Send({&byte, 1}));
  EXPECT_TRUE(client.ReceiveReply().has_value());
}

TEST(Session, PipelinedRequestsAreAnsweredInOrder) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  std::string all;
  for (int i = 0; i < 300; ++i) {
    all += i % 3 == 0 ? Msg(BodySection(Command("later")), 0, i) : Ping(i);
  }
  ASSERT_TRUE(client.Send(all));
  for (int i = 0; i < 300; ++i) {
    const auto reply = client.ReceiveReply();
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->header.response_to, i);
  }
}

TEST(Session, MoreToComeInTheRequestGetsNoAnswer) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  ASSERT_TRUE(client.Send(Msg(BodySection(Command("ping")), kMsgMoreToCome, 1)));
  ASSERT_TRUE(client.Send(Msg(BodySection(Command("later")), kMsgMoreToCome, 2)));
  EXPECT_EQ(client.Call(Ping(3))->header.response_to, 3);
  EXPECT_EQ(server.handler().handled, 3);
}

TEST(Session, ExhaustStreamsRepliesThatAnswerEachOther) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  ASSERT_TRUE(client.Send(Msg(BodySection(IntCommand("stream", 5)), kMsgExhaustAllowed, 9)));
  int32_t expected = 9;
  for (int left = 5; left >= 1; --left) {
    const auto reply = client.ReceiveReply();
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->header.response_to, expected);
    EXPECT_EQ(reply->flags, left > 1 ? kMsgMoreToCome : 0u);
    EXPECT_EQ(reply->document.Find("stream").AsInt32(), left);
    expected = reply->header.request_id;
  }
  EXPECT_TRUE(client.Call(Ping()).has_value());
}

TEST(Session, WithoutExhaustAllowedTheStreamIsOneReply) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  EXPECT_EQ(client.Call(Msg(BodySection(IntCommand("stream", 5))))->flags, 0u);
  EXPECT_EQ(client.Call(Ping(8))->header.response_to, 8);
}

TEST(Session, DroppedReplyClosesTheConnection) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  ASSERT_TRUE(client.Send(Msg(BodySection(Command("drop")))));
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST(Session, ReplyMayCloseTheConnection) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  EXPECT_TRUE(client.Call(Msg(BodySection(Command("close")))).has_value());
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST(Session, LargeMessagesPassBothWays) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  for (const int32_t size : {4'000, 4'096, 70'000, 16'000'000}) {
    bson::Builder b;
    b.Int32("big", size).String("filler", std::string(size, 'y'));
    const auto reply = client.Call(Msg(BodySection(b.Finish().bytes())));
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->document.Find("payload").AsString().size(), static_cast<size_t>(size));
  }
}

TEST(Session, LargeMessagesAreParsedAndCompressedOnAnotherThread) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  bson::Builder large;
  large.Int32("big", 10).String("filler", std::string(600'000, 'y'));
  EXPECT_TRUE(client.Call(Msg(BodySection(large.Finish().bytes()))).has_value());
  EXPECT_EQ(server.handler().elsewhere, 1);

  bson::Builder small;
  small.Int32("big", 1'000);
  const std::string asks_for_little = Msg(BodySection(small.Finish().bytes()));
  small.Int32("big", 1'000'000);
  const std::string asks_for_much = Msg(BodySection(small.Finish().bytes()));
  const Compressor& compressor = *FindCompressor(2);
  const auto call = [&](const std::string& message) {
    return client.Call(*CompressFrame(message, compressor)).has_value();
  };
  EXPECT_TRUE(call(asks_for_little));
  EXPECT_EQ(server.handler().elsewhere, 1);
  EXPECT_TRUE(call(asks_for_much));
  EXPECT_EQ(server.handler().elsewhere, 2);
  EXPECT_TRUE(call(asks_for_little));
}

TEST(Session, OldHandshakeGetsOneDocumentInOpReply) {
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  const auto reply = client.Call(test::Query("admin.$cmd", Command("isMaster")));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->header.opcode, Opcode::kReply);
  EXPECT_EQ(reply->document.Find("legacy").AsString(), "admin");
}

TEST(Session, UnixSocketIsServedAndRemoved) {
  std::string path;
  {
    EchoServer server({.port = 0, .unix_socket_prefix = ::testing::TempDir()});
    ASSERT_TRUE(server.status().ok()) << server.status();
    path = server.listener().unix_socket_path();
    RawClient client = RawClient::Unix(path);
    const auto reply = client.Call(Ping());
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->document.Find("local").AsString(), path);
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(Listener, PortInUseIsAnError) {
  EchoServer first;
  EchoServer second({.port = first.port(), .unix_socket = false});
  EXPECT_FALSE(second.status().ok());
}

TEST(Listener, ConnectionsBeyondTheLimitAreClosed) {
  EchoServer server({.port = 0, .unix_socket = false, .max_connections = 2});
  RawClient a = RawClient::Tcp(server.port());
  RawClient b = RawClient::Tcp(server.port());
  ASSERT_TRUE(a.Call(Ping()).has_value());
  ASSERT_TRUE(b.Call(Ping()).has_value());
  RawClient c = RawClient::Tcp(server.port());
  EXPECT_TRUE(c.IsClosedByServer());
  EXPECT_TRUE(a.Call(Ping()).has_value());
  EXPECT_EQ(server.listener().counters().connections_rejected, 1);
}

TEST(Listener, ManyConnectionsAreServedAtOnce) {
  EchoServer server;
  std::vector<RawClient> clients;
  for (int i = 0; i < 1200 && (clients.empty() || clients.back().is_open()); ++i) {
    clients.push_back(RawClient::Tcp(server.port()));
  }
  for (RawClient& client : clients)
    ASSERT_TRUE(client.Send(Ping() + Msg(BodySection(Command("later")))));
  for (RawClient& client : clients) {
    ASSERT_TRUE(client.ReceiveReply().has_value());
    ASSERT_TRUE(client.ReceiveReply().has_value());
  }
  EXPECT_EQ(server.listener().counters().connections, 1200);
}

TEST(Listener, CloseAnswersTheRunningRequestFirst) {
  EchoServer server;
  RawClient idle = RawClient::Tcp(server.port());
  RawClient busy = RawClient::Tcp(server.port());
  ASSERT_TRUE(idle.Call(Ping()).has_value());
  ASSERT_TRUE(busy.Send(Msg(BodySection(Command("hold")))));
  while (server.handler().holding == 0) std::this_thread::yield();
  std::thread stop([&] { server.Stop(); });
  EXPECT_TRUE(idle.IsClosedByServer());
  server.handler().Release();
  EXPECT_TRUE(busy.ReceiveReply().has_value());
  EXPECT_TRUE(busy.IsClosedByServer());
  stop.join();
  EXPECT_EQ(server.handler().connected, server.handler().disconnected);
}

TEST(Listener, AbortDoesNotWaitForTheRunningRequest) {
  EchoServer server;
  RawClient busy = RawClient::Tcp(server.port());
  ASSERT_TRUE(busy.Send(Msg(BodySection(Command("hold")))));
  while (server.handler().holding == 0) std::this_thread::yield();
  asio::post(server.network().io(), [&] { server.listener().AbortAll(); });
  EXPECT_TRUE(busy.IsClosedByServer());
  while (server.handler().disconnected == 0) std::this_thread::yield();
  server.handler().Release();
  server.Stop();
}

TEST(Listener, ClientThatLeavesDuringItsRequestIsNoticed) {
  EchoServer server({.port = 0, .unix_socket = false, .peer_check_ms = 5});
  RawClient busy = RawClient::Tcp(server.port());
  ASSERT_TRUE(busy.Send(Msg(BodySection(Command("hold")))));
  while (server.handler().holding == 0) std::this_thread::yield();
  busy.Close();
  while (server.handler().disconnected == 0) std::this_thread::yield();
  server.handler().Release();
}

TEST(NetworkThread, PollingServesTheSame) {
  EchoServer server({.port = 0, .unix_socket = false}, /*spin_us=*/50);
  RawClient client = RawClient::Tcp(server.port());
  for (int i = 0; i < 200; ++i) ASSERT_EQ(client.Call(Ping(i))->header.response_to, i);
}

class IdleTaskTest : public testing::TestWithParam<int> {
 protected:
  // Leaves a task that counts, as soon as there is room for one.
  void Leave() {
    absl::AnyInvocable<void()> task = [this] { ++ran_; };
    while (!server_.network().RunWhenIdle(task)) std::this_thread::yield();
  }

  std::atomic<int> ran_{0};
  EchoServer server_{{.port = 0, .unix_socket = false}, GetParam()};
};

TEST_P(IdleTaskTest, RunsWhenNobodyIsThereAndBetweenRequests) {
  Leave();
  while (ran_ < 1) std::this_thread::yield();
  RawClient client = RawClient::Tcp(server_.port());
  for (int i = 0; i < 50; ++i) {
    Leave();
    ASSERT_EQ(client.Call(Ping(i))->header.response_to, i);
  }
  while (ran_ < 51) std::this_thread::yield();
  EXPECT_GT(server_.network().IdleUs(), 0);
}

TEST_P(IdleTaskTest, HurriedEvenIfSomethingIsAlwaysReady) {
  // Posts itself again, so the loop never comes to rest.
  std::atomic<bool> stop{false};
  std::function<void()> again = [&] {
    if (!stop) asio::post(server_.network().io(), again);
  };
  asio::post(server_.network().io(), again);
  Leave();
  server_.network().HurryIdleTask();
  while (ran_ < 1) std::this_thread::yield();
  stop = true;
  server_.Stop();
}

TEST_P(IdleTaskTest, WhoHasEndedTakesNone) {
  server_.Stop();
  absl::AnyInvocable<void()> task = [this] { ++ran_; };
  EXPECT_FALSE(server_.network().RunWhenIdle(task));
  EXPECT_TRUE(static_cast<bool>(task));
}

INSTANTIATE_TEST_SUITE_P(SleepingAndPolling, IdleTaskTest, testing::Values(0, 50));

}  // namespace
}  // namespace mayfly::wire

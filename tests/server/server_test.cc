// The whole server in one process, asked over a bare socket.
#include "server/server.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "bson/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/wire/raw_client.h"

namespace mayfly::server {
namespace {

using wire::test::BodySection;
using wire::test::Msg;
using wire::test::RawClient;

std::string Json(const std::string& text) { return bson::ParseJson(text)->bytes(); }

std::string Command(const std::string& json, uint32_t flags = 0) {
  return Msg(BodySection(Json(json)), flags);
}

int Code(const std::optional<wire::test::ReceivedReply>& reply) {
  const bson::ValueView code = reply->document.Find("code");
  return code.IsMissing() ? 0 : code.AsInt32();
}

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.port = 0;
    options.storage = StorageEngine::kMemory;
    options.unix_socket_prefix = ::testing::TempDir();
    server_ = std::make_unique<Server>(options);
    const absl::Status status = server_->Start();
    ASSERT_TRUE(status.ok()) << status;
    const std::string uri = server_->ConnectionString();
    port_ = static_cast<uint16_t>(std::atoi(uri.c_str() + uri.rfind(':') + 1));
    thread_ = std::thread([this] { server_->Run(); });
  }
  void TearDown() override {
    server_->RequestShutdown();
    if (thread_.joinable()) thread_.join();
  }
  RawClient Connect() const { return RawClient::Tcp(port_); }

  std::unique_ptr<Server> server_;
  uint16_t port_ = 0;
  std::thread thread_;
};

TEST_F(ServerTest, PrimaryIsTheAddressByWhichTheClientCame) {
  RawClient client = Connect();
  const auto reply = client.Call(Command(R"({"hello": 1, "$db": "admin"})"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(reply->document.Find("isWritablePrimary").AsBool());
  EXPECT_EQ(reply->document.Find("me").AsString(), base::StrCat("127.0.0.1:", port_));
}

TEST_F(ServerTest, ClientsOfTheUnixSocketAreToldATcpAddress) {
  RawClient client =
      RawClient::Unix(base::StrCat(::testing::TempDir(), "/mongodb-", port_, ".sock"));
  const auto reply = client.Call(Command(R"({"hello": 1, "$db": "admin"})"));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->document.Find("me").AsString(), base::StrCat("127.0.0.1:", port_));
}

TEST_F(ServerTest, HandshakeMayComeAsAnOldQueryAndNothingElse) {
  RawClient client = Connect();
  for (const char* name : {"isMaster", "ismaster", "hello", "buildInfo", "buildinfo"}) {
    const auto reply =
        client.Call(wire::test::Query("admin.$cmd", Json(base::StrCat("{\"", name, "\": 1}"))));
    ASSERT_TRUE(reply.has_value()) << name;
    EXPECT_EQ(reply->header.opcode, wire::Opcode::kReply);
    EXPECT_EQ(reply->document.Find("ok").AsDouble(), 1) << name;
  }
  EXPECT_EQ(Code(client.Call(wire::test::Query("db.$cmd", Json(R"({"find": "c"})")))), 352);
  EXPECT_TRUE(client.Call(Command(R"({"ping": 1, "$db": "admin"})")).has_value());
}

TEST_F(ServerTest, DocumentsOfASequenceAreInserted) {
  RawClient client = Connect();
  const std::string documents = Json(R"({"a": 1})") + Json(R"({"a": 2})");
  const auto insert = client.Call(Msg(BodySection(Json(R"({"insert": "c", "$db": "d"})")) +
                                      wire::test::SequenceSection("documents", documents)));
  ASSERT_TRUE(insert.has_value());
  EXPECT_EQ(insert->document.Find("n").AsInt32(), 2);
  const auto find = client.Call(Command(R"({"find": "c", "filter": {"a": 2}, "$db": "d"})"));
  EXPECT_EQ(find->document.Find("cursor").AsDocument().Find("firstBatch").AsDocument().Count(), 1);
}

TEST_F(ServerTest, TooLargeDocumentIsAWriteErrorAndTheConnectionGoesOn) {
  RawClient client = Connect();
  bson::Builder b;
  b.String("s", std::string(16 * 1024 * 1024 + 1 - 5 - 8, 'x'));
  const bson::Document large = b.Finish();
  ASSERT_EQ(large.bytes().size(), 16'777'217u);
  const auto reply = client.Call(Msg(BodySection(Json(R"({"insert": "c", "$db": "d"})")) +
                                     wire::test::SequenceSection("documents", large.bytes())));
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->document.Find("n").AsInt32(), 0) << bson::ToShellText(reply->document);
  EXPECT_TRUE(client.Call(Command(R"({"ping": 1, "$db": "admin"})")).has_value());
}

// A document with one field "a", nested `depth` levels deep in all.
std::string InsertNested(int depth) {
  return Msg(BodySection(Json(R"({"insert": "deep", "$db": "d"})")) +
             wire::test::SequenceSection("documents", wire::test::Nested(depth)));
}

int Inserted(const std::optional<wire::test::ReceivedReply>& reply) {
  const bson::ValueView n = reply->document.Find("n");
  return n.IsMissing() ? 0 : n.AsInt32();
}

TEST_F(ServerTest, NestingIsStoredToItsLimitAndRefusedBeyond) {
  RawClient client = Connect();
  for (const int depth : {1, 100, 180}) {
    const auto reply = client.Call(InsertNested(depth));
    ASSERT_TRUE(reply.has_value()) << depth;
    EXPECT_EQ(Inserted(reply), 1) << depth;
  }
  for (const int depth : {182, 200, 201, 10'000, 300'000}) {
    const auto reply = client.Call(InsertNested(depth));
    ASSERT_TRUE(reply.has_value()) << depth;
    EXPECT_EQ(Inserted(reply), 0) << depth;
  }
  EXPECT_EQ(client.Call(Command(R"({"count": "deep", "$db": "d"})"))->document.Find("n").AsInt32(),
            3);
}

TEST_F(ServerTest, NestingInFiltersUpdatesAndPipelinesEndsInAnError) {
  RawClient client = Connect();
  const std::string deep = wire::test::Nested(190);
  for (const auto& [command, field] :
       {std::pair{"find", "filter"}, std::pair{"count", "query"}, std::pair{"hello", "client"}}) {
    bson::Builder b;
    b.String(command, "c").Document(field, bson::View(deep));
    const auto reply = client.Call(Msg(BodySection(b.String("$db", "d").Finish().bytes())));
    ASSERT_TRUE(reply.has_value()) << command;
  }
  EXPECT_TRUE(client.Call(Command(R"({"ping": 1, "$db": "admin"})")).has_value());
}

TEST_F(ServerTest, EveryOfManySlowReadersGetsEveryDocumentOnce) {
  constexpr int kDocuments = 5000;
  RawClient writer = Connect();
  std::string documents;
  for (int i = 0; i < kDocuments; ++i) documents += Json(base::StrCat("{\"_id\": ", i, "}"));
  writer.Call(Msg(BodySection(Json(R"({"insert": "many", "$db": "d"})")) +
                  wire::test::SequenceSection("documents", documents)));
  struct Reader {
    RawClient client;
    int64_t cursor = 0;
    int next = 0;
  };
  std::vector<Reader> readers;
  for (int i = 0; i < 8; ++i) readers.push_back({Connect()});
  const auto take = [](Reader& reader, const std::string& command, const char* batch) {
    const auto reply = reader.client.Call(Command(command));
    const bson::View cursor = reply->document.Find("cursor").AsDocument();
    for (const bson::Element element : cursor.Find(batch).AsDocument()) {
      EXPECT_EQ(element.value.AsDocument().Find("_id").AsInt32(), reader.next++);
    }
    reader.cursor = cursor.Find("id").AsInt64();
  };
  for (Reader& reader : readers) take(reader, R"({"find": "many", "$db": "d"})", "firstBatch");
  // The readers take turns, so that all cursors are open all the time.
  for (int round = 0; round < kDocuments; round += 500) {
    for (Reader& reader : readers) {
      if (reader.cursor == 0) continue;
      take(reader,
           base::StrCat(R"({"getMore": {"$numberLong": ")", reader.cursor,
                        R"("}, "collection": "many", "batchSize": 500, "$db": "d"})"),
           "nextBatch");
    }
  }
  for (const Reader& reader : readers) EXPECT_EQ(reader.next, kDocuments);
}

TEST_F(ServerTest, MessageWithoutDatabaseIsAnError) {
  RawClient client = Connect();
  EXPECT_EQ(Code(client.Call(Command(R"({"ping": 1})"))), 40571);
}

TEST_F(ServerTest, StreamOfHelloFromAnotherServersVersionGoesOnWaiting) {
  RawClient client = Connect();
  ASSERT_TRUE(client.Send(Command(
      R"({"hello": 1, "topologyVersion": {"processId": {"$oid": "0123456789abcdef01234567"},
          "counter": {"$numberLong": "1"}}, "maxAwaitTimeMS": 600000, "$db": "admin"})",
      wire::kMsgExhaustAllowed)));
  const auto first = client.ReceiveReply();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->flags, wire::kMsgMoreToCome);
  // The next reply comes only because the server ends; it is the last one of the stream.
  server_->RequestShutdown();
  const auto last = client.ReceiveReply();
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->flags, 0u);
  EXPECT_EQ(last->header.response_to, first->header.request_id);
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST_F(ServerTest, ManyClientsWriteAndReadAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this, t] {
      RawClient client = Connect();
      for (int i = 0; i < 50; ++i) {
        const auto insert = client.Call(Command(base::StrCat(
            R"({"insert": "c", "documents": [{"_id": )", t * 1000 + i, R"(}], "$db": "d"})")));
        ASSERT_EQ(insert->document.Find("n").AsInt32(), 1);
        const auto find = client.Call(Command(base::StrCat(R"({"find": "c", "filter": {"_id": )",
                                                           t * 1000 + i, R"(}, "$db": "d"})")));
        ASSERT_EQ(
            find->document.Find("cursor").AsDocument().Find("firstBatch").AsDocument().Count(), 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  RawClient client = Connect();
  EXPECT_EQ(client.Call(Command(R"({"count": "c", "$db": "d"})"))->document.Find("n").AsInt32(),
            400);
}

}  // namespace
}  // namespace mayfly::server

// What no driver sends, over a real socket: every row either gets MongoDB's error and goes on, or
// ends that connection with one line in the log; another client never notices.
#include <random>
#include <vector>

#include "base/limits.h"
#include "base/log.h"
#include "bson/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/wire/echo_server.h"
#include "tests/wire/raw_client.h"
#include "wire/op_query.h"

namespace mayfly::wire {
namespace {

using test::BodySection;
using test::Command;
using test::Compressed;
using test::EchoServer;
using test::Frame;
using test::Int32Bytes;
using test::Msg;
using test::MsgWithChecksum;
using test::Nested;
using test::RawClient;
using test::SequenceSection;
using ::testing::HasSubstr;

std::string Ping() { return Msg(BodySection(Command("ping"))); }

std::string Header(int32_t length, int32_t opcode = 2013) {
  return Int32Bytes(length) + Int32Bytes(1) + Int32Bytes(0) + Int32Bytes(opcode);
}

std::string Document() { return Command("x"); }

std::string Damaged(std::string document) {
  document[4] = 0x66;  // no BSON type
  return document;
}

std::string CompressedBy(uint8_t id) { return *CompressFrame(Ping(), *FindCompressor(id)); }

std::string ClientHello() {
  // Type handshake, TLS 1.0 for compatibility, length; ClientHello, its length, version 1.2.
  return std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(506, 'r');
}

struct Row {
  const char* name;
  std::string bytes;
  const char* log;  // part of the one log line of a connection that is closed; empty: it stays open
  int code = 0;     // of an error that is answered; 0: the answer is good
};

std::vector<Row> Rows() {
  const std::string body = BodySection(Document());
  return {
      {"LengthBelowTheHeader", Header(15), "message length 15"},
      {"LengthZero", Header(0), "message length 0"},
      {"LengthNegative", Header(-1), "message length -1"},
      {"LengthOverTheLimit", Header(48'000'001), "message length 48000001"},
      {"LengthOfTwoGigabytes", Header(0x7FFFFFFF), "message length 2147483647"},
      {"OpcodeUnknown", Header(100, 4242), "unknown opcode 4242"},
      {"OpcodeReply", Header(36, 1), "unknown opcode 1"},
      {"OpcodeInsert", Frame(2002, std::string(20, '\0')), "legacy opcode 2002"},
      {"OpcodeGetMore", Frame(2005, std::string(20, '\0')), "legacy opcode 2005"},
      {"OpcodeKillCursors", Frame(2007, std::string(20, '\0')), "legacy opcode 2007"},
      {"ChecksumRight", MsgWithChecksum(body), ""},
      {"ChecksumWrong", MsgWithChecksum(body, 1), "checksum"},
      {"ChecksumMissing", Msg(body, kMsgChecksumPresent), "checksum"},
      {"ChecksumAndNothingElse", Msg("", kMsgChecksumPresent), "cut off before its checksum"},
      {"FlagUnknownRequired", Msg(body, 1u << 5), "unknown required flags"},
      {"FlagUnknownOptional", Msg(body, 1u << 20), ""},
      {"FlagsMissing", Frame(2013, "abc"), "cut off before its flags"},
      {"BodyTwice", Msg(body + body), "", 40430},
      {"BodyMissing", Msg(SequenceSection("documents", Document())), "", 40587},
      {"SectionsMissing", Msg(""), "", 40587},
      {"SectionKindUnknown", Msg(body + test::Byte(2) + Document()), "", 40432},
      {"SequenceAfterBody", Msg(body + SequenceSection("documents", Document() + Document())), ""},
      {"SequenceTwice", Msg(body + SequenceSection("d", "") + SequenceSection("d", "")), "", 40431},
      {"SequenceAlsoInBody", Msg(body + SequenceSection("x", Document())), "", 40433},
      {"SequenceCutOff", Msg(body + test::Byte(1) + Int32Bytes(1000) + "documents"), "", 22},
      {"SequenceSizeTooSmall", Msg(body + test::Byte(1) + Int32Bytes(3)), "", 22},
      {"SequenceSizeNegative", Msg(body + test::Byte(1) + Int32Bytes(-5) + "documents"), "", 22},
      {"SequenceWithoutIdentifier", Msg(body + test::Byte(1) + Int32Bytes(8) + "abcd"), "", 22},
      {"SequenceDocumentDamaged", Msg(body + SequenceSection("d", Damaged(Document()))), "", 22},
      {"BodyCutOff", Msg(body.substr(0, body.size() - 1)), "", 22},
      {"BodySizeNegative", Msg(test::Byte(0) + Int32Bytes(-1) + std::string(10, '\0')), "", 22},
      {"BodyDamaged", Msg(BodySection(Damaged(Document()))), "", 22},
      {"BodyOfNoise", Msg(test::Byte(0) + std::string(64, '\x7e')), "", 22},
      {"NestingAtTheLimit", Msg(BodySection(Nested(base::kMaxCommandNestingDepth))), ""},
      {"NestingTooDeep", Msg(BodySection(Nested(base::kMaxCommandNestingDepth + 1))), "", 15},
      {"NestingVeryDeep", Msg(BodySection(Nested(20'000))), "", 15},
      {"CompressedNoop", CompressedBy(0), ""},
      {"CompressedSnappy", CompressedBy(1), ""},
      {"CompressedZlib", CompressedBy(2), ""},
      {"CompressedZstd", CompressedBy(3), ""},
      {"CompressorUnknown", Compressed(9, 30, "whatever"), "unknown compressor 9"},
      {"CompressedCutOff", Frame(2012, "12345"), "OP_COMPRESSED is cut off"},
      {"CompressedClaimOfTwoGigabytes", Compressed(2, 0x7FFFFFFF, "abc"), "claims 2147483647"},
      {"CompressedClaimNegative", Compressed(2, -1, "abc"), "claims -1"},
      {"CompressedInCompressed", Compressed(0, 3, "abc", 2012), "inside a compressed message"},
      {"CompressedOpcodeUnknown", Compressed(0, 3, "abc", 7), "unknown opcode 7"},
      {"QueryOnCollection", test::Query("db.c", Document()), "", 5739101},
      {"QueryNumberToReturn", test::Query("db.$cmd", Document(), 5), "", 16979},
      {"QueryCutOff", test::Query("db.$cmd", "abc"), "", 22},
      {"QueryDamaged", test::Query("db.$cmd", Damaged(Document())), "", 22},
      {"QueryWithoutNamespaceEnd", Frame(2004, Int32Bytes(0) + "db"),
       "namespace of OP_QUERY has no end"},
      {"QueryOnCommands", test::Query("db.$cmd", Document()), ""},
      {"HttpGet", "GET / HTTP/1.1\r\nHost: localhost:27017\r\n\r\n", "HTTP"},
      {"HttpPost", "POST /data HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP"},
      {"TlsClientHello", ClientHello(), "TLS"},
  };
}

// Rows made from the rows: each compressor with a payload cut short, and with a wrong claim.
std::vector<Row> CompressionDamage() {
  std::vector<Row> rows;
  for (const uint8_t id : {0, 1, 2, 3}) {
    const std::string good = CompressedBy(id);
    const std::string payload = good.substr(kHeaderSize + 9);
    const int32_t size = LoadInt32(good.data() + kHeaderSize + 4);
    rows.push_back(
        {"PayloadCutShort", Compressed(id, size, payload.substr(0, payload.size() / 2)), "claims"});
    rows.push_back({"ClaimTooLarge", Compressed(id, size + 1, payload), "claims"});
    rows.push_back({"ClaimTooSmall", Compressed(id, size - 1, payload), "claims"});
    rows.push_back({"ClaimOfAllThereMayBe", Compressed(id, 47'000'000, payload), "claims"});
    rows.push_back({"PayloadEmpty", Compressed(id, size, ""), "claims"});
    rows.push_back({"PayloadOfNoise", Compressed(id, size, std::string(payload.size() + 1, '\x7e')),
                    "claims"});
  }
  return rows;
}

void CheckAnswered(const Row& row, RawClient* client) {
  const auto reply = client->ReceiveReply();
  ASSERT_TRUE(reply.has_value()) << row.name;
  const bson::ValueView code = reply->document.Find("code");
  EXPECT_EQ(code.IsMissing() ? 0 : code.AsInt32(), row.code) << row.name;
  EXPECT_EQ(reply->document.Find("ok").AsDouble(), row.code == 0 ? 1 : 0) << row.name;
  const bool was_compressed = LoadInt32(row.bytes.data() + 12) == 2012;
  EXPECT_EQ(reply->compressed, was_compressed) << row.name;
  EXPECT_TRUE(client->Call(Ping()).has_value()) << row.name << ": the connection did not survive";
}

void CheckRow(const Row& row, EchoServer* server, RawClient* bystander, base::LogCapture* log) {
  RawClient client = RawClient::Tcp(server->port());
  client.Send(row.bytes);
  if (row.log[0] == '\0') {
    CheckAnswered(row, &client);
    EXPECT_TRUE(log->TakeLines().empty()) << row.name;
  } else {
    client.ReceiveUntilClosed();
    EXPECT_THAT(log->TakeLines(), ::testing::ElementsAre(HasSubstr(row.log))) << row.name;
  }
  EXPECT_TRUE(bystander->Call(Ping()).has_value()) << row.name << " hurt another client";
}

TEST(BadInput, EveryRowGetsItsErrorOrAClosedConnection) {
  base::LogCapture log;
  EchoServer server;
  RawClient bystander = RawClient::Tcp(server.port());
  for (const Row& row : Rows()) CheckRow(row, &server, &bystander, &log);
  EXPECT_EQ(server.listener().counters().connections, 1);
}

TEST(BadInput, DamagedCompressedMessagesCloseTheConnection) {
  base::LogCapture log;
  EchoServer server;
  RawClient bystander = RawClient::Tcp(server.port());
  for (const Row& row : CompressionDamage()) CheckRow(row, &server, &bystander, &log);
}

TEST(BadInput, ErrorInAFireAndForgetMessageIsNotAnswered) {
  base::LogCapture log;
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  ASSERT_TRUE(client.Send(Msg(BodySection(Damaged(Document())), kMsgMoreToCome, 1)));
  EXPECT_EQ(client.Call(Msg(BodySection(Document()), 0, 2))->header.response_to, 2);
}

TEST(BadInput, ChecksumIsAnsweredWithARightChecksum) {
  base::LogCapture log;
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  ASSERT_TRUE(client.Send(MsgWithChecksum(BodySection(Document()))));
  const auto frame = client.Receive();
  ASSERT_TRUE(frame.has_value());
  const std::string_view checked = std::string_view(*frame).substr(0, frame->size() - 4);
  EXPECT_EQ(static_cast<uint32_t>(LoadInt32(frame->data() + checked.size())), Crc32c(checked));
}

TEST(BadInput, OldQueryOnACollectionGetsQueryFailure) {
  base::LogCapture log;
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  const auto reply = client.Call(test::Query("db.c", Document()));
  ASSERT_TRUE(reply.has_value());
  EXPECT_NE(reply->flags & kReplyQueryFailure, 0u);
  EXPECT_TRUE(reply->document.Find("$err").IsString());
}

TEST(BadInput, WrappedOldQueryIsUnwrapped) {
  base::LogCapture log;
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  bson::Builder b;
  b.Document("$query", bson::View(std::string_view(Command("close"))))
      .OpenDocument("$readPreference")
      .Close();
  EXPECT_TRUE(client.Call(test::Query("db.$cmd", b.Finish().bytes())).has_value());
  EXPECT_TRUE(client.IsClosedByServer());
}

TEST(BadInput, HttpIsToldWhereItIs) {
  base::LogCapture log;
  EchoServer server;
  RawClient client = RawClient::Tcp(server.port());
  client.Send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.ReceiveUntilClosed(), HasSubstr("MongoDB"));
}

TEST(BadInput, OpenAndCloseLeavesNothingBehind) {
  base::LogCapture log;
  EchoServer server;
  RawClient bystander = RawClient::Tcp(server.port());
  for (int i = 0; i < 200; ++i) {
    RawClient::Tcp(server.port());
    ASSERT_TRUE(bystander.Call(Ping()).has_value());
  }
  // The last one may not have been accepted yet.
  const auto has_seen_all = [&server] {
    const auto& counters = server.listener().counters();
    return counters.connections_created == 201 && counters.connections == 1;
  };
  while (!has_seen_all()) std::this_thread::yield();
  EXPECT_EQ(log.TakeLines().size(), 200u);
}

TEST(BadInput, ClientThatLeavesInTheMiddleOfAMessageIsLogged) {
  base::LogCapture log;
  EchoServer server;
  {
    RawClient client = RawClient::Tcp(server.port());
    ASSERT_TRUE(client.Send(Header(1'000'000) + "beginning"));
  }
  while (server.handler().disconnected == 0) std::this_thread::yield();
  EXPECT_THAT(log.TakeLines(), ::testing::ElementsAre(HasSubstr("in the middle of a message")));
}

TEST(BadInput, NoiseNeverStopsTheServer) {
  base::LogCapture log;
  EchoServer server;
  std::mt19937_64 random(20250101);
  for (int round = 0; round < 300; ++round) {
    RawClient client = RawClient::Tcp(server.port());
    std::string bytes = round % 2 == 0
                            ? Msg(BodySection(Document()) + SequenceSection("d", Document()))
                            : CompressedBy(2);
    for (int flips = static_cast<int>(random() % 6) + 1; flips > 0; --flips) {
      bytes[4 + random() % (bytes.size() - 4)] = static_cast<char>(random());
    }
    client.Send(bytes + Ping());
  }
  EXPECT_TRUE(RawClient::Tcp(server.port()).Call(Ping()).has_value());
}

}  // namespace
}  // namespace mayfly::wire

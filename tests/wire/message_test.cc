// Checksums, compressors, and replies as bytes.
#include "wire/message.h"

#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/wire/raw_client.h"
#include "wire/crc32c.h"
#include "wire/op_query.h"

namespace mayfly::wire {
namespace {

std::string Join(const EncodedReply& reply) {
  std::string bytes;
  for (const std::string_view part : reply.parts()) bytes += part;
  return bytes;
}

std::string RandomBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

TEST(Crc32c, KnownValues) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
}

TEST(Crc32c, HardwareAndTableAgreeAtEveryLength) {
  for (size_t size = 0; size < 100; ++size) {
    const std::string bytes = RandomBytes(size, size);
    EXPECT_EQ(Crc32c(bytes), Crc32cPortable(bytes)) << size;
  }
}

TEST(Crc32c, MayBeContinued) { EXPECT_EQ(Crc32c("6789", Crc32c("12345")), Crc32c("123456789")); }

TEST(Compression, EveryCompressorGivesBackWhatItGot) {
  for (const uint8_t id : {0, 1, 2, 3}) {
    const Compressor* compressor = FindCompressor(id);
    ASSERT_NE(compressor, nullptr);
    for (const std::string& input :
         {std::string(), std::string("a"), std::string(100'000, 'x'), RandomBytes(70'000, 3)}) {
      std::string packed;
      ASSERT_TRUE(compressor->compress(input, &packed).ok());
      std::string unpacked = "before";
      ASSERT_TRUE(compressor->decompress(packed, input.size(), &unpacked).ok()) << compressor->name;
      EXPECT_EQ(unpacked, "before" + input) << compressor->name;
    }
  }
}

TEST(Compression, NamesAreThoseOfTheProtocol) {
  EXPECT_EQ(FindCompressor(1)->name, "snappy");
  EXPECT_EQ(FindCompressor(2)->name, "zlib");
  EXPECT_EQ(FindCompressor(3)->name, "zstd");
  EXPECT_EQ(FindCompressor(4), nullptr);
  EXPECT_EQ(FindCompressor(255), nullptr);
  EXPECT_THAT(NegotiableCompressors(), ::testing::UnorderedElementsAre("snappy", "zlib", "zstd"));
}

TEST(EncodeReply, OpMsgHasOneBodySection) {
  const std::string document = test::Command("x");
  const std::string bytes =
      Join(EncodeReply({.response_to = 5}, 6, /*more_to_come=*/true, document));
  std::string expected = test::Msg(test::BodySection(document), kMsgMoreToCome, 6);
  StoreInt32(expected.data() + 8, 5);
  EXPECT_EQ(bytes, expected);
}

TEST(EncodeReply, OpReplyHasOneDocumentAndNoCursor) {
  const std::string document = test::Command("x");
  const std::string bytes =
      Join(EncodeReply({.response_to = 5, .legacy = true, .query_failure = true}, 6,
                       /*more_to_come=*/false, document));
  ASSERT_EQ(bytes.size(), 36 + document.size());
  EXPECT_EQ(LoadInt32(bytes.data()), static_cast<int32_t>(bytes.size()));
  EXPECT_EQ(LoadInt32(bytes.data() + 12), 1);
  EXPECT_EQ(LoadInt32(bytes.data() + 16), kReplyAwaitCapable | kReplyQueryFailure);
  EXPECT_EQ(bytes.substr(20, 12), std::string(12, '\0'));
  EXPECT_EQ(LoadInt32(bytes.data() + 32), 1);
  EXPECT_EQ(bytes.substr(36), document);
}

TEST(ParseRequest, SequencesAndFlagsAreFound) {
  Request request;
  ReplyFormat format;
  const std::string document = test::Command("x");
  const std::string message = test::Msg(
      test::SequenceSection("documents", document + document) + test::BodySection(document),
      kMsgExhaustAllowed, 99);
  ASSERT_TRUE(ParseRequest(message, &request, &format).ok());
  EXPECT_EQ(request.request_id, 99);
  EXPECT_TRUE(request.exhaust_allowed);
  EXPECT_FALSE(request.more_to_come);
  EXPECT_EQ(request.wire_bytes, message.size());
  EXPECT_EQ(request.body.bytes(), document);
  ASSERT_EQ(request.sequences.size(), 1u);
  EXPECT_EQ(request.sequences[0].identifier, "documents");
  EXPECT_EQ(request.sequences[0].documents.size(), 2u);
}

}  // namespace
}  // namespace mayfly::wire

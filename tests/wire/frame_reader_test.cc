#include "wire/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/wire/raw_client.h"

namespace mayfly::wire {
namespace {

using test::Frame;

// Feeds `bytes` in pieces of at most `chunk` bytes and returns the messages.
std::vector<std::string> ReadAll(std::string_view bytes, size_t chunk) {
  FrameReader reader;
  std::vector<std::string> frames;
  std::string frame;
  while (true) {
    const absl::StatusOr<bool> complete = reader.Next(&frame);
    if (!complete.ok()) return {"broken"};
    if (*complete) {
      frames.push_back(frame);
      continue;
    }
    if (bytes.empty()) return frames;
    const std::span<char> space = reader.Space();
    EXPECT_FALSE(space.empty());
    const size_t count = std::min({chunk, bytes.size(), space.size()});
    std::memcpy(space.data(), bytes.data(), count);
    reader.Advance(count);
    bytes.remove_prefix(count);
  }
}

TEST(FrameReader, MessagesOfAllSizesComeOutWholeHoweverTheyAreCut) {
  std::mt19937 random(1);
  std::vector<std::string> frames;
  for (const size_t size :
       {0, 1, 4079, 4080, 4081, 65519, 65520, 65521, 300'000, 5, 0, 1'000'000, 3}) {
    std::string payload(size, '\0');
    for (char& c : payload) c = static_cast<char>(random());
    frames.push_back(Frame(2013, payload));
  }
  std::string all;
  for (const std::string& frame : frames) all += frame;
  for (const size_t chunk : {1, 7, 16, 4096, 100'000, 10'000'000}) {
    EXPECT_EQ(ReadAll(all, chunk), frames) << chunk;
  }
}

TEST(FrameReader, BrokenHeaderIsAnErrorAsSoonAsItIsThere) {
  const std::string header = test::Int32Bytes(15) + std::string(12, '\0');
  EXPECT_THAT(ReadAll(header, 1), ::testing::ElementsAre("broken"));
  EXPECT_THAT(ReadAll(header.substr(0, 15), 1), ::testing::IsEmpty());
}

TEST(FrameReader, PendingCountsWhatIsNotHandedOut) {
  FrameReader reader;
  const std::string bytes = Frame(2013, "abc") + "rest";
  std::memcpy(reader.Space().data(), bytes.data(), bytes.size());
  reader.Advance(bytes.size());
  EXPECT_EQ(reader.pending(), bytes.size());
  std::string frame;
  ASSERT_TRUE(*reader.Next(&frame));
  EXPECT_EQ(reader.pending(), 4u);
  EXPECT_EQ(reader.Peek(), "rest");
}

TEST(FrameReader, ClaimOfALargeMessageTakesNoMemoryBeforeItsBytesCome) {
  FrameReader reader;
  const std::string header =
      test::Int32Bytes(48'000'000) + std::string(8, '\0') + test::Int32Bytes(2013);
  std::memcpy(reader.Space().data(), header.data(), header.size());
  reader.Advance(header.size());
  std::string frame;
  ASSERT_FALSE(*reader.Next(&frame));
  EXPECT_LE(reader.Space().size(), 64u * 1024);
}

}  // namespace
}  // namespace mayfly::wire

#include "engine/keys/record_id.h"

#include <limits>

#include "base/random.h"
#include "gtest/gtest.h"

namespace mayfly::engine {
namespace {

std::string Encode(RecordId id) {
  std::string bytes;
  AppendRecordId(id, &bytes);
  return bytes;
}

TEST(RecordIdKey, SmallIdsAreShort) {
  EXPECT_EQ(Encode(1).size(), 2u);
  EXPECT_EQ(Encode(1023).size(), 2u);
  EXPECT_EQ(Encode(1024).size(), 3u);
  EXPECT_EQ(Encode((1 << 18) - 1).size(), 3u);
  EXPECT_EQ(Encode(1'000'000'000).size(), 5u);
  EXPECT_EQ(Encode(std::numeric_limits<RecordId>::max()).size(), 9u);
}

TEST(RecordIdKey, RandomIdsKeepTheirOrderAndAreFoundFromTheEnd) {
  const uint64_t seed = base::Random::FromSystem().NextU64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  base::Random random(seed);
  const auto next = [&random] {
    return static_cast<RecordId>((random.NextU64() >> 1) >> random.Below(63));
  };
  for (int i = 0; i < 20000; ++i) {
    const RecordId a = next(), b = next();
    ASSERT_EQ(Encode(a) < Encode(b), a < b) << a << " " << b;
    ASSERT_NE(static_cast<uint8_t>(Encode(a)[0]), 0xFF);
    const std::string key = std::string(random.Below(4), 'k') + Encode(a);
    size_t size = 0;
    ASSERT_EQ(DecodeRecordIdAtEnd(key, &size), a);
    ASSERT_EQ(size, key.size() - Encode(a).size());
  }
}

TEST(RecordIdKey, WhatIsNoRecordIdIsTold) {
  EXPECT_FALSE(SplitRecordId("").has_value());
  EXPECT_FALSE(SplitRecordId("a").has_value());
  EXPECT_FALSE(SplitRecordId(std::string("\x00\x07", 2)).has_value());
  EXPECT_FALSE(SplitRecordId(std::string("\x00\x00\x01", 3)).has_value());
}

}  // namespace
}  // namespace mayfly::engine

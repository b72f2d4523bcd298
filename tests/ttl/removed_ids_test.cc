#include "ttl/removed_ids.h"

#include <set>

#include "base/random.h"
#include "gtest/gtest.h"

namespace mayfly::ttl {
namespace {

TEST(RemovedIdsTest, KnowsWhatWasAdded) {
  RemovedIds ids;
  std::set<engine::RecordId> model;
  base::Random random(7);
  for (int i = 0; i < 5000; ++i) {
    const auto id = static_cast<engine::RecordId>(1 + random.Below(200'000));
    ids.Add(id);
    model.insert(id);
  }
  for (engine::RecordId id = 1; id <= 200'000; ++id) {
    ASSERT_EQ(ids.Contains(id), model.contains(id)) << id;
  }
  EXPECT_FALSE(ids.Contains(int64_t{1} << 62));
  ids.Clear();
  EXPECT_FALSE(ids.Contains(*model.begin()));
}

TEST(RemovedIdsTest, TenMillionTakeLittleMemory) {
  RemovedIds ids;
  for (engine::RecordId id = 1; id <= 10'000'000; id += 100) ids.Add(id);
  EXPECT_LT(ids.memory_bytes(), 2u << 20);
}

}  // namespace
}  // namespace mayfly::ttl

// Random operations on every kind of store, compared with std::map. The seed is printed;
// MAYFLY_SEED repeats a run.
#include <cstdlib>
#include <map>

#include "base/random.h"
#include "tests/engine/storage/store_kinds.h"

namespace mayfly::engine {
namespace {

uint64_t Seed() {
  const char* given = std::getenv("MAYFLY_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10)
                          : base::Random::FromSystem().NextU64();
}

// What a store should contain.
struct Model {
  std::map<RecordId, std::string> records;
  std::map<std::string, std::string> keys;
  bool operator==(const Model&) const = default;
};

class StoreRandomTest : public StoreTest {
 protected:
  void SetUp() override {
    records_ = MakeSpace(SpaceKind::kRecords);
    keys_ = MakeSpace(SpaceKind::kKeys);
  }

  std::string RandomKey() {
    std::string key(random_.Below(4), '\0');
    for (char& c : key) c = "\x00\x01m\xff"[random_.Below(4)];
    return key;
  }
  std::string RandomValue() {
    return std::string(random_.Below(20) == 0 ? 9'000 : random_.Below(40), 'v') +
           std::to_string(random_.NextU64());
  }

  absl::Status WriteOne(Transaction& t, Model& model) {
    const auto id = static_cast<RecordId>(1 + random_.Below(50));
    const std::string key = RandomKey();
    const std::string value = RandomValue();
    switch (random_.Below(20)) {
      case 0: {
        const RecordId last = id + static_cast<RecordId>(random_.Below(4)) - 1;
        std::erase_if(model.records,
                      [&](const auto& e) { return e.first >= id && e.first <= last; });
        return t.DeleteRecords(records_, id, last);
      }
      case 1: {
        const std::string last = RandomKey();
        std::erase_if(model.keys, [&](const auto& e) { return e.first >= key && e.first <= last; });
        return t.DeleteKeys(keys_, key, last);
      }
      default:
        return WriteEntry(t, model, id, key, value);
    }
  }

  absl::Status WriteEntry(Transaction& t, Model& model, RecordId id, const std::string& key,
                          const std::string& value) {
    switch (random_.Below(4)) {
      case 0:
        model.records[id] = value;
        return t.PutRecord(records_, id, value);
      case 1:
        model.records.erase(id);
        return t.DeleteRecord(records_, id);
      case 2:
        model.keys[key] = value;
        return t.PutKey(keys_, key, value);
      default:
        model.keys.erase(key);
        return t.DeleteKey(keys_, key);
    }
  }

  // Some writes and nested savepoints, of which some fail.
  absl::Status WriteSome(Transaction& t, Model& model, int depth) {
    const uint64_t count = random_.Below(6);
    for (uint64_t i = 0; i < count; ++i) {
      if (depth < 3 && random_.Below(3) == 0) {
        Model before = model;
        if (!t.WithSavepoint([&] { return WriteSome(t, model, depth + 1); }).ok()) model = before;
      } else {
        MAYFLY_RETURN_IF_ERROR(WriteOne(t, model));
      }
    }
    return random_.Below(4) == 0 ? base::Error(base::ErrorCode::kBadValue, "no") : absl::OkStatus();
  }

  // Reads everything through cursors and by key.
  absl::Status ReadAll(Transaction& t, Direction direction, Model& found) {
    auto records = t.NewRecordCursor(records_, direction);
    for (;;) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, records->Next());
      if (!more) break;
      MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetRecord(records_, records->id()));
      EXPECT_EQ(value, records->value());
      found.records.emplace(records->id(), records->value());
    }
    auto keys = t.NewKeyCursor(keys_, direction);
    for (;;) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, keys->Next());
      if (!more) break;
      MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetKey(keys_, keys->key()));
      EXPECT_EQ(value, keys->value());
      found.keys.emplace(keys->key(), keys->value());
    }
    return absl::OkStatus();
  }

  void Check(const Model& model) {
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      Model found;
      ASSERT_TRUE(Read([&](Transaction& t) { return ReadAll(t, direction, found); }).ok());
      ASSERT_TRUE(found == model);
    }
  }

  // A cursor and the model's iterator, with writes in between.
  absl::Status WalkWhileWriting(Transaction& t, Model& model) {
    auto cursor = t.NewKeyCursor(keys_, Direction::kForward);
    std::string at = RandomKey();
    cursor->Seek(at);
    bool inclusive = true;
    for (;;) {
      if (random_.Below(3) == 0) MAYFLY_RETURN_IF_ERROR(WriteOne(t, model));
      auto expected = inclusive ? model.keys.lower_bound(at) : model.keys.upper_bound(at);
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      EXPECT_EQ(more, expected != model.keys.end());
      if (!more || expected == model.keys.end()) return absl::OkStatus();
      EXPECT_EQ(cursor->key(), expected->first);
      EXPECT_EQ(cursor->value(), expected->second);
      at = expected->first;
      inclusive = false;
    }
  }

  const uint64_t seed_ = Seed();
  base::Random random_{seed_};
  SpaceId records_ = 0;
  SpaceId keys_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, StoreRandomTest, testing::ValuesIn(kStoreKinds), NameOfKind);

TEST_P(StoreRandomTest, RandomOperations_SameAsAMap) {
  SCOPED_TRACE(testing::Message() << "MAYFLY_SEED=" << seed_);
  RecordProperty("seed", std::to_string(seed_));
  Model model;
  for (int round = 0; round < 300 && !HasFatalFailure(); ++round) {
    Model after = model;
    if (Write([&](Transaction& t) { return WriteSome(t, after, 0); }).ok()) model = after;
    if (round % 10 == 0) Check(model);
    if (round % 25 == 0) {
      ASSERT_TRUE(Write([&](Transaction& t) { return WalkWhileWriting(t, model); }).ok());
    }
    if (GetParam().persistent && round % 100 == 99) Reopen();
  }
  Check(model);
}

TEST_P(StoreRandomTest, RandomGroups_EachOperationIsUndoneAlone) {
  SCOPED_TRACE(testing::Message() << "MAYFLY_SEED=" << seed_);
  Model model;
  for (int round = 0; round < 30 && !HasFatalFailure(); ++round) {
    Answers answers;
    {
      Blocker blocker(*database_);
      for (int i = 0; i < 10; ++i) {
        database_->Submit(
            {.access = Access::kWrite},
            [&](Transaction& t) {
              Model after = model;
              absl::Status status = WriteSome(t, after, 0);
              if (status.ok()) model = after;
              return status;
            },
            answers.Expect());
      }
    }
    answers.Wait();
    Check(model);
  }
}

}  // namespace
}  // namespace mayfly::engine

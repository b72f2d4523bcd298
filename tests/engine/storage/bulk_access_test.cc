// What bulk_access.h offers, on every kind of store.
#include "engine/storage/bulk_access.h"

#include "tests/engine/storage/store_kinds.h"

namespace mayfly::engine {
namespace {

using testing::ElementsAre;

using BulkAccessTest = StoreTest;
INSTANTIATE_TEST_SUITE_P(Stores, BulkAccessTest, testing::ValuesIn(kStoreKinds), NameOfKind);

TEST_P(BulkAccessTest, KeyInsertedWhereOneIs_NothingChanges) {
  const SpaceId space = MakeSpace(SpaceKind::kKeys);
  std::vector<bool> inserted;
  ASSERT_TRUE(Write([&](Transaction& t) {
                for (const char* value : {"first", "second"}) {
                  MAYFLY_ASSIGN_OR_RETURN(const bool done, InsertKey(t, space, "k", value));
                  inserted.push_back(done);
                }
                MAYFLY_ASSIGN_OR_RETURN(const auto found, t.GetKey(space, "k"));
                EXPECT_EQ(found, "first");
                return absl::OkStatus();
              }).ok());
  EXPECT_THAT(inserted, ElementsAre(true, false));
}

TEST_P(BulkAccessTest, RunOfKeysInserted_ThoseThatWereThereKeepTheirValues) {
  const SpaceId space = MakeSpace(SpaceKind::kKeys);
  KeyRun run;
  for (int i = 100; i < 1000; ++i) run.Add(std::to_string(i));
  run.Add("");
  run.Add("050");
  EXPECT_EQ(run.size(), 902u);
  ASSERT_TRUE(Write([&](Transaction& t) {
                MAYFLY_RETURN_IF_ERROR(t.PutKey(space, "123", "before"));
                return InsertKeys(t, space, run);
              }).ok());
  ASSERT_TRUE(Read([&](Transaction& t) {
                auto cursor = t.NewKeyCursor(space, Direction::kForward);
                std::vector<std::string> first;
                size_t count = 0;
                while (true) {
                  MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
                  if (!more) break;
                  if (++count <= 3) first.emplace_back(cursor->key());
                  EXPECT_EQ(cursor->value(), cursor->key() == "123" ? "before" : "");
                }
                EXPECT_EQ(count, 902u);
                EXPECT_THAT(first, ElementsAre("", "050", "100"));
                return absl::OkStatus();
              }).ok());
}

TEST_P(BulkAccessTest, RunOfKeysInSavepointThatFails_NothingStays) {
  const SpaceId space = MakeSpace(SpaceKind::kKeys);
  KeyRun run;
  run.Add("a");
  run.Add("b");
  ASSERT_TRUE(Write([&](Transaction& t) {
                MAYFLY_RETURN_IF_ERROR(t.PutKey(space, "c", ""));
                const absl::Status failed = t.WithSavepoint([&]() -> absl::Status {
                  MAYFLY_RETURN_IF_ERROR(InsertKeys(t, space, run));
                  return absl::AbortedError("on purpose");
                });
                EXPECT_FALSE(failed.ok());
                MAYFLY_ASSIGN_OR_RETURN(const auto found, t.GetKey(space, "a"));
                EXPECT_EQ(found, std::nullopt);
                run.Clear();
                return InsertKeys(t, space, run);
              }).ok());
}

TEST_P(BulkAccessTest, RecordsLookedUp_InAnyOrderAndBetweenWrites) {
  const SpaceId space = MakeSpace(SpaceKind::kRecords);
  for (const RecordId id : {1, 2, 5}) EXPECT_TRUE(Put(space, id, std::to_string(id)).ok());
  ASSERT_TRUE(Write([&](Transaction& t) {
                const auto lookup = NewRecordLookup(t, space);
                const auto get = [&](RecordId id) -> std::optional<std::string> {
                  const auto found = lookup->Get(id);
                  EXPECT_TRUE(found.ok()) << found.status();
                  if (!found.ok() || !found->has_value()) return std::nullopt;
                  return std::string(**found);
                };
                EXPECT_EQ(get(5), "5");
                EXPECT_EQ(get(3), std::nullopt);
                EXPECT_EQ(get(1), "1");
                MAYFLY_RETURN_IF_ERROR(t.PutRecord(space, 3, ""));
                EXPECT_EQ(get(3), "");
                MAYFLY_RETURN_IF_ERROR(t.DeleteRecord(space, 1));
                EXPECT_EQ(get(1), std::nullopt);
                EXPECT_EQ(get(2), "2");
                return absl::OkStatus();
              }).ok());
}

TEST_P(BulkAccessTest, KeysCounted_UpToTheLimitWithTheNextOne) {
  const SpaceId space = MakeSpace(SpaceKind::kKeys);
  ASSERT_TRUE(Write([&](Transaction& t) {
                for (const char* key : {"a", "b", "c", "d", "e"}) {
                  MAYFLY_RETURN_IF_ERROR(t.PutKey(space, key, ""));
                }
                return absl::OkStatus();
              }).ok());
  struct Row {
    KeySpan span;
    int64_t limit;
    int64_t count;
    std::string next;
  };
  ASSERT_TRUE(Read([&](Transaction& t) {
                for (const Row& row : {Row{{"", "z"}, 100, 5, ""}, Row{{"", "z"}, 5, 5, ""},
                                       Row{{"", "z"}, 4, 4, "e"}, Row{{"b", "d"}, 100, 2, ""},
                                       Row{{"b", "d"}, 1, 1, "c"}, Row{{"bb", "bc"}, 1, 0, ""},
                                       Row{{"d", "b"}, 1, 0, ""}}) {
                  MAYFLY_ASSIGN_OR_RETURN(const KeyCount counted,
                                          CountKeys(t, space, row.span, row.limit));
                  EXPECT_EQ(counted.count, row.count) << row.span.start << ".." << row.span.end;
                  EXPECT_EQ(counted.next, row.next) << row.span.start << ".." << row.span.end;
                }
                return absl::OkStatus();
              }).ok());
}

}  // namespace
}  // namespace mayfly::engine

// What every kind of store must do: spaces, entries, cursors, savepoints, hooks, names. Scheduling
// is in executor_test.cc, random operations in store_random_test.cc.
#include <map>

#include "tests/engine/storage/store_kinds.h"

namespace mayfly::engine {
namespace {

using base::CodeOf;
using base::ErrorCode;
using testing::ElementsAre;

using StoreConformanceTest = StoreTest;
INSTANTIATE_TEST_SUITE_P(Stores, StoreConformanceTest, testing::ValuesIn(kStoreKinds), NameOfKind);

std::vector<RecordId> Ids(RecordCursor& cursor, size_t limit = 1000) {
  std::vector<RecordId> ids;
  while (ids.size() < limit) {
    auto more = cursor.Next();
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    ids.push_back(cursor.id());
  }
  return ids;
}

std::vector<std::string> KeysOf(KeyCursor& cursor, size_t limit = 1000) {
  std::vector<std::string> keys;
  while (keys.size() < limit) {
    auto more = cursor.Next();
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    keys.emplace_back(cursor.key());
  }
  return keys;
}

TEST_P(StoreConformanceTest, RecordPutReplacedAndDeleted_ReadsSeeTheLatest) {
  const SpaceId space = MakeSpace(SpaceKind::kRecords);
  EXPECT_EQ(Get(space, 7), std::nullopt);
  EXPECT_TRUE(Put(space, 7, "seven").ok());
  EXPECT_EQ(Get(space, 7), "seven");
  EXPECT_TRUE(Put(space, 7, "").ok());
  EXPECT_EQ(Get(space, 7), "");
  EXPECT_TRUE(Write([&](Transaction& t) { return t.DeleteRecord(space, 7); }).ok());
  EXPECT_EQ(Get(space, 7), std::nullopt);
  EXPECT_TRUE(Write([&](Transaction& t) { return t.DeleteRecord(space, 7); }).ok());
}

TEST_P(StoreConformanceTest, RangesDeleted_BothEndsIncluded) {
  const SpaceId records = MakeSpace(SpaceKind::kRecords);
  const SpaceId keys = MakeSpace(SpaceKind::kKeys);
  for (RecordId id = 1; id <= 6; ++id) ASSERT_TRUE(Put(records, id, "v").ok());
  ASSERT_TRUE(Write([&](Transaction& t) {
                for (const char* key : {"a", "b", "bb", "c", "d"}) {
                  MAYFLY_RETURN_IF_ERROR(t.PutKey(keys, key, ""));
                }
                MAYFLY_RETURN_IF_ERROR(t.DeleteRecords(records, 2, 4));
                MAYFLY_RETURN_IF_ERROR(t.DeleteRecords(records, 100, 200));
                MAYFLY_RETURN_IF_ERROR(t.DeleteRecords(records, 6, 5));
                MAYFLY_RETURN_IF_ERROR(t.DeleteKeys(keys, "b", "c"));
                auto cursor = t.NewKeyCursor(keys, Direction::kForward);
                EXPECT_THAT(KeysOf(*cursor), ElementsAre("a", "d"));
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(Get(records, 1), "v");
  for (const RecordId gone : {2, 3, 4}) EXPECT_EQ(Get(records, gone), std::nullopt);
  EXPECT_EQ(Get(records, 5), "v");
  EXPECT_EQ(Get(records, 6), "v");
}

TEST_P(StoreConformanceTest, KeysWithZerosAndHighBytes_ComparedAsUnsignedBytes) {
  const SpaceId space = MakeSpace(SpaceKind::kKeys);
  const std::vector<std::string> keys = {"",
                                         std::string("\0", 1),
                                         std::string("\0\0", 2),
                                         "a",
                                         std::string("a\0", 2),
                                         "ab",
                                         "\x7f",
                                         "\xff",
                                         "\xff\xff"};
  ASSERT_TRUE(Write([&](Transaction& t) {
                for (auto it = keys.rbegin(); it != keys.rend(); ++it) {
                  MAYFLY_RETURN_IF_ERROR(t.PutKey(space, *it, "v" + *it));
                }
                return absl::OkStatus();
              }).ok());
  ASSERT_TRUE(Read([&](Transaction& t) {
                auto forward = t.NewKeyCursor(space, Direction::kForward);
                EXPECT_EQ(KeysOf(*forward), keys);
                auto backward = t.NewKeyCursor(space, Direction::kBackward);
                EXPECT_EQ(KeysOf(*backward), std::vector<std::string>(keys.rbegin(), keys.rend()));
                MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetKey(space, std::string("a\0", 2)));
                EXPECT_EQ(value, std::string("va\0", 3));
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreConformanceTest, ValueOfManyPages_ComesBackWhole) {
  const SpaceId records = MakeSpace(SpaceKind::kRecords);
  const SpaceId keys = MakeSpace(SpaceKind::kKeys);
  const std::string big(3'000'000, 'x');
  EXPECT_TRUE(Put(records, 1, big).ok());
  EXPECT_EQ(Get(records, 1), big);
  ASSERT_TRUE(Write([&](Transaction& t) { return t.PutKey(keys, "k", big); }).ok());
  ASSERT_TRUE(Read([&](Transaction& t) {
                MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetKey(keys, "k"));
                EXPECT_TRUE(value == big);
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreConformanceTest, CatalogSpace_IsThereFromTheStart) {
  EXPECT_TRUE(Write([&](Transaction& t) { return t.PutKey(kCatalogSpace, "k", "v"); }).ok());
  EXPECT_TRUE(Read([&](Transaction& t) {
                MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetKey(kCatalogSpace, "k"));
                EXPECT_EQ(value, "v");
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreConformanceTest, SpacesDropped_IdsAreNotUsedAgain) {
  const SpaceId first = MakeSpace(SpaceKind::kRecords);
  EXPECT_GT(first, kCatalogSpace);
  EXPECT_TRUE(Put(first, 1, "one").ok());
  EXPECT_TRUE(Write([&](Transaction& t) { return t.DropSpace(first); }).ok());
  EXPECT_GT(MakeSpace(SpaceKind::kRecords), first);
  EXPECT_EQ(CodeOf(Read([&](Transaction& t) { return t.GetRecord(first, 1).status(); })),
            ErrorCode::kInternalError);
  EXPECT_EQ(CodeOf(Put(first, 1, "x")), ErrorCode::kInternalError);
  EXPECT_EQ(CodeOf(Write([&](Transaction& t) { return t.DropSpace(first); })),
            ErrorCode::kInternalError);
}

TEST_P(StoreConformanceTest, SpaceOfOtherKind_IsAnError) {
  const SpaceId records = MakeSpace(SpaceKind::kRecords);
  EXPECT_FALSE(Write([&](Transaction& t) { return t.PutKey(records, "k", "v"); }).ok());
  EXPECT_FALSE(Read([&](Transaction& t) { return t.GetKey(records, "k").status(); }).ok());
  EXPECT_FALSE(Write([&](Transaction& t) { return t.PutRecord(kCatalogSpace, 1, "v"); }).ok());
}

TEST_P(StoreConformanceTest, SpaceMadeAndFilledByFailedOperation_IsGone) {
  SpaceId space = 0;
  EXPECT_FALSE(Write([&](Transaction& t) -> absl::Status {
                 MAYFLY_ASSIGN_OR_RETURN(space, t.CreateSpace(SpaceKind::kRecords));
                 MAYFLY_RETURN_IF_ERROR(t.PutRecord(space, 1, "one"));
                 return base::Error(ErrorCode::kBadValue, "no");
               }).ok());
  EXPECT_FALSE(Put(space, 1, "x").ok());
  EXPECT_GE(MakeSpace(SpaceKind::kKeys), space);
}

TEST_P(StoreConformanceTest, SpaceDroppedByFailedOperation_KeepsItsEntries) {
  const SpaceId space = MakeSpace(SpaceKind::kRecords);
  EXPECT_TRUE(Put(space, 1, "one").ok());
  EXPECT_FALSE(Write([&](Transaction& t) -> absl::Status {
                 MAYFLY_RETURN_IF_ERROR(t.PutRecord(space, 2, "two"));
                 MAYFLY_RETURN_IF_ERROR(t.DropSpace(space));
                 return base::Error(ErrorCode::kBadValue, "no");
               }).ok());
  EXPECT_EQ(Get(space, 1), "one");
  EXPECT_EQ(Get(space, 2), std::nullopt);
}

TEST_P(StoreConformanceTest, WriteInReadOperation_IsRefused) {
  const SpaceId space = MakeSpace(SpaceKind::kRecords);
  EXPECT_EQ(CodeOf(Read([&](Transaction& t) {
              EXPECT_FALSE(t.writable());
              return t.PutRecord(space, 1, "x");
            })),
            ErrorCode::kInternalError);
  EXPECT_EQ(Get(space, 1), std::nullopt);
}

class Filled : public StoreTest {
 protected:
  // Records 10, 20, ... 90.
  void SetUp() override {
    space_ = MakeSpace(SpaceKind::kRecords);
    ASSERT_TRUE(Write([&](Transaction& t) {
                  for (RecordId id = 10; id <= 90; id += 10) {
                    MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, id, std::to_string(id)));
                  }
                  return absl::OkStatus();
                }).ok());
  }
  SpaceId space_ = 0;
};
using StoreCursorTest = Filled;
INSTANTIATE_TEST_SUITE_P(Stores, StoreCursorTest, testing::ValuesIn(kStoreKinds), NameOfKind);

TEST_P(StoreCursorTest, NotPositioned_WalksEverythingBothWays) {
  ASSERT_TRUE(Read([&](Transaction& t) {
                EXPECT_THAT(Ids(*t.NewRecordCursor(space_, Direction::kForward)),
                            ElementsAre(10, 20, 30, 40, 50, 60, 70, 80, 90));
                EXPECT_THAT(Ids(*t.NewRecordCursor(space_, Direction::kBackward)),
                            ElementsAre(90, 80, 70, 60, 50, 40, 30, 20, 10));
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreCursorTest, Seek_StartsAtTheFirstAtOrBeyond) {
  ASSERT_TRUE(Read([&](Transaction& t) {
                auto forward = t.NewRecordCursor(space_, Direction::kForward);
                forward->Seek(70);
                EXPECT_THAT(Ids(*forward), ElementsAre(70, 80, 90));
                forward->Seek(71);
                EXPECT_THAT(Ids(*forward), ElementsAre(80, 90));
                EXPECT_EQ(forward->Next().value(), false);
                forward->Seek(91);
                EXPECT_THAT(Ids(*forward), ElementsAre());
                auto backward = t.NewRecordCursor(space_, Direction::kBackward);
                backward->Seek(30);
                EXPECT_THAT(Ids(*backward), ElementsAre(30, 20, 10));
                backward->Seek(29);
                EXPECT_THAT(Ids(*backward), ElementsAre(20, 10));
                backward->Seek(9);
                EXPECT_THAT(Ids(*backward), ElementsAre());
                backward->Seek(std::numeric_limits<RecordId>::max());
                EXPECT_THAT(Ids(*backward, 1), ElementsAre(90));
                EXPECT_EQ(backward->value(), "90");
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreCursorTest, SeveralCursorsOnOneSpace_AreIndependent) {
  ASSERT_TRUE(Read([&](Transaction& t) {
                auto a = t.NewRecordCursor(space_, Direction::kForward);
                auto b = t.NewRecordCursor(space_, Direction::kForward);
                auto c = t.NewRecordCursor(space_, Direction::kBackward);
                EXPECT_THAT(Ids(*a, 2), ElementsAre(10, 20));
                EXPECT_THAT(Ids(*b, 1), ElementsAre(10));
                EXPECT_THAT(Ids(*c, 1), ElementsAre(90));
                MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetRecord(space_, 50));
                EXPECT_EQ(value, "50");
                EXPECT_THAT(Ids(*a, 1), ElementsAre(30));
                EXPECT_THAT(Ids(*b, 1), ElementsAre(20));
                EXPECT_THAT(Ids(*c, 1), ElementsAre(80));
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreCursorTest, WritesDuringTheWalk_SeenBeyondTheLastEntry) {
  ASSERT_TRUE(Write([&](Transaction& t) {
                auto forward = t.NewRecordCursor(space_, Direction::kForward);
                EXPECT_THAT(Ids(*forward, 2), ElementsAre(10, 20));
                MAYFLY_RETURN_IF_ERROR(t.DeleteRecord(space_, 20));
                MAYFLY_RETURN_IF_ERROR(t.DeleteRecord(space_, 30));
                MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 15, "behind"));
                MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 21, "ahead"));
                EXPECT_THAT(Ids(*forward, 2), ElementsAre(21, 40));
                auto backward = t.NewRecordCursor(space_, Direction::kBackward);
                EXPECT_THAT(Ids(*backward, 1), ElementsAre(90));
                MAYFLY_RETURN_IF_ERROR(t.DeleteRecord(space_, 80));
                MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 100, "behind"));
                EXPECT_THAT(Ids(*backward, 1), ElementsAre(70));
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreCursorTest, EveryEntryDeletedWhileWalking_AllAreReached) {
  ASSERT_TRUE(Write([&](Transaction& t) {
                auto cursor = t.NewRecordCursor(space_, Direction::kForward);
                int count = 0;
                for (;;) {
                  MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
                  if (!more) break;
                  ++count;
                  MAYFLY_RETURN_IF_ERROR(t.DeleteRecord(space_, cursor->id()));
                }
                EXPECT_EQ(count, 9);
                EXPECT_THAT(Ids(*t.NewRecordCursor(space_, Direction::kForward)), ElementsAre());
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreCursorTest, EndReachedThenEntryAdded_SeekFindsIt) {
  ASSERT_TRUE(Write([&](Transaction& t) {
                auto cursor = t.NewRecordCursor(space_, Direction::kForward);
                cursor->Seek(90);
                EXPECT_THAT(Ids(*cursor), ElementsAre(90));
                MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 95, "new"));
                EXPECT_THAT(Ids(*cursor), ElementsAre(95));
                cursor->Seek(1);
                EXPECT_THAT(Ids(*cursor, 1), ElementsAre(10));
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreCursorTest, SavepointUndoneDuringTheWalk_CursorSeesTheOldEntries) {
  ASSERT_TRUE(Write([&](Transaction& t) {
                auto cursor = t.NewRecordCursor(space_, Direction::kForward);
                EXPECT_THAT(Ids(*cursor, 1), ElementsAre(10));
                auto status = t.WithSavepoint([&]() -> absl::Status {
                  MAYFLY_RETURN_IF_ERROR(t.DeleteRecord(space_, 20));
                  EXPECT_THAT(Ids(*cursor, 1), ElementsAre(30));
                  return base::Error(ErrorCode::kBadValue, "no");
                });
                EXPECT_FALSE(status.ok());
                cursor->Seek(20);
                EXPECT_THAT(Ids(*cursor, 2), ElementsAre(20, 30));
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreCursorTest, KeyCursorOverWrites_GoesOnBeyondTheLastKey) {
  const SpaceId keys = MakeSpace(SpaceKind::kKeys);
  ASSERT_TRUE(Write([&](Transaction& t) {
                for (const char* key : {"b", "d", "f", "h"}) {
                  MAYFLY_RETURN_IF_ERROR(t.PutKey(keys, key, ""));
                }
                auto forward = t.NewKeyCursor(keys, Direction::kForward);
                forward->Seek("c");
                EXPECT_THAT(KeysOf(*forward, 1), ElementsAre("d"));
                MAYFLY_RETURN_IF_ERROR(t.PutKey(keys, "e", "new"));
                MAYFLY_RETURN_IF_ERROR(t.DeleteKey(keys, "d"));
                EXPECT_THAT(KeysOf(*forward), ElementsAre("e", "f", "h"));
                auto backward = t.NewKeyCursor(keys, Direction::kBackward);
                backward->Seek("g");
                EXPECT_THAT(KeysOf(*backward, 1), ElementsAre("f"));
                MAYFLY_RETURN_IF_ERROR(t.DeleteKey(keys, "e"));
                EXPECT_THAT(KeysOf(*backward), ElementsAre("b"));
                return absl::OkStatus();
              }).ok());
}

using StoreSavepointTest = Filled;
INSTANTIATE_TEST_SUITE_P(Stores, StoreSavepointTest, testing::ValuesIn(kStoreKinds), NameOfKind);

absl::Status No() { return base::Error(ErrorCode::kBadValue, "no"); }

TEST_P(StoreSavepointTest, Nested_EachUndoesItsOwnPart) {
  ASSERT_TRUE(Write([&](Transaction& t) {
                MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, "kept"));
                auto outer = t.WithSavepoint([&] {
                  MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 2, "kept"));
                  auto inner = t.WithSavepoint([&] {
                    MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 2, "lost"));
                    MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 3, "lost"));
                    return No();
                  });
                  EXPECT_EQ(CodeOf(inner), ErrorCode::kBadValue);
                  return t.WithSavepoint([&] { return t.PutRecord(space_, 4, "kept"); });
                });
                EXPECT_TRUE(outer.ok());
                auto undone = t.WithSavepoint([&] {
                  MAYFLY_RETURN_IF_ERROR(
                      t.WithSavepoint([&] { return t.PutRecord(space_, 5, "lost"); }));
                  return No();
                });
                EXPECT_FALSE(undone.ok());
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(Get(space_, 1), "kept");
  EXPECT_EQ(Get(space_, 2), "kept");
  EXPECT_EQ(Get(space_, 3), std::nullopt);
  EXPECT_EQ(Get(space_, 4), "kept");
  EXPECT_EQ(Get(space_, 5), std::nullopt);
}

TEST_P(StoreSavepointTest, FirstWriteInsideUndoneSavepoint_LaterWritesAreKept) {
  ASSERT_TRUE(Write([&](Transaction& t) {
                EXPECT_FALSE(t.WithSavepoint([&] {
                                MAYFLY_RETURN_IF_ERROR(t.PutRecord(space_, 1, "lost"));
                                return No();
                              }).ok());
                EXPECT_FALSE(t.WithSavepoint([&] { return No(); }).ok());
                return t.PutRecord(space_, 2, "kept");
              }).ok());
  EXPECT_EQ(Get(space_, 1), std::nullopt);
  EXPECT_EQ(Get(space_, 2), "kept");
}

TEST_P(StoreSavepointTest, RollbackHooks_RunNewestFirstForTheUndonePartOnly) {
  std::vector<std::string> ran;
  auto note = [&](const char* what) { return [&ran, what] { ran.push_back(what); }; };
  EXPECT_FALSE(Write([&](Transaction& t) {
                 t.OnRollback(note("1"));
                 t.OnCommit(note("never"));
                 EXPECT_FALSE(t.WithSavepoint([&] {
                                 t.OnRollback(note("2"));
                                 t.OnRollback(note("3"));
                                 return No();
                               }).ok());
                 EXPECT_THAT(ran, ElementsAre("3", "2"));
                 EXPECT_TRUE(t.WithSavepoint([&] {
                                t.OnRollback(note("4"));
                                return absl::OkStatus();
                              }).ok());
                 EXPECT_THAT(ran, ElementsAre("3", "2"));
                 return No();
               }).ok());
  EXPECT_THAT(ran, ElementsAre("3", "2", "4", "1"));
}

TEST_P(StoreSavepointTest, CommitHooks_RunAfterTheCommitButNotThoseOfUndoneSavepoints) {
  std::vector<std::string> ran;
  auto note = [&](const char* what) { return [&ran, what] { ran.push_back(what); }; };
  EXPECT_TRUE(Write([&](Transaction& t) {
                t.OnCommit(note("a"));
                t.WithSavepoint([&] {
                   t.OnCommit(note("undone"));
                   return No();
                 }).IgnoreError();
                t.WithSavepoint([&] {
                   t.OnCommit(note("b"));
                   return absl::OkStatus();
                 }).IgnoreError();
                t.OnRollback(note("never"));
                EXPECT_THAT(ran, ElementsAre());
                return t.PutRecord(space_, 1, "x");
              }).ok());
  EXPECT_THAT(ran, ElementsAre("a", "b"));
}

TEST_P(StoreSavepointTest, BeforeCommit_WritesInTheSameTransactionOnceForAnOwner) {
  int calls = 0;
  ASSERT_TRUE(Write([&](Transaction& t) {
                for (int i = 0; i < 3; ++i) {
                  t.BeforeCommit(&calls, [&](Transaction& hook) {
                    ++calls;
                    return hook.PutRecord(space_, 1, "counter");
                  });
                }
                return t.PutRecord(space_, 2, "x");
              }).ok());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Get(space_, 1), "counter");
}

TEST_P(StoreSavepointTest, BeforeCommitFails_EverythingIsUndone) {
  std::vector<std::string> ran;
  EXPECT_EQ(CodeOf(Write([&](Transaction& t) {
              t.OnRollback([&] { ran.push_back("rollback"); });
              t.BeforeCommit(&ran, [](Transaction&) { return No(); });
              return t.PutRecord(space_, 2, "x");
            })),
            ErrorCode::kBadValue);
  EXPECT_THAT(ran, ElementsAre("rollback"));
  EXPECT_EQ(Get(space_, 2), std::nullopt);
  EXPECT_TRUE(Put(space_, 2, "y").ok());
}

using StoreNamesTest = StoreTest;
INSTANTIATE_TEST_SUITE_P(Stores, StoreNamesTest, testing::ValuesIn(kStoreKinds), NameOfKind);

TEST_P(StoreNamesTest, MissingDatabase_IsNullAndNotListed) {
  EXPECT_EQ(store_->Get("other", Store::IfMissing::kNull).value(), nullptr);
  EXPECT_THAT(store_->List(), ElementsAre("db"));
}

TEST_P(StoreNamesTest, SameName_IsTheSameDatabase) {
  EXPECT_EQ(store_->Get("db", Store::IfMissing::kNull).value(), database_);
  EXPECT_EQ(store_->Get("db", Store::IfMissing::kCreate).value(), database_);
  EXPECT_EQ(database_->name(), "db");
}

TEST_P(StoreNamesTest, NameDiffersInCase_CannotBeCreated) {
  EXPECT_EQ(CodeOf(store_->Get("DB", Store::IfMissing::kCreate).status()),
            ErrorCode::kDatabaseDifferCase);
  EXPECT_EQ(store_->Get("DB", Store::IfMissing::kNull).value(), nullptr);
}

TEST_P(StoreNamesTest, UnusualNames_AreListedSortedAndKept) {
  const std::vector<std::string> names = {"%41", "-",   "a b",
                                          "db",  "x.y", "\xc3\xa4\xf0\x9f\xa6\x8b"};
  for (const auto& name : names) {
    ASSERT_TRUE(store_->Get(name, Store::IfMissing::kCreate).ok()) << name;
  }
  EXPECT_EQ(store_->List(), names);
  if (!GetParam().persistent) return;
  Reopen();
  EXPECT_EQ(store_->List(), names);
  EXPECT_NE(store_->Get("x.y", Store::IfMissing::kNull).value(), nullptr);
}

TEST_P(StoreNamesTest, DroppedAndMadeAgain_IsEmpty) {
  EXPECT_TRUE(Write([&](Transaction& t) { return t.PutKey(kCatalogSpace, "k", "v"); }).ok());
  EXPECT_TRUE(store_->Drop("db").ok());
  EXPECT_TRUE(store_->Drop("never").ok());
  EXPECT_THAT(store_->List(), ElementsAre());
  EXPECT_EQ(CodeOf(Write([](Transaction&) { return absl::OkStatus(); })),
            ErrorCode::kDatabaseDropPending);
  database_ = store_->Get("db", Store::IfMissing::kCreate).value();
  EXPECT_TRUE(Read([&](Transaction& t) {
                EXPECT_EQ(t.GetKey(kCatalogSpace, "k").value(), std::nullopt);
                return absl::OkStatus();
              }).ok());
}

TEST_P(StoreNamesTest, Closed_EverythingIsRefused) {
  store_->Close();
  EXPECT_EQ(CodeOf(Write([](Transaction&) { return absl::OkStatus(); })),
            ErrorCode::kShutdownInProgress);
  EXPECT_EQ(CodeOf(store_->Get("db", Store::IfMissing::kCreate).status()),
            ErrorCode::kShutdownInProgress);
  EXPECT_EQ(CodeOf(store_->Drop("db")), ErrorCode::kShutdownInProgress);
  store_->Close();
}

TEST_P(StoreNamesTest, Reopened_EntriesSpacesAndIdsAreKept) {
  if (!GetParam().persistent) return;  // a store in memory keeps nothing
  const SpaceId records = MakeSpace(SpaceKind::kRecords);
  const SpaceId keys = MakeSpace(SpaceKind::kKeys);
  const SpaceId dropped = MakeSpace(SpaceKind::kKeys);
  EXPECT_TRUE(Put(records, 5, "five").ok());
  EXPECT_TRUE(Write([&](Transaction& t) {
                MAYFLY_RETURN_IF_ERROR(t.DropSpace(dropped));
                return t.PutKey(keys, "k", "v");
              }).ok());
  Reopen();
  EXPECT_EQ(Get(records, 5), "five");
  EXPECT_TRUE(Read([&](Transaction& t) {
                EXPECT_EQ(t.GetKey(keys, "k").value(), "v");
                return absl::OkStatus();
              }).ok());
  EXPECT_GT(MakeSpace(SpaceKind::kKeys), dropped);
}

TEST_P(StoreNamesTest, Stats_CountCommitsAndOperations) {
  const DatabaseStats before = database_->Stats();
  const SpaceId space = MakeSpace(SpaceKind::kRecords);
  EXPECT_TRUE(Put(space, 1, std::string(1000, 'x')).ok());
  Get(space, 1);
  const DatabaseStats after = database_->Stats();
  EXPECT_EQ(after.commits - before.commits, 2);
  EXPECT_EQ(after.operations - before.operations, 3);
  EXPECT_EQ(after.queued, 0);
  EXPECT_GT(after.file_bytes + after.log_bytes, 1000);
}

}  // namespace
}  // namespace mayfly::engine

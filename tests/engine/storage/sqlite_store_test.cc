// What only the SQLite store has: files, their format, the lock, the log, a full disk, many
// databases.
#include <sqlite3.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/storage/sqlite/connection.h"
#include "engine/storage/sqlite/file_name.h"
#include "tests/engine/storage/store_fixture.h"

namespace mayfly::engine {
namespace {

using base::CodeOf;
using base::ErrorCode;
using testing::HasSubstr;

constexpr OperationOptions kWrite = {.access = Access::kWrite};
constexpr OperationOptions kSyncedWrite = {.access = Access::kWrite,
                                           .durability = Durability::kSynced};

class SqliteStoreTest : public testing::Test {
 protected:
  void Open(StoreOptions options = {}) {
    options.path = dir_.path();
    auto store = OpenSqliteStore(options);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  std::shared_ptr<Database> Database_(const std::string& name) {
    auto database = store_->Get(name, Store::IfMissing::kCreate);
    EXPECT_TRUE(database.ok()) << database.status();
    return database.ok() ? *database : nullptr;
  }
  std::string FileOf(const std::string& name) { return dir_.Sub(FileNameOf(name)); }
  void ExecuteOnFile(const std::string& name, const char* sql) {
    Connection connection;
    ASSERT_TRUE(connection.Open(FileOf(name), Connection::IfMissing::kFail).ok());
    ASSERT_TRUE(connection.Execute(sql).ok());
  }
  static Database::Body Putting(const std::string& key, const std::string& value) {
    return [=](Transaction& t) { return t.PutKey(kCatalogSpace, key, value); };
  }
  static std::optional<std::string> Get(Database& database, const std::string& key) {
    std::optional<std::string> result;
    absl::Status status = database.Run({}, [&](Transaction& t) {
      MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetKey(kCatalogSpace, key));
      if (value.has_value()) result = std::string(*value);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return result;
  }

  test::TempDir dir_;
  std::unique_ptr<Store> store_;
};

TEST_F(SqliteStoreTest, SecondStoreOnTheFolder_IsRefused) {
  Open();
  EXPECT_EQ(CodeOf(OpenSqliteStore({.path = dir_.path()}).status()), ErrorCode::kDBPathInUse);
  store_->Close();
  EXPECT_TRUE(OpenSqliteStore({.path = dir_.path()}).ok());
}

TEST_F(SqliteStoreTest, FolderMissing_IsMade) {
  EXPECT_TRUE(OpenSqliteStore({.path = dir_.Sub("a/b")}).ok());
}

TEST_F(SqliteStoreTest, FileOfNewerVersion_IsRefusedWithAClearText) {
  Open();
  Database_("db");
  store_.reset();
  ExecuteOnFile("db", "PRAGMA user_version=2");
  Open();
  const absl::Status status = store_->Get("db", Store::IfMissing::kNull).status();
  EXPECT_EQ(CodeOf(status), ErrorCode::kUnsupportedFormat);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("format version 2, written by a newer mayfly"));
}

TEST_F(SqliteStoreTest, FileOfAnotherProgram_IsRefused) {
  Open();
  Database_("db");
  store_.reset();
  ExecuteOnFile("db", "PRAGMA application_id=1");
  std::ofstream(FileOf("text")) << std::string(2000, 't');
  Open();
  EXPECT_EQ(CodeOf(store_->Get("db", Store::IfMissing::kNull).status()),
            ErrorCode::kUnsupportedFormat);
  EXPECT_EQ(CodeOf(store_->Get("text", Store::IfMissing::kNull).status()),
            ErrorCode::kUnsupportedFormat);
}

TEST_F(SqliteStoreTest, EmptyFileLeftByACrash_IsMadeAnew) {
  std::ofstream(FileOf("db")).flush();
  Open();
  EXPECT_TRUE(Database_("db")->Run(kWrite, Putting("k", "v")).ok());
}

TEST_F(SqliteStoreTest, Settings_AreAsMeasured) {
  Open();
  auto database = Database_("db");
  EXPECT_TRUE(database->Run(kWrite, Putting("k", "v")).ok());
  store_.reset();
  Connection connection;
  ASSERT_TRUE(connection.Open(FileOf("db"), Connection::IfMissing::kFail).ok());
  EXPECT_EQ(connection.QueryInt("PRAGMA auto_vacuum").value(), 2);
  EXPECT_EQ(connection.QueryInt("PRAGMA page_size").value(), 4096);
  EXPECT_EQ(connection.QueryInt("PRAGMA user_version").value(), 1);
  EXPECT_EQ(connection.QueryInt("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode='wal'")
                .value(),
            1);
}

TEST_F(SqliteStoreTest, Closed_LogIsCopiedAndRemoved) {
  Open();
  auto database = Database_("db");
  EXPECT_TRUE(database->Run(kWrite, Putting("k", "v")).ok());
  EXPECT_TRUE(std::filesystem::exists(FileOf("db") + "-wal"));
  store_->Close();
  EXPECT_FALSE(std::filesystem::exists(FileOf("db") + "-wal"));
}

TEST_F(SqliteStoreTest, Dropped_FilesAreGone) {
  Open();
  auto database = Database_("db");
  EXPECT_TRUE(database->Run(kWrite, Putting("k", "v")).ok());
  EXPECT_TRUE(store_->Drop("db").ok());
  for (const char* suffix : {"", "-wal", "-shm"}) {
    EXPECT_FALSE(std::filesystem::exists(FileOf("db") + suffix)) << suffix;
  }
}

TEST_F(SqliteStoreTest, MoreDatabasesThanOpenFiles_AllWorkInTurns) {
  Open({.max_open_files = 4});
  std::vector<std::shared_ptr<Database>> databases;
  for (int i = 0; i < 20; ++i) databases.push_back(Database_("db" + std::to_string(i)));
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < databases.size(); ++i) {
      const std::string value = std::to_string(round * 100 + static_cast<int>(i));
      EXPECT_TRUE(databases[i]->Run(kWrite, Putting("k", value)).ok());
    }
  }
  int open = 0;
  for (int i = 0; i < 20; ++i)
    open += std::filesystem::exists(FileOf("db" + std::to_string(i)) + "-wal");
  EXPECT_LE(open, 6);
  for (size_t i = 0; i < databases.size(); ++i) {
    EXPECT_EQ(Get(*databases[i], "k"), std::to_string(200 + static_cast<int>(i)));
  }
}

// A power loss is a state of the files in which only what was synced is certain. Copies of file and
// log made after an answer contain at least that.
TEST_F(SqliteStoreTest, FilesCopiedAfterASyncedAnswer_ContainTheWrite) {
  Open();
  auto database = Database_("db");
  for (int i = 0; i < 20; ++i) {
    const std::string value = std::to_string(i);
    EXPECT_TRUE(database->Run(kSyncedWrite, Putting("k" + value, value)).ok());
    if (i % 5 != 4) continue;
    test::TempDir copy;
    const std::string target = copy.Sub(FileNameOf("db"));
    std::filesystem::copy_file(FileOf("db"), target);
    std::filesystem::copy_file(FileOf("db") + "-wal", target + "-wal");
    auto store = OpenSqliteStore({.path = copy.path()});
    ASSERT_TRUE(store.ok());
    auto copied = (*store)->Get("db", Store::IfMissing::kNull);
    ASSERT_TRUE(copied.ok()) << copied.status();
    for (int k = 0; k <= i; ++k) {
      EXPECT_EQ(Get(**copied, "k" + std::to_string(k)), std::to_string(k));
    }
  }
}

// More than the page cache holds goes into the log before the commit, and is read back from there.
TEST_F(SqliteStoreTest, TransactionLargerThanTheCache_IsUndoneAndDoneAgain) {
  Open();
  auto database = Database_("db");
  const auto put_all = [](Transaction& t) {
    for (int i = 0; i < 300; ++i) {
      const std::string key = "k" + std::to_string(i);
      MAYFLY_RETURN_IF_ERROR(t.PutKey(kCatalogSpace, key, std::string(100'000, 'x')));
    }
    for (int i = 0; i < 300; i += 50) {
      const std::string key = "k" + std::to_string(i);
      MAYFLY_ASSIGN_OR_RETURN(const auto found, t.GetKey(kCatalogSpace, key));
      EXPECT_TRUE(found.has_value() && found->size() == 100'000) << key;
      MAYFLY_RETURN_IF_ERROR(t.PutKey(kCatalogSpace, key, "again"));
    }
    return absl::OkStatus();
  };
  const absl::Status undone = database->Run(kWrite, [&](Transaction& t) {
    MAYFLY_RETURN_IF_ERROR(put_all(t));
    return base::Error(ErrorCode::kBadValue, "no");
  });
  EXPECT_EQ(CodeOf(undone), ErrorCode::kBadValue);
  EXPECT_EQ(Get(*database, "k0"), std::nullopt);
  EXPECT_TRUE(database->Run(kWrite, Putting("between", "v")).ok());
  ASSERT_TRUE(database->Run(kWrite, put_all).ok());
  // Seen by another connection: everything is in the file, not in the process.
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open_v2(FileOf("db").c_str(), &other, SQLITE_OPEN_READONLY, nullptr),
            SQLITE_OK);
  sqlite3_stmt* count = nullptr;
  ASSERT_EQ(
      sqlite3_prepare_v2(other, "SELECT count(*), sum(length(v)) FROM s1", -1, &count, nullptr),
      SQLITE_OK);
  ASSERT_EQ(sqlite3_step(count), SQLITE_ROW);
  EXPECT_GE(sqlite3_column_int(count, 0), 301);
  EXPECT_GE(sqlite3_column_int64(count, 1), 294 * 100'000);
  sqlite3_finalize(count);
  sqlite3_close(other);
  EXPECT_EQ(Get(*database, "k50"), "again");
  EXPECT_EQ(Get(*database, "between"), "v");
}

TEST_F(SqliteStoreTest, LogTornAtAnyPlace_EarlierCommitsAreThere) {
  Open();
  auto database = Database_("db");
  std::vector<uintmax_t> sizes;
  const std::string log = FileOf("db") + "-wal";
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(database->Run(kSyncedWrite, Putting("k" + std::to_string(i), "v")).ok());
    sizes.push_back(std::filesystem::file_size(log));
  }
  for (size_t kept = 0; kept < sizes.size(); ++kept) {
    test::TempDir copy;
    const std::string target = copy.Sub(FileNameOf("db"));
    std::filesystem::copy_file(FileOf("db"), target);
    std::filesystem::copy_file(log, target + "-wal");
    const uintmax_t torn = sizes[kept] + (kept + 1 < sizes.size() ? 100 : 0);
    std::filesystem::resize_file(target + "-wal", torn);
    auto store = OpenSqliteStore({.path = copy.path()});
    ASSERT_TRUE(store.ok());
    auto copied = (*store)->Get("db", Store::IfMissing::kNull);
    ASSERT_TRUE(copied.ok()) << copied.status();
    for (size_t i = 0; i < sizes.size(); ++i) {
      const auto value = Get(**copied, "k" + std::to_string(i));
      EXPECT_EQ(value.has_value(), i <= kept) << i << " of " << kept;
    }
  }
}

// How soon depends on the disk, so the test writes until it has happened.
TEST_F(SqliteStoreTest, LogPastItsLimit_IsCopiedAndStartsAgain) {
  constexpr int kCommitsMax = 200'000;
  Open({.sync_interval_ms = 5, .max_wal_frames = 200});
  auto database = Database_("db");
  const std::string value(3000, 'x');
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(database->Run(kWrite, Putting("k" + std::to_string(i), value)).ok());
  }
  bool started_again = false;
  for (int i = 0; i < kCommitsMax && !started_again; ++i) {
    const int64_t before = database->Stats().log_bytes;
    ASSERT_TRUE(database->Run(kWrite, Putting("small", std::to_string(i))).ok());
    // A commit that does not make the log longer has been written over its beginning.
    started_again = database->Stats().log_bytes <= before;
  }
  EXPECT_TRUE(started_again);
  EXPECT_GT(database->Stats().file_bytes, 400 * 3000);
  EXPECT_EQ(Get(*database, "k77"), value);
}

// How soon depends on the timer, so the test looks until it has happened.
TEST_F(SqliteStoreTest, LongLogWithoutCommits_IsEmptied) {
  Open({.sync_interval_ms = 5, .max_wal_frames = 200});
  auto database = Database_("db");
  const std::string value(3'000'000, 'x');
  ASSERT_TRUE(database->Run(kWrite, Putting("large", value)).ok());
  ASSERT_GT(database->Stats().log_bytes, 3'000'000);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (database->Stats().log_bytes > 0 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(database->Stats().log_bytes, 0);
  EXPECT_GT(database->Stats().file_bytes, 3'000'000);
  EXPECT_EQ(Get(*database, "large"), value);
}

TEST_F(SqliteStoreTest, SpaceDroppedThenVacuumed_FileShrinks) {
  Open();
  auto database = Database_("db");
  SpaceId space = 0;
  ASSERT_TRUE(database
                  ->Run(kWrite,
                        [&](Transaction& t) {
                          MAYFLY_ASSIGN_OR_RETURN(space, t.CreateSpace(SpaceKind::kRecords));
                          for (RecordId id = 1; id <= 500; ++id) {
                            MAYFLY_RETURN_IF_ERROR(t.PutRecord(space, id, std::string(4000, 'x')));
                          }
                          return absl::OkStatus();
                        })
                  .ok());
  ASSERT_TRUE(database->Run(kWrite, [&](Transaction& t) { return t.DropSpace(space); }).ok());
  const int64_t free_before = database->Stats().free_bytes;
  EXPECT_GT(free_before, 500 * 4000);
  const auto vacuum = [&](int pages, int64_t keep_bytes) {
    int freed = 0;
    EXPECT_TRUE(database
                    ->Run({.access = Access::kWrite, .priority = Priority::kBackground},
                          [&](Transaction& t) {
                            MAYFLY_ASSIGN_OR_RETURN(freed, database->Vacuum(t, pages, keep_bytes));
                            return absl::OkStatus();
                          })
                    .ok());
    return freed;
  };
  EXPECT_EQ(vacuum(100, 0), 100);
  const int64_t free_after = free_before - 100 * 4096;
  EXPECT_EQ(database->Stats().free_bytes, free_after);
  EXPECT_EQ(vacuum(100, free_after - 7 * 4096), 7);
  EXPECT_EQ(vacuum(100, free_after), 0);
}

TEST_F(SqliteStoreTest, DiskFull_GroupFailsAndTheStoreGoesOn) {
  Open();
  auto database = Database_("db");
  EXPECT_TRUE(database->Run(kWrite, Putting("before", "v")).ok());
  const std::string log = FileOf("db") + "-wal";
  // Writing beyond this size fails as on a full disk.
  rlimit old_limit;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  rlimit limit = old_limit;
  limit.rlim_cur = std::filesystem::file_size(log) + 20'000;
  auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  bool undone = false;
  const absl::Status status = database->Run(kWrite, [&](Transaction& t) {
    t.OnRollback([&] { undone = true; });
    return t.PutKey(kCatalogSpace, "big", std::string(100'000, 'x'));
  });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(CodeOf(status), ErrorCode::kOutOfDiskSpace) << status;
  EXPECT_TRUE(undone);
  EXPECT_EQ(Get(*database, "big"), std::nullopt);
  EXPECT_EQ(Get(*database, "before"), "v");
  EXPECT_TRUE(database->Run(kWrite, Putting("after", "v")).ok());
  EXPECT_EQ(Get(*database, "after"), "v");
}

TEST_F(SqliteStoreTest, MoreStatementsThanAreKept_AllWork) {
  Open();
  auto database = Database_("db");
  std::vector<SpaceId> spaces;
  ASSERT_TRUE(database
                  ->Run(kWrite,
                        [&](Transaction& t) {
                          for (int i = 0; i < 200; ++i) {
                            MAYFLY_ASSIGN_OR_RETURN(SpaceId space,
                                                    t.CreateSpace(SpaceKind::kRecords));
                            spaces.push_back(space);
                          }
                          return absl::OkStatus();
                        })
                  .ok());
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(database
                    ->Run(kWrite,
                          [&](Transaction& t) {
                            for (SpaceId space : spaces) {
                              auto cursor = t.NewRecordCursor(space, Direction::kForward);
                              MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
                              EXPECT_EQ(more, round == 1);
                              MAYFLY_RETURN_IF_ERROR(t.PutRecord(space, 1, "x"));
                              MAYFLY_ASSIGN_OR_RETURN(auto value, t.GetRecord(space, 1));
                              EXPECT_EQ(value, "x");
                            }
                            return absl::OkStatus();
                          })
                    .ok());
  }
}

}  // namespace
}  // namespace mayfly::engine

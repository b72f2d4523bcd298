#include "tools/bench/raw_store.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace mayfly::bench {
namespace {

constexpr auto kCheckpointEvery = std::chrono::milliseconds(200);

absl::Status SqliteError(sqlite3* db, const std::string& what) {
  return base::Error(base::ErrorCode::kInternalError, what + ": " + sqlite3_errmsg(db));
}

}  // namespace

struct RawStore::Cache {
  std::unordered_map<const char*, sqlite3_stmt*> statements;
};

// Checkpoints through a connection of its own, so that no commit does it.
class RawStore::Checkpointer {
 public:
  explicit Checkpointer(const std::string& file) {
    sqlite3_open(file.c_str(), &db_);
    thread_ = std::thread([this] { Loop(); });
  }

  ~Checkpointer() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
    }
    wake_.notify_one();
    thread_.join();
    sqlite3_close(db_);
  }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!wake_.wait_for(lock, kCheckpointEvery, [this] { return stopped_; })) {
      sqlite3_wal_checkpoint_v2(db_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
    }
  }

  sqlite3* db_ = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::thread thread_;
};

absl::StatusOr<std::unique_ptr<RawStore>> RawStore::Open(const std::string& folder,
                                                         const std::string& synchronous) {
  std::unique_ptr<RawStore> store(new RawStore);
  store->cache_ = std::make_unique<Cache>();
  const std::string file = folder + "/raw.sqlite";
  if (sqlite3_open_v2(file.c_str(), &store->db_,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      nullptr) != SQLITE_OK) {
    return SqliteError(store->db_, file);
  }
  for (const std::string& pragma :
       {std::string("PRAGMA journal_mode=WAL"), "PRAGMA synchronous=" + synchronous,
        std::string("PRAGMA mmap_size=2147483648"), std::string("PRAGMA cache_size=-16384"),
        std::string("PRAGMA secure_delete=OFF"), std::string("PRAGMA wal_autocheckpoint=0"),
        std::string("CREATE TABLE IF NOT EXISTS d(id INTEGER PRIMARY KEY, v BLOB)"),
        std::string(
            "CREATE TABLE IF NOT EXISTS k(k INTEGER PRIMARY KEY, id INTEGER) WITHOUT ROWID")}) {
    MAYFLY_RETURN_IF_ERROR(store->Run(pragma));
  }
  for (const char* table : {"s0", "s1", "s2"}) {
    MAYFLY_RETURN_IF_ERROR(store->Run(std::string("CREATE TABLE IF NOT EXISTS ") + table +
                                      "(k INTEGER, id INTEGER, PRIMARY KEY(k, id)) WITHOUT ROWID"));
  }
  store->checkpointer_ = std::make_unique<Checkpointer>(file);
  return store;
}

RawStore::~RawStore() {
  checkpointer_.reset();
  if (cache_) {
    for (const auto& [sql, statement] : cache_->statements) sqlite3_finalize(statement);
  }
  sqlite3_close(db_);
}

absl::Status RawStore::Run(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return SqliteError(db_, sql);
  }
  return absl::OkStatus();
}

sqlite3_stmt* RawStore::Statement(const char* sql) {
  sqlite3_stmt*& statement = cache_->statements[sql];
  if (statement == nullptr) {
    sqlite3_prepare_v3(db_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  } else {
    sqlite3_reset(statement);
  }
  return statement;
}

absl::Status RawStore::Clear() {
  for (const auto& [sql, statement] : cache_->statements) sqlite3_reset(statement);
  return Run("DELETE FROM d; DELETE FROM k; DELETE FROM s0; DELETE FROM s1; DELETE FROM s2");
}

absl::Status RawStore::Insert(int64_t key, std::span<const int64_t> secondary, const void* data,
                              size_t size) {
  static constexpr const char* kEntries[] = {"INSERT INTO s0(k, id) VALUES(?, ?)",
                                             "INSERT INTO s1(k, id) VALUES(?, ?)",
                                             "INSERT INTO s2(k, id) VALUES(?, ?)"};
  const int64_t id = next_id_++;
  sqlite3_stmt* document = Statement("INSERT INTO d(id, v) VALUES(?, ?)");
  sqlite3_bind_int64(document, 1, id);
  sqlite3_bind_blob64(document, 2, data, size, SQLITE_STATIC);
  if (sqlite3_step(document) != SQLITE_DONE) return SqliteError(db_, "insert a document");
  MAYFLY_RETURN_IF_ERROR(InsertEntry("INSERT INTO k(k, id) VALUES(?, ?)", key, id));
  for (size_t i = 0; i < secondary.size() && i < std::size(kEntries); ++i) {
    MAYFLY_RETURN_IF_ERROR(InsertEntry(kEntries[i], secondary[i], id));
  }
  return absl::OkStatus();
}

absl::Status RawStore::InsertEntry(const char* sql, int64_t key, int64_t id) {
  sqlite3_stmt* entry = Statement(sql);
  sqlite3_bind_int64(entry, 1, key);
  sqlite3_bind_int64(entry, 2, id);
  if (sqlite3_step(entry) != SQLITE_DONE) return SqliteError(db_, "insert an index entry");
  return absl::OkStatus();
}

}  // namespace mayfly::bench

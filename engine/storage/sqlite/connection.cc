#include "engine/storage/sqlite/connection.h"

#include <mutex>

#include "base/status.h"
#include "base/strings.h"
#include "engine/storage/sqlite/log_file.h"

namespace mayfly::engine {
namespace {

// Page images kept in memory for savepoints before they go to a temporary file.
constexpr int kSavepointBytesInMemory = 4 << 20;
// Another process that looks into the file (a backup, a shell) may hold a lock for a moment.
constexpr int kBusyTimeoutMs = 1'000;

}  // namespace

void ConfigureSqlite() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Counting allocations takes a process-wide mutex for each of them.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, kSavepointBytesInMemory);
    sqlite3_initialize();
    RegisterVfs();
  });
}

absl::Status SqliteError(int code, std::string_view detail, std::string_view doing) {
  const int primary = code & 0xff;
  const bool disk =
      (primary == SQLITE_FULL || primary == SQLITE_IOERR) && code != SQLITE_IOERR_NOMEM;
  return base::Error(disk ? base::ErrorCode::kOutOfDiskSpace : base::ErrorCode::kInternalError,
                     base::StrCat("cannot ", doing, ": ", detail, " (", code, ")"));
}

absl::Status Connection::Open(const std::string& path, IfMissing if_missing) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
              SQLITE_OPEN_EXRESCODE;
  if (if_missing == IfMissing::kCreate) flags |= SQLITE_OPEN_CREATE;
  const int code = sqlite3_open_v2(path.c_str(), &db_, flags, kVfsName);
  if (code != SQLITE_OK) {
    absl::Status status = ErrorFrom(code, base::StrCat("open ", path));
    Close();
    return status;
  }
  sqlite3_busy_timeout(db_, kBusyTimeoutMs);
  return absl::OkStatus();
}

void Connection::Close() {
  if (db_ == nullptr) return;
  sqlite3_close_v2(db_);
  db_ = nullptr;
}

absl::Status Connection::ErrorFrom(int code, std::string_view doing) const {
  return SqliteError(code, db_ != nullptr ? sqlite3_errmsg(db_) : sqlite3_errstr(code), doing);
}

absl::Status Connection::Execute(const char* sql) {
  const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? absl::OkStatus() : ErrorFrom(code, sql);
}

absl::StatusOr<int64_t> Connection::QueryInt(const char* sql) {
  MAYFLY_ASSIGN_OR_RETURN(StatementPtr statement, Prepare(*this, sql));
  const int code = sqlite3_step(statement.get());
  if (code != SQLITE_ROW) return ErrorFrom(code, sql);
  return sqlite3_column_int64(statement.get(), 0);
}

absl::StatusOr<Connection::LogState> Connection::CheckpointPassive() {
  return Checkpoint(SQLITE_CHECKPOINT_PASSIVE);
}

absl::StatusOr<Connection::LogState> Connection::CheckpointTruncate() {
  return Checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

absl::StatusOr<Connection::LogState> Connection::Checkpoint(int mode) {
  LogState state;
  const int code = sqlite3_wal_checkpoint_v2(db_, nullptr, mode, &state.frames, &state.copied);
  if (code != SQLITE_OK) return ErrorFrom(code, "copy the log into the file");
  return state;
}

absl::Status Connection::SyncFile() {
  sqlite3_file* file = nullptr;
  int code = sqlite3_file_control(db_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code == SQLITE_OK && file != nullptr && file->pMethods != nullptr) {
    code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
  }
  return code == SQLITE_OK ? absl::OkStatus() : ErrorFrom(code, "sync the file");
}

absl::StatusOr<StatementPtr> Prepare(const Connection& connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return connection.ErrorFrom(code, sql);
  return StatementPtr(statement);
}

}  // namespace mayfly::engine

// One connection to a database file, and the translation of SQLite's results to ours.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mayfly::engine {

// Settings of the library as a whole; before the first connection, any number of times.
void ConfigureSqlite();

// kOutOfDiskSpace for a full disk and failed input or output, kInternalError otherwise. `doing`
// completes "cannot ...".
absl::Status SqliteError(int code, std::string_view detail, std::string_view doing);

// Used by one thread at a time.
class Connection {
 public:
  Connection() = default;
  ~Connection() { Close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  enum class IfMissing { kFail, kCreate };
  absl::Status Open(const std::string& path, IfMissing if_missing);
  // All statements must have been finalised.
  void Close();
  bool is_open() const { return db_ != nullptr; }
  sqlite3* get() const { return db_; }

  absl::Status Execute(const char* sql);
  // The first column of the first row; an error if there is no row.
  absl::StatusOr<int64_t> QueryInt(const char* sql);
  // `code` is the result of a call on this connection.
  absl::Status ErrorFrom(int code, std::string_view doing) const;
  // Copies what it can from the log into the file without waiting for anybody.
  struct LogState {
    int frames = 0;
    int copied = 0;
  };
  absl::StatusOr<LogState> CheckpointPassive();
  // Copies all of it, syncs the file and empties the log, if no other connection uses it.
  absl::StatusOr<LogState> CheckpointTruncate();
  // Syncs the database file. Through SQLite's own handle: closing another descriptor of the file
  // would drop its locks.
  absl::Status SyncFile();

 private:
  absl::StatusOr<LogState> Checkpoint(int mode);

  sqlite3* db_ = nullptr;
};

struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementPtr = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

absl::StatusOr<StatementPtr> Prepare(const Connection& connection, std::string_view sql);
// Binds without copying: `bytes` must stay until the statement is reset.
inline void BindBytes(sqlite3_stmt* statement, int index, std::string_view bytes) {
  // A null pointer would bind NULL.
  const char* data = bytes.data() != nullptr ? bytes.data() : "";
  sqlite3_bind_blob64(statement, index, data, bytes.size(), SQLITE_STATIC);
}
inline std::string_view ColumnBytes(sqlite3_stmt* statement, int column) {
  const void* data = sqlite3_column_blob(statement, column);
  return {static_cast<const char*>(data),
          static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace mayfly::engine

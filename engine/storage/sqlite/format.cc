#include "engine/storage/sqlite/format.h"

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

using base::ErrorCode;

// Reasons and measurements: README.md of engine/storage.
constexpr const char* kEachTime =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA wal_autocheckpoint=0;"
    "PRAGMA secure_delete=OFF;"
    "PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-16384;"
    "PRAGMA mmap_size=2147418112;"
    // What a burst leaves beyond this is cut off by the commit that starts the log again, which
    // takes tens of milliseconds; below it, by the log's keeper when nobody is there.
    "PRAGMA journal_size_limit=268435456;";

// Before the first table; kept in the file. Nothing is synced until the file is complete, see
// MakeFile().
constexpr const char* kOnce =
    "PRAGMA synchronous=OFF;"
    "PRAGMA page_size=4096;"
    "PRAGMA auto_vacuum=INCREMENTAL;"
    "PRAGMA journal_mode=WAL;";

absl::Status MakeFile(Connection& connection) {
  MAYFLY_RETURN_IF_ERROR(connection.Execute(kOnce));
  const std::string sql = base::StrCat(
      "BEGIN IMMEDIATE;"
      "CREATE TABLE mayfly(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
      "INSERT INTO mayfly VALUES('next_space',",
      kCatalogSpace + 1, ");", CreateSpaceSql(kCatalogSpace, SpaceKind::kKeys),
      ";PRAGMA application_id=", kApplicationId, ";PRAGMA user_version=", kFormatVersion,
      ";COMMIT;");
  MAYFLY_RETURN_IF_ERROR(connection.Execute(sql.c_str()));
  // A log counts for nothing beside a file whose first page is not on disk.
  return connection.SyncFile();
}

absl::StatusOr<bool> IsNew(Connection& connection, const std::string& path) {
  absl::StatusOr<int64_t> tables = connection.QueryInt("SELECT count(*) FROM sqlite_schema");
  if (!tables.ok() && (sqlite3_errcode(connection.get()) & 0xff) == SQLITE_NOTADB) {
    return base::Error(ErrorCode::kUnsupportedFormat,
                       base::StrCat(path, " is not a database file"));
  }
  MAYFLY_RETURN_IF_ERROR(tables.status());
  return *tables == 0;
}

absl::Status CheckVersion(Connection& connection, const std::string& path) {
  MAYFLY_ASSIGN_OR_RETURN(const int64_t application, connection.QueryInt("PRAGMA application_id"));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t version, connection.QueryInt("PRAGMA user_version"));
  if (application != kApplicationId || version < 1) {
    return base::Error(ErrorCode::kUnsupportedFormat,
                       base::StrCat(path, " was not written by mayfly"));
  }
  if (version > kFormatVersion) {
    return base::Error(
        ErrorCode::kUnsupportedFormat,
        base::StrCat(path, " has format version ", version, ", written by a newer mayfly; this one",
                     " reads up to version ", kFormatVersion));
  }
  return absl::OkStatus();
}

absl::Status OpenChecked(const std::string& path, Connection& connection) {
  MAYFLY_ASSIGN_OR_RETURN(const bool is_new, IsNew(connection, path));
  MAYFLY_RETURN_IF_ERROR(is_new ? MakeFile(connection) : CheckVersion(connection, path));
  return connection.Execute(kEachTime);
}

}  // namespace

std::string CreateSpaceSql(SpaceId space, SpaceKind kind) {
  switch (kind) {
    case SpaceKind::kRecords:
      return base::StrCat("CREATE TABLE s", space, "(id INTEGER PRIMARY KEY, v BLOB NOT NULL)");
    case SpaceKind::kKeys:
      return base::StrCat("CREATE TABLE s", space,
                          "(k BLOB PRIMARY KEY, v BLOB NOT NULL) WITHOUT ROWID");
  }
  return "";
}

std::string DropSpaceSql(SpaceId space) { return base::StrCat("DROP TABLE s", space); }

absl::Status OpenDatabaseFile(const std::string& path, Connection& connection) {
  MAYFLY_RETURN_IF_ERROR(connection.Open(path, Connection::IfMissing::kCreate));
  absl::Status status = OpenChecked(path, connection);
  if (!status.ok()) connection.Close();
  return status;
}

absl::Status OpenHelperConnection(const std::string& path, Connection& connection) {
  MAYFLY_RETURN_IF_ERROR(connection.Open(path, Connection::IfMissing::kFail));
  absl::Status status = connection.Execute(
      "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-256;");
  if (!status.ok()) connection.Close();
  return status;
}

}  // namespace mayfly::engine

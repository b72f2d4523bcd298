#include "engine/storage/sqlite/sqlite_backend.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "engine/storage/sqlite/format.h"
#include "engine/storage/sqlite/id_source.h"
#include "engine/storage/sqlite/key_source.h"
#include "engine/storage/sqlite/sqlite_cursor.h"

namespace mayfly::engine {

SqliteBackend::SqliteBackend(std::string path, std::shared_ptr<LogKeeper> log)
    : path_(std::move(path)), log_(std::move(log)), statements_(connection_) {}

SqliteBackend::~SqliteBackend() = default;

absl::Status SqliteBackend::Open() {
  MAYFLY_RETURN_IF_ERROR(OpenDatabaseFile(path_, connection_));
  absl::Status status = OpenConnection();
  if (!status.ok()) Close(Closing::kKeep);
  return status;
}

absl::Status SqliteBackend::OpenConnection() {
  sqlite3_wal_hook(
      connection_.get(),
      [](void* frames, sqlite3*, const char*, int count) {
        *static_cast<int*>(frames) = count;
        return SQLITE_OK;
      },
      &log_frames_);
  MAYFLY_RETURN_IF_ERROR(RegisterIdSource(connection_));
  MAYFLY_RETURN_IF_ERROR(RegisterKeySource(connection_));
  MAYFLY_RETURN_IF_ERROR(PrepareFixed());
  MAYFLY_RETURN_IF_ERROR(statements_.LoadSpaces());
  MAYFLY_ASSIGN_OR_RETURN(const int64_t next,
                          connection_.QueryInt("SELECT value FROM mayfly WHERE name='next_space'"));
  next_space_ = static_cast<SpaceId>(next);
  return log_->Open();
}

absl::Status SqliteBackend::PrepareFixed() {
  MAYFLY_ASSIGN_OR_RETURN(begin_, Prepare(connection_, "BEGIN"));
  MAYFLY_ASSIGN_OR_RETURN(commit_, Prepare(connection_, "COMMIT"));
  MAYFLY_ASSIGN_OR_RETURN(rollback_, Prepare(connection_, "ROLLBACK"));
  return absl::OkStatus();
}

void SqliteBackend::Close(Closing closing) {
  ResetGet();
  SuspendCursors();
  if (state_ == State::kReading) EndRead();
  log_->Close(closing);
  statements_.Clear();
  for (Numbered* family : {&savepoint_, &release_, &rollback_to_}) family->clear();
  for (StatementPtr* fixed : {&begin_, &commit_, &rollback_}) fixed->reset();
  if (closing == Closing::kDiscard) {
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
  // The last connection copies the log into the file and removes it.
  connection_.Close();
  state_ = State::kNone;
}

absl::Status SqliteBackend::Failed(int code, std::string_view doing) {
  absl::Status status = connection_.ErrorFrom(code, doing);
  // Read errors leave a transaction alone; a full disk or failed output may have ended it.
  if (state_ != State::kNone && sqlite3_get_autocommit(connection_.get()) != 0) {
    if (spaces_changed_) spaces_stale_ = true;
    state_ = State::kNone;
    ++epoch_;
  }
  return status;
}

absl::Status SqliteBackend::RunFixed(sqlite3_stmt* statement, std::string_view doing) {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_DONE) [[likely]] {
    sqlite3_reset(statement);
    return absl::OkStatus();
  }
  absl::Status status = Failed(code, doing);
  sqlite3_reset(statement);
  return status;
}

absl::Status SqliteBackend::BeginIfNone() {
  if (state_ != State::kNone) [[likely]]
    return absl::OkStatus();
  MAYFLY_RETURN_IF_ERROR(RunFixed(begin_.get(), "begin"));
  state_ = State::kReading;
  return absl::OkStatus();
}

absl::Status SqliteBackend::BeforeRead() {
  ResetGet();
  MAYFLY_RETURN_IF_ERROR(BeginIfNone());
  return spaces_stale_ ? ReloadSpacesIfStale() : absl::OkStatus();
}

absl::Status SqliteBackend::BeforeWrite() {
  ResetGet();
  ++epoch_;
  return spaces_stale_ ? ReloadSpacesIfStale() : absl::OkStatus();
}

absl::Status SqliteBackend::ReloadSpacesIfStale() {
  MAYFLY_RETURN_IF_ERROR(statements_.LoadSpaces());
  spaces_stale_ = false;
  return absl::OkStatus();
}

void SqliteBackend::ResetGet() {
  if (open_get_ == nullptr) return;
  sqlite3_reset(open_get_);
  open_get_ = nullptr;
}

void SqliteBackend::EndRead() {
  ResetGet();
  SuspendCursors();
  RunFixed(commit_.get(), "end a read").IgnoreError();
  state_ = State::kNone;
}

absl::Status SqliteBackend::BeginWrite() {
  MAYFLY_RETURN_IF_ERROR(BeginIfNone());
  state_ = State::kWriting;
  return absl::OkStatus();
}

absl::Status SqliteBackend::Commit() {
  ResetGet();
  SuspendCursors();
  absl::Status status = RunFixed(commit_.get(), "commit");
  if (!status.ok()) {
    Rollback();
    return status;
  }
  state_ = State::kNone;
  spaces_changed_ = false;
  log_->Committed(log_frames_);
  return absl::OkStatus();
}

void SqliteBackend::Rollback() {
  if (state_ != State::kWriting) return;
  ResetGet();
  SuspendCursors();
  if (spaces_changed_) spaces_stale_ = true;
  spaces_changed_ = false;
  absl::Status status = RunFixed(rollback_.get(), "roll back");
  if (!status.ok()) MAYFLY_LOG(err, "storage", "{}: {}", path_, base::MessageOf(status));
  state_ = State::kNone;
  ++epoch_;
}

absl::Status SqliteBackend::RunNumbered(Numbered& statements, std::string_view verb, int number) {
  ResetGet();
  const auto index = static_cast<size_t>(number);
  if (statements.size() <= index) statements.resize(index + 1);
  if (statements[index] == nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(statements[index],
                            Prepare(connection_, base::StrCat(verb, " p", number)));
  }
  return RunFixed(statements[index].get(), verb);
}

absl::Status SqliteBackend::OpenSavepoint(int number) {
  return RunNumbered(savepoint_, "SAVEPOINT", number);
}

absl::Status SqliteBackend::ReleaseSavepoint(int number) {
  return RunNumbered(release_, "RELEASE", number);
}

absl::Status SqliteBackend::RollbackToSavepoint(int number) {
  SuspendCursors();
  ++epoch_;
  if (spaces_changed_) spaces_stale_ = true;
  return RunNumbered(rollback_to_, "ROLLBACK TO", number);
}

absl::StatusOr<std::optional<std::string_view>> SqliteBackend::FetchValue(sqlite3_stmt* statement) {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) [[likely]] {
    open_get_ = statement;
    return std::optional<std::string_view>(ColumnBytes(statement, 0));
  }
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement);
    return std::optional<std::string_view>();
  }
  absl::Status status = Failed(code, "read an entry");
  sqlite3_reset(statement);
  return status;
}

absl::StatusOr<std::optional<std::string_view>> SqliteBackend::GetRecord(SpaceId space,
                                                                         RecordId id) {
  MAYFLY_RETURN_IF_ERROR(BeforeRead());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kRecords, Shape::kGet));
  sqlite3_bind_int64(statement, 1, id);
  return FetchValue(statement);
}

absl::StatusOr<std::optional<std::string_view>> SqliteBackend::GetKey(SpaceId space,
                                                                      std::string_view key) {
  MAYFLY_RETURN_IF_ERROR(BeforeRead());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kGet));
  BindBytes(statement, 1, key);
  return FetchValue(statement);
}

std::unique_ptr<RecordLookup> SqliteBackend::NewRecordLookup(SpaceId space) {
  return std::make_unique<SqliteRecordLookup>(*this, space);
}

absl::StatusOr<KeyCount> SqliteBackend::CountKeys(SpaceId space, KeySpan span, int64_t limit) {
  MAYFLY_RETURN_IF_ERROR(BeforeRead());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * skip,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kSkip));
  BindBytes(skip, 1, span.start);
  BindBytes(skip, 2, span.end);
  sqlite3_bind_int64(skip, 3, limit);
  MAYFLY_ASSIGN_OR_RETURN(const auto beyond, FetchValue(skip));
  if (beyond.has_value()) {
    return KeyCount{.count = limit, .next = std::string(*beyond)};
  }
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kCount));
  BindBytes(statement, 1, span.start);
  BindBytes(statement, 2, span.end);
  const int code = sqlite3_step(statement);
  const int64_t count = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  absl::Status status = code == SQLITE_ROW ? absl::OkStatus() : Failed(code, "count keys");
  sqlite3_reset(statement);
  MAYFLY_RETURN_IF_ERROR(status);
  return KeyCount{.count = count, .next = {}};
}

std::unique_ptr<RecordCursor> SqliteBackend::NewRecordCursor(SpaceId space, Direction direction) {
  return std::make_unique<SqliteRecordCursor>(*this, space, direction);
}

std::unique_ptr<KeyCursor> SqliteBackend::NewKeyCursor(SpaceId space, Direction direction) {
  return std::make_unique<SqliteKeyCursor>(*this, space, direction);
}

void SqliteBackend::Unregister(SqliteWalk* walk) {
  auto it = std::find(walks_.rbegin(), walks_.rend(), walk);
  walks_.erase(std::next(it).base());
}

void SqliteBackend::SuspendCursors() {
  for (SqliteWalk* walk : walks_) walk->Suspend();
}

absl::StatusOr<SpaceId> SqliteBackend::CreateSpace(SpaceKind kind) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  SuspendCursors();
  spaces_changed_ = true;
  const SpaceId space = next_space_++;
  const std::string sql =
      base::StrCat(CreateSpaceSql(space, kind), ";UPDATE mayfly SET value=", next_space_,
                   " WHERE name='next_space'");
  if (const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
      code != SQLITE_OK) {
    spaces_stale_ = true;
    return Failed(code, "make a space");
  }
  statements_.AddSpace(space, kind);
  return space;
}

absl::Status SqliteBackend::DropSpace(SpaceId space) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  if (!statements_.HasSpace(space)) {
    return base::Error(base::ErrorCode::kInternalError, base::StrCat("no space ", space));
  }
  SuspendCursors();
  spaces_changed_ = true;
  statements_.RemoveSpace(space);
  if (const int code =
          sqlite3_exec(connection_.get(), DropSpaceSql(space).c_str(), nullptr, nullptr, nullptr);
      code != SQLITE_OK) {
    spaces_stale_ = true;
    return Failed(code, "drop a space");
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> SqliteBackend::SpaceBytes(SpaceId space) {
  const std::string sql =
      base::StrCat("SELECT sum(pgsize) FROM dbstat WHERE name = 's", space, "'");
  sqlite3_stmt* statement = nullptr;
  if (const int code = sqlite3_prepare_v2(connection_.get(), sql.c_str(), -1, &statement, nullptr);
      code != SQLITE_OK) {
    return Failed(code, "measure a space");
  }
  const int code = sqlite3_step(statement);
  const int64_t bytes = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW) return Failed(code, "measure a space");
  return bytes;
}

absl::Status SqliteBackend::PutRecord(SpaceId space, RecordId id, std::string_view value) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kRecords, Shape::kPut));
  sqlite3_bind_int64(statement, 1, id);
  BindBytes(statement, 2, value);
  return RunFixed(statement, "write a record");
}

absl::Status SqliteBackend::DeleteRecord(SpaceId space, RecordId id) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kRecords, Shape::kDelete));
  sqlite3_bind_int64(statement, 1, id);
  return RunFixed(statement, "delete a record");
}

absl::Status SqliteBackend::PutKey(SpaceId space, std::string_view key, std::string_view value) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kPut));
  BindBytes(statement, 1, key);
  BindBytes(statement, 2, value);
  return RunFixed(statement, "write a key");
}

absl::StatusOr<bool> SqliteBackend::InsertKey(SpaceId space, std::string_view key,
                                              std::string_view value) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kInsert));
  BindBytes(statement, 1, key);
  BindBytes(statement, 2, value);
  MAYFLY_RETURN_IF_ERROR(RunFixed(statement, "add a key"));
  return sqlite3_changes(connection_.get()) == 1;
}

absl::Status SqliteBackend::InsertKeys(SpaceId space, const KeyRun& keys) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kInsertRun));
  BindKeySource(statement, 1, keys);
  return RunFixed(statement, "add keys");
}

absl::Status SqliteBackend::DeleteKey(SpaceId space, std::string_view key) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kDelete));
  BindBytes(statement, 1, key);
  return RunFixed(statement, "delete a key");
}

absl::Status SqliteBackend::DeleteRecords(SpaceId space, RecordId first, RecordId last) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kRecords, Shape::kDeleteRange));
  sqlite3_bind_int64(statement, 1, first);
  sqlite3_bind_int64(statement, 2, last);
  return RunFixed(statement, "delete records");
}

absl::Status SqliteBackend::DeleteKeys(SpaceId space, std::string_view first,
                                       std::string_view last) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  MAYFLY_ASSIGN_OR_RETURN(sqlite3_stmt * statement,
                          statements_.Borrow(space, SpaceKind::kKeys, Shape::kDeleteRange));
  BindBytes(statement, 1, first);
  BindBytes(statement, 2, last);
  return RunFixed(statement, "delete keys");
}

absl::StatusOr<int> SqliteBackend::Vacuum(int pages, int64_t keep_bytes) {
  MAYFLY_RETURN_IF_ERROR(BeforeWrite());
  SuspendCursors();
  MAYFLY_ASSIGN_OR_RETURN(const int64_t before, connection_.QueryInt("PRAGMA freelist_count"));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t page_bytes, connection_.QueryInt("PRAGMA page_size"));
  pages = static_cast<int>(std::min<int64_t>(pages, before - keep_bytes / page_bytes));
  if (pages <= 0) return 0;  // to the pragma, 0 means all
  const std::string sql = base::StrCat("PRAGMA incremental_vacuum(", pages, ")");
  if (const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
      code != SQLITE_OK) {
    return Failed(code, "give pages back");
  }
  MAYFLY_ASSIGN_OR_RETURN(const int64_t after, connection_.QueryInt("PRAGMA freelist_count"));
  return static_cast<int>(before - after);
}

void SqliteBackend::BetweenGroups() {
  if (!log_->final_copy_due()) return;
  if (state_ == State::kReading) EndRead();
  log_->FinalCopy(connection_);
}

void SqliteBackend::WhenSynced(std::vector<Database::Done> waiting) {
  log_->WhenSynced(std::move(waiting));
}

void SqliteBackend::AddSizes(DatabaseStats& stats) const { log_->AddSizes(stats); }

}  // namespace mayfly::engine

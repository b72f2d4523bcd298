// One database of the SQLite store: one connection for reading and writing, used by whoever has the
// leader role.
//
// Transactions are opened by the first read or write after the last commit and stay open over many
// reads, which saves two file locks a read. The connection is the only one that writes, so an open
// read transaction always sees the latest commit, can be written in without a new BEGIN, and keeps
// no checkpoint from proceeding.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "engine/storage/backend.h"
#include "engine/storage/sqlite/connection.h"
#include "engine/storage/sqlite/log_keeper.h"
#include "engine/storage/sqlite/statements.h"

namespace mayfly::engine {

class SqliteWalk;

class SqliteBackend final : public Backend {
 public:
  SqliteBackend(std::string path, std::shared_ptr<LogKeeper> log);
  ~SqliteBackend() override;

  absl::Status Open() override;
  void Close(Closing closing) override;
  bool is_open() const override { return connection_.is_open(); }

  absl::Status BeginWrite() override;
  absl::Status Commit() override;
  void Rollback() override;
  bool in_write() const override { return state_ == State::kWriting; }
  absl::Status OpenSavepoint(int number) override;
  absl::Status ReleaseSavepoint(int number) override;
  absl::Status RollbackToSavepoint(int number) override;

  absl::StatusOr<std::optional<std::string_view>> GetRecord(SpaceId space, RecordId id) override;
  absl::StatusOr<std::optional<std::string_view>> GetKey(SpaceId space,
                                                         std::string_view key) override;
  std::unique_ptr<RecordLookup> NewRecordLookup(SpaceId space) override;
  absl::StatusOr<KeyCount> CountKeys(SpaceId space, KeySpan span, int64_t limit) override;
  std::unique_ptr<RecordCursor> NewRecordCursor(SpaceId space, Direction direction) override;
  std::unique_ptr<KeyCursor> NewKeyCursor(SpaceId space, Direction direction) override;
  absl::StatusOr<SpaceId> CreateSpace(SpaceKind kind) override;
  absl::Status DropSpace(SpaceId space) override;
  absl::Status PutRecord(SpaceId space, RecordId id, std::string_view value) override;
  absl::Status DeleteRecord(SpaceId space, RecordId id) override;
  absl::Status PutKey(SpaceId space, std::string_view key, std::string_view value) override;
  absl::StatusOr<bool> InsertKey(SpaceId space, std::string_view key,
                                 std::string_view value) override;
  absl::Status InsertKeys(SpaceId space, const KeyRun& keys) override;
  absl::Status DeleteKey(SpaceId space, std::string_view key) override;
  absl::Status DeleteRecords(SpaceId space, RecordId first, RecordId last) override;
  absl::Status DeleteKeys(SpaceId space, std::string_view first, std::string_view last) override;
  absl::StatusOr<int64_t> SpaceBytes(SpaceId space) override;
  absl::StatusOr<int> Vacuum(int pages, int64_t keep_bytes) override;

  void SuspendCursors() override;
  bool maintenance_due() const override { return log_->final_copy_due(); }
  void BetweenGroups() override;
  void WhenSynced(std::vector<Database::Done> waiting) override;
  void AddSizes(DatabaseStats& stats) const override;

  // For cursors.
  void Register(SqliteWalk* walk) { walks_.push_back(walk); }
  void Unregister(SqliteWalk* walk);
  absl::Status BeforeRead();
  Statements& statements() { return statements_; }
  // Changes with every write.
  uint64_t epoch() const { return epoch_; }
  // The error for `code`; notices a transaction that SQLite has given up.
  absl::Status Failed(int code, std::string_view doing);

 private:
  enum class State : uint8_t { kNone, kReading, kWriting };
  // A family of statements numbered like savepoints.
  using Numbered = std::vector<StatementPtr>;

  absl::Status OpenConnection();
  absl::Status PrepareFixed();
  absl::Status BeginIfNone();
  void EndRead();
  absl::Status BeforeWrite();
  void ResetGet();
  absl::Status RunFixed(sqlite3_stmt* statement, std::string_view doing);
  absl::Status RunNumbered(Numbered& statements, std::string_view verb, int number);
  absl::StatusOr<std::optional<std::string_view>> FetchValue(sqlite3_stmt* statement);
  absl::Status ReloadSpacesIfStale();

  const std::string path_;
  const std::shared_ptr<LogKeeper> log_;
  Connection connection_;
  Statements statements_;
  StatementPtr begin_;
  StatementPtr commit_;
  StatementPtr rollback_;
  Numbered savepoint_;
  Numbered release_;
  Numbered rollback_to_;
  State state_ = State::kNone;
  sqlite3_stmt* open_get_ = nullptr;  // its row's memory was returned by the last Get
  std::vector<SqliteWalk*> walks_;
  uint64_t epoch_ = 0;
  SpaceId next_space_ = 0;
  int log_frames_ = 0;           // after the last commit
  bool spaces_changed_ = false;  // in this transaction
  bool spaces_stale_ = false;    // the list in `statements_` may not be the file's
};

}  // namespace mayfly::engine

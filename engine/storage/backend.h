// What a kind of store has to provide for one database; everything else (queue, groups, savepoints
// in operations, hooks, yielding, dropping) is the Executor's and the same for all.
//
// All calls except those marked thread-safe come from the one thread that holds the database's
// leader role at that moment (see executor.h), so an implementation needs no lock for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/storage/bulk_access.h"
#include "engine/storage/database.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

// What becomes of the file that is closed.
enum class Closing : uint8_t { kKeep, kDiscard };

class Backend {
 public:
  virtual ~Backend() = default;

  // Opens the database's file, making it if missing. Only called while !is_open().
  virtual absl::Status Open() = 0;
  // Everything committed is on disk afterwards, and nothing is held open. Only called while
  // is_open(), without a transaction and without cursors.
  virtual void Close(Closing closing) = 0;
  virtual bool is_open() const = 0;

  // Write transaction. Reads outside of one see the latest commit. Rollback without a transaction
  // does nothing.
  virtual absl::Status BeginWrite() = 0;
  virtual absl::Status Commit() = 0;
  virtual void Rollback() = 0;
  virtual bool in_write() const = 0;

  // Savepoints inside the write transaction are numbered from 1 and strictly nested. After
  // RollbackTo the savepoint is still there.
  virtual absl::Status OpenSavepoint(int number) = 0;
  virtual absl::Status ReleaseSavepoint(int number) = 0;
  virtual absl::Status RollbackToSavepoint(int number) = 0;

  // As in Transaction. A write that fails leaves the transaction as it was, or, if in_write() is
  // false afterwards, has lost it.
  virtual absl::StatusOr<std::optional<std::string_view>> GetRecord(SpaceId space, RecordId id) = 0;
  virtual absl::StatusOr<std::optional<std::string_view>> GetKey(SpaceId space,
                                                                 std::string_view key) = 0;
  virtual std::unique_ptr<RecordLookup> NewRecordLookup(SpaceId space) = 0;
  virtual absl::StatusOr<KeyCount> CountKeys(SpaceId space, KeySpan span, int64_t limit) = 0;
  virtual std::unique_ptr<RecordCursor> NewRecordCursor(SpaceId space, Direction direction) = 0;
  virtual std::unique_ptr<KeyCursor> NewKeyCursor(SpaceId space, Direction direction) = 0;
  virtual absl::StatusOr<SpaceId> CreateSpace(SpaceKind kind) = 0;
  virtual absl::Status DropSpace(SpaceId space) = 0;
  virtual absl::Status PutRecord(SpaceId space, RecordId id, std::string_view value) = 0;
  virtual absl::Status DeleteRecord(SpaceId space, RecordId id) = 0;
  virtual absl::Status PutKey(SpaceId space, std::string_view key, std::string_view value) = 0;
  virtual absl::StatusOr<bool> InsertKey(SpaceId space, std::string_view key,
                                         std::string_view value) = 0;
  virtual absl::Status InsertKeys(SpaceId space, const KeyRun& keys) = 0;
  virtual absl::Status DeleteKey(SpaceId space, std::string_view key) = 0;
  virtual absl::Status DeleteRecords(SpaceId space, RecordId first, RecordId last) = 0;
  virtual absl::Status DeleteKeys(SpaceId space, std::string_view first, std::string_view last) = 0;
  virtual absl::StatusOr<int64_t> SpaceBytes(SpaceId space) = 0;
  virtual absl::StatusOr<int> Vacuum(int pages, int64_t keep_bytes) = 0;

  // The running operation is about to lose the leader role: open cursors must not hold anything.
  virtual void SuspendCursors() = 0;
  // True if BetweenGroups() has something to do that takes longer than a few microseconds.
  // Thread-safe.
  virtual bool maintenance_due() const = 0;
  // Called now and then while no transaction is open.
  virtual void BetweenGroups() = 0;

  // Calls each of `waiting` once what is committed now is on disk, with the sync's status; here or
  // on another thread.
  virtual void WhenSynced(std::vector<Database::Done> waiting) = 0;

  // Fills in the sizes. Thread-safe.
  virtual void AddSizes(DatabaseStats& stats) const = 0;
};

}  // namespace mayfly::engine

// One running operation: the Transaction its body sees. Keeps savepoint levels and hooks; reads and
// writes go straight to the backend.
//
// Savepoints are lazy. A level (the operation itself, and each WithSavepoint inside it) gets a
// savepoint of the backend at its first write only, levels that start to write together share one,
// and the first writer of a transaction needs none: undoing it is undoing the transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/any_invocable.h"
#include "engine/storage/backend.h"
#include "engine/storage/database.h"

namespace mayfly::engine {

class Executor;

using Hooks = std::vector<absl::AnyInvocable<void()>>;
void RunOldestFirst(Hooks& hooks);
void RunNewestFirst(Hooks& hooks, size_t down_to);

// A write operation that has run and waits for its group's commit.
struct Finished {
  absl::Status status;
  Durability durability = Durability::kCommitted;
  Database::Done done = nullptr;
  Hooks on_commit;
  Hooks on_rollback;
};

// The writes between two commits.
struct Group {
  std::vector<Finished> finished;
  // Why the group cannot be committed any more.
  absl::Status error;
  absl::flat_hash_set<const void*> hook_owners;
  std::vector<absl::AnyInvocable<absl::Status(Transaction&)>> before_commit;

  void Clear();
};

class Operation final : public Transaction {
 public:
  Operation(Executor& executor, Backend& backend, Group& group, OperationOptions options);

  // Runs `body` and, if it fails, undoes what it wrote. Afterwards the hooks are still to be run or
  // handed on.
  absl::Status Execute(Database::Body& body);

  const OperationOptions& options() const { return options_; }
  Hooks& on_commit() { return on_commit_; }
  Hooks& on_rollback() { return on_rollback_; }
  // What was written so far has been committed, or undone with the whole transaction: start anew.
  void Restart();

  // When this operation's time slice started to count; 0 before anybody waited.
  int64_t slice_start_us() const { return slice_start_us_; }
  void set_slice_start_us(int64_t us) { slice_start_us_ = us; }
  // Keys and values written since the last commit, with something for each entry.
  int64_t written_bytes() const { return written_bytes_; }
  bool in_savepoint() const { return levels_.size() > 1; }
  // Before a write that does not go through the methods below.
  absl::Status PrepareWrite();

  absl::StatusOr<std::optional<std::string_view>> GetRecord(SpaceId space, RecordId id) override;
  absl::StatusOr<std::optional<std::string_view>> GetKey(SpaceId space,
                                                         std::string_view key) override;
  std::unique_ptr<RecordLookup> NewRecordLookup(SpaceId space);
  absl::StatusOr<KeyCount> CountKeys(SpaceId space, KeySpan span, int64_t limit);
  std::unique_ptr<RecordCursor> NewRecordCursor(SpaceId space, Direction direction) override;
  std::unique_ptr<KeyCursor> NewKeyCursor(SpaceId space, Direction direction) override;
  bool writable() const override { return options_.access == Access::kWrite; }
  absl::StatusOr<SpaceId> CreateSpace(SpaceKind kind) override;
  absl::Status DropSpace(SpaceId space) override;
  absl::Status PutRecord(SpaceId space, RecordId id, std::string_view value) override;
  absl::Status DeleteRecord(SpaceId space, RecordId id) override;
  absl::Status PutKey(SpaceId space, std::string_view key, std::string_view value) override;
  absl::StatusOr<bool> InsertKey(SpaceId space, std::string_view key, std::string_view value);
  absl::Status InsertKeys(SpaceId space, const KeyRun& keys);
  absl::Status DeleteKey(SpaceId space, std::string_view key) override;
  absl::Status DeleteRecords(SpaceId space, RecordId first, RecordId last) override;
  absl::Status DeleteKeys(SpaceId space, std::string_view first, std::string_view last) override;
  absl::StatusOr<int64_t> SpaceBytes(SpaceId space) override;
  absl::Status WithSavepoint(absl::AnyInvocable<absl::Status()> body) override;
  void BeforeCommit(const void* owner,
                    absl::AnyInvocable<absl::Status(Transaction&)> hook) override;
  void OnCommit(absl::AnyInvocable<void()> hook) override;
  void OnRollback(absl::AnyInvocable<void()> hook) override;
  bool ShouldYield() override;
  absl::Status Yield() override;

 private:
  static constexpr int kNotOpened = -1;
  static constexpr int kWholeTransaction = 0;

  struct Level {
    int savepoint = kNotOpened;
    // How many hooks there were when the level began.
    size_t on_commit = 0;
    size_t on_rollback = 0;
  };

  absl::Status OpenPendingLevels();
  bool SharesSavepointWithParent(size_t level) const;
  // PrepareWrite() for entries of `bytes` together.
  absl::Status PrepareEntry(size_t bytes, size_t entries = 1);
  void UndoInnermostLevel();
  void KeepInnermostLevel();
  // Passes the result of a write on; a transaction that is lost with it takes the whole group
  // along.
  absl::Status Checked(absl::Status status);

  Executor& executor_;
  Backend& backend_;
  Group& group_;
  const OperationOptions options_;
  absl::InlinedVector<Level, 4> levels_;
  bool write_ready_ = false;
  Hooks on_commit_;
  Hooks on_rollback_;
  int64_t slice_start_us_ = 0;
  int64_t written_bytes_ = 0;
};

}  // namespace mayfly::engine

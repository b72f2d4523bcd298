#include "engine/storage/operation.h"

#include <utility>

#include "base/status.h"
#include "engine/storage/executor.h"

namespace mayfly::engine {
namespace {

// What an entry costs in the log besides its bytes, about.
constexpr int64_t kEntryBytes = 64;

}  // namespace

void RunOldestFirst(Hooks& hooks) {
  for (auto& hook : hooks) hook();
  hooks.clear();
}

void RunNewestFirst(Hooks& hooks, size_t down_to) {
  while (hooks.size() > down_to) {
    auto hook = std::move(hooks.back());
    hooks.pop_back();
    hook();
  }
}

void Group::Clear() {
  finished.clear();
  error = absl::OkStatus();
  hook_owners.clear();
  before_commit.clear();
}

Operation::Operation(Executor& executor, Backend& backend, Group& group, OperationOptions options)
    : executor_(executor), backend_(backend), group_(group), options_(options), levels_(1) {}

absl::Status Operation::Execute(Database::Body& body) {
  absl::Status status = body(*this);
  if (status.ok()) {
    KeepInnermostLevel();
  } else {
    UndoInnermostLevel();
  }
  return status;
}

void Operation::Restart() {
  on_commit_.clear();
  on_rollback_.clear();
  levels_.assign(1, Level());
  write_ready_ = false;
  slice_start_us_ = 0;
  written_bytes_ = 0;
}

absl::Status Operation::PrepareWrite() {
  if (write_ready_) return absl::OkStatus();
  if (!writable()) {
    return base::Error(base::ErrorCode::kInternalError, "write in an operation that only reads");
  }
  if (!group_.error.ok()) return group_.error;
  return OpenPendingLevels();
}

absl::Status Operation::PrepareEntry(size_t bytes, size_t entries) {
  written_bytes_ += static_cast<int64_t>(bytes) + static_cast<int64_t>(entries) * kEntryBytes;
  return PrepareWrite();
}

absl::Status Operation::OpenPendingLevels() {
  size_t first = levels_.size();
  while (first > 0 && levels_[first - 1].savepoint == kNotOpened) --first;
  int number = kWholeTransaction;
  if (!backend_.in_write()) {
    MAYFLY_RETURN_IF_ERROR(backend_.BeginWrite());
  } else {
    number = first == 0 ? 1 : levels_[first - 1].savepoint + 1;
    MAYFLY_RETURN_IF_ERROR(Checked(backend_.OpenSavepoint(number)));
  }
  for (size_t i = first; i < levels_.size(); ++i) levels_[i].savepoint = number;
  write_ready_ = true;
  return absl::OkStatus();
}

bool Operation::SharesSavepointWithParent(size_t level) const {
  return level > 0 && levels_[level - 1].savepoint == levels_[level].savepoint;
}

void Operation::UndoInnermostLevel() {
  const size_t index = levels_.size() - 1;
  const Level level = levels_[index];
  backend_.SuspendCursors();
  if (level.savepoint == kWholeTransaction) {
    backend_.Rollback();
    for (Level& each : levels_) each.savepoint = kNotOpened;
    write_ready_ = false;
  } else if (level.savepoint > 0 && group_.error.ok()) {
    absl::Status status = backend_.RollbackToSavepoint(level.savepoint);
    if (status.ok() && !SharesSavepointWithParent(index)) {
      status = backend_.ReleaseSavepoint(level.savepoint);
    }
    if (!status.ok()) group_.error = status;
  }
  RunNewestFirst(on_rollback_, level.on_rollback);
  on_commit_.resize(level.on_commit);
}

void Operation::KeepInnermostLevel() {
  const size_t index = levels_.size() - 1;
  const int savepoint = levels_[index].savepoint;
  if (savepoint <= 0 || SharesSavepointWithParent(index) || !group_.error.ok()) return;
  Checked(backend_.ReleaseSavepoint(savepoint)).IgnoreError();
}

absl::Status Operation::Checked(absl::Status status) {
  if (!status.ok() && !backend_.in_write() && group_.error.ok()) group_.error = status;
  return status;
}

absl::StatusOr<std::optional<std::string_view>> Operation::GetRecord(SpaceId space, RecordId id) {
  return backend_.GetRecord(space, id);
}

absl::StatusOr<std::optional<std::string_view>> Operation::GetKey(SpaceId space,
                                                                  std::string_view key) {
  return backend_.GetKey(space, key);
}

std::unique_ptr<RecordLookup> Operation::NewRecordLookup(SpaceId space) {
  return backend_.NewRecordLookup(space);
}

absl::StatusOr<KeyCount> Operation::CountKeys(SpaceId space, KeySpan span, int64_t limit) {
  return backend_.CountKeys(space, span, limit);
}

std::unique_ptr<RecordCursor> Operation::NewRecordCursor(SpaceId space, Direction direction) {
  return backend_.NewRecordCursor(space, direction);
}

std::unique_ptr<KeyCursor> Operation::NewKeyCursor(SpaceId space, Direction direction) {
  return backend_.NewKeyCursor(space, direction);
}

absl::StatusOr<SpaceId> Operation::CreateSpace(SpaceKind kind) {
  MAYFLY_RETURN_IF_ERROR(PrepareWrite());
  absl::StatusOr<SpaceId> space = backend_.CreateSpace(kind);
  MAYFLY_RETURN_IF_ERROR(Checked(space.status()));
  return space;
}

absl::Status Operation::DropSpace(SpaceId space) {
  MAYFLY_RETURN_IF_ERROR(PrepareWrite());
  return Checked(backend_.DropSpace(space));
}

absl::Status Operation::PutRecord(SpaceId space, RecordId id, std::string_view value) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(value.size()));
  return Checked(backend_.PutRecord(space, id, value));
}

absl::Status Operation::DeleteRecord(SpaceId space, RecordId id) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(0));
  return Checked(backend_.DeleteRecord(space, id));
}

absl::Status Operation::PutKey(SpaceId space, std::string_view key, std::string_view value) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(key.size() + value.size()));
  return Checked(backend_.PutKey(space, key, value));
}

absl::StatusOr<bool> Operation::InsertKey(SpaceId space, std::string_view key,
                                          std::string_view value) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(key.size() + value.size()));
  absl::StatusOr<bool> inserted = backend_.InsertKey(space, key, value);
  if (!inserted.ok()) return Checked(std::move(inserted).status());
  return inserted;
}

absl::Status Operation::InsertKeys(SpaceId space, const KeyRun& keys) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(keys.bytes(), keys.size()));
  return Checked(backend_.InsertKeys(space, keys));
}

absl::Status Operation::DeleteKey(SpaceId space, std::string_view key) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(key.size()));
  return Checked(backend_.DeleteKey(space, key));
}

absl::Status Operation::DeleteRecords(SpaceId space, RecordId first, RecordId last) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(0));
  return Checked(backend_.DeleteRecords(space, first, last));
}

absl::Status Operation::DeleteKeys(SpaceId space, std::string_view first, std::string_view last) {
  MAYFLY_RETURN_IF_ERROR(PrepareEntry(first.size() + last.size()));
  return Checked(backend_.DeleteKeys(space, first, last));
}

absl::StatusOr<int64_t> Operation::SpaceBytes(SpaceId space) { return backend_.SpaceBytes(space); }

absl::Status Operation::WithSavepoint(absl::AnyInvocable<absl::Status()> body) {
  levels_.push_back({.on_commit = on_commit_.size(), .on_rollback = on_rollback_.size()});
  write_ready_ = false;
  absl::Status status = body();
  if (status.ok()) {
    KeepInnermostLevel();
  } else {
    UndoInnermostLevel();
  }
  levels_.pop_back();
  write_ready_ = levels_.back().savepoint != kNotOpened;
  return status;
}

void Operation::BeforeCommit(const void* owner,
                             absl::AnyInvocable<absl::Status(Transaction&)> hook) {
  if (!writable() || !group_.hook_owners.insert(owner).second) return;
  group_.before_commit.push_back(std::move(hook));
}

void Operation::OnCommit(absl::AnyInvocable<void()> hook) { on_commit_.push_back(std::move(hook)); }

void Operation::OnRollback(absl::AnyInvocable<void()> hook) {
  on_rollback_.push_back(std::move(hook));
}

namespace {

// All transactions are made by executors, which make nothing else.
Operation& OperationOf(Transaction& transaction) { return static_cast<Operation&>(transaction); }

}  // namespace

std::unique_ptr<RecordLookup> NewRecordLookup(Transaction& transaction, SpaceId space) {
  return OperationOf(transaction).NewRecordLookup(space);
}

absl::StatusOr<KeyCount> CountKeys(Transaction& transaction, SpaceId space, KeySpan span,
                                   int64_t limit) {
  return OperationOf(transaction).CountKeys(space, span, limit);
}

absl::StatusOr<bool> InsertKey(Transaction& transaction, SpaceId space, std::string_view key,
                               std::string_view value) {
  return OperationOf(transaction).InsertKey(space, key, value);
}

absl::Status InsertKeys(Transaction& transaction, SpaceId space, const KeyRun& keys) {
  return OperationOf(transaction).InsertKeys(space, keys);
}

bool Operation::ShouldYield() { return !in_savepoint() && executor_.ShouldYield(*this); }

absl::Status Operation::Yield() {
  if (in_savepoint()) {
    return base::Error(base::ErrorCode::kInternalError, "yield inside a savepoint");
  }
  return executor_.Yield(*this);
}

}  // namespace mayfly::engine

// One database of the memory store.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/storage/backend.h"
#include "engine/storage/memory/memory_space.h"

namespace mayfly::engine {

class MemoryBackend final : public Backend {
 public:
  absl::Status Open() override;
  void Close(Closing) override { open_ = false; }
  bool is_open() const override { return open_; }

  absl::Status BeginWrite() override;
  absl::Status Commit() override;
  void Rollback() override;
  bool in_write() const override { return in_write_; }
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
  absl::StatusOr<int> Vacuum(int pages, int64_t keep_bytes) override { return 0; }

  void SuspendCursors() override {}
  bool maintenance_due() const override { return false; }
  void BetweenGroups() override {}
  void WhenSynced(std::vector<Database::Done> waiting) override;
  void AddSizes(DatabaseStats& stats) const override;

 private:
  MemorySpaces spaces_;
  std::vector<size_t> savepoints_;  // marks
  bool in_write_ = false;
  bool open_ = false;
  std::atomic<int64_t> bytes_{0};
};

}  // namespace mayfly::engine

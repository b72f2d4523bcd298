#include "engine/storage/memory/memory_backend.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/storage/memory/memory_cursor.h"

namespace mayfly::engine {
namespace {

absl::Status NoSpace(SpaceId space) {
  return base::Error(base::ErrorCode::kInternalError,
                     base::StrCat("no space ", space, " of this kind"));
}

class MemoryRecordLookup final : public RecordLookup {
 public:
  MemoryRecordLookup(MemoryBackend& backend, SpaceId space) : backend_(backend), space_(space) {}
  absl::StatusOr<std::optional<std::string_view>> Get(RecordId id) override {
    return backend_.GetRecord(space_, id);
  }

 private:
  MemoryBackend& backend_;
  const SpaceId space_;
};

}  // namespace

absl::Status MemoryBackend::Open() {
  open_ = true;
  return absl::OkStatus();
}

absl::Status MemoryBackend::BeginWrite() {
  in_write_ = true;
  return absl::OkStatus();
}

absl::Status MemoryBackend::Commit() {
  spaces_.Forget();
  savepoints_.clear();
  in_write_ = false;
  bytes_.store(spaces_.bytes(), std::memory_order_relaxed);
  return absl::OkStatus();
}

void MemoryBackend::Rollback() {
  spaces_.UndoTo(0);
  savepoints_.clear();
  in_write_ = false;
}

absl::Status MemoryBackend::OpenSavepoint(int number) {
  savepoints_.resize(static_cast<size_t>(number));
  savepoints_.back() = spaces_.mark();
  return absl::OkStatus();
}

absl::Status MemoryBackend::ReleaseSavepoint(int number) {
  savepoints_.resize(static_cast<size_t>(number) - 1);
  return absl::OkStatus();
}

absl::Status MemoryBackend::RollbackToSavepoint(int number) {
  savepoints_.resize(static_cast<size_t>(number));
  spaces_.UndoTo(savepoints_.back());
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string_view>> MemoryBackend::GetRecord(SpaceId space,
                                                                         RecordId id) {
  const RecordMap* map = spaces_.Records(space);
  if (map == nullptr) return NoSpace(space);
  auto it = map->find(id);
  if (it == map->end()) return std::optional<std::string_view>();
  return std::optional<std::string_view>(it->second);
}

absl::StatusOr<std::optional<std::string_view>> MemoryBackend::GetKey(SpaceId space,
                                                                      std::string_view key) {
  const KeyMap* map = spaces_.Keys(space);
  if (map == nullptr) return NoSpace(space);
  auto it = map->find(key);
  if (it == map->end()) return std::optional<std::string_view>();
  return std::optional<std::string_view>(it->second);
}

std::unique_ptr<RecordLookup> MemoryBackend::NewRecordLookup(SpaceId space) {
  return std::make_unique<MemoryRecordLookup>(*this, space);
}

absl::StatusOr<KeyCount> MemoryBackend::CountKeys(SpaceId space, KeySpan span, int64_t limit) {
  const KeyMap* map = spaces_.Keys(space);
  if (map == nullptr) return NoSpace(space);
  KeyCount result;
  for (auto it = map->lower_bound(span.start); it != map->end() && it->first < span.end; ++it) {
    if (result.count == limit) {
      result.next = it->first;
      break;
    }
    ++result.count;
  }
  return result;
}

std::unique_ptr<RecordCursor> MemoryBackend::NewRecordCursor(SpaceId space, Direction direction) {
  return std::make_unique<MemoryRecordCursor>(spaces_, space, direction);
}

std::unique_ptr<KeyCursor> MemoryBackend::NewKeyCursor(SpaceId space, Direction direction) {
  return std::make_unique<MemoryKeyCursor>(spaces_, space, direction);
}

absl::StatusOr<SpaceId> MemoryBackend::CreateSpace(SpaceKind kind) { return spaces_.Create(kind); }

absl::Status MemoryBackend::DropSpace(SpaceId space) {
  return spaces_.Drop(space) ? absl::OkStatus() : NoSpace(space);
}

absl::StatusOr<int64_t> MemoryBackend::SpaceBytes(SpaceId space) {
  const auto bytes = spaces_.BytesOf(space);
  if (!bytes.has_value()) return NoSpace(space);
  return *bytes;
}

absl::Status MemoryBackend::PutRecord(SpaceId space, RecordId id, std::string_view value) {
  return spaces_.SetRecord(space, id, std::string(value)) ? absl::OkStatus() : NoSpace(space);
}

absl::Status MemoryBackend::DeleteRecord(SpaceId space, RecordId id) {
  return spaces_.SetRecord(space, id, std::nullopt) ? absl::OkStatus() : NoSpace(space);
}

absl::Status MemoryBackend::PutKey(SpaceId space, std::string_view key, std::string_view value) {
  return spaces_.SetKey(space, key, std::string(value)) ? absl::OkStatus() : NoSpace(space);
}

absl::StatusOr<bool> MemoryBackend::InsertKey(SpaceId space, std::string_view key,
                                              std::string_view value) {
  MAYFLY_ASSIGN_OR_RETURN(const auto found, GetKey(space, key));
  if (found.has_value()) return false;
  MAYFLY_RETURN_IF_ERROR(PutKey(space, key, value));
  return true;
}

absl::Status MemoryBackend::InsertKeys(SpaceId space, const KeyRun& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(InsertKey(space, keys[i], "").status());
  }
  return absl::OkStatus();
}

absl::Status MemoryBackend::DeleteKey(SpaceId space, std::string_view key) {
  return spaces_.SetKey(space, key, std::nullopt) ? absl::OkStatus() : NoSpace(space);
}

absl::Status MemoryBackend::DeleteRecords(SpaceId space, RecordId first, RecordId last) {
  return spaces_.DeleteRecords(space, first, last) ? absl::OkStatus() : NoSpace(space);
}

absl::Status MemoryBackend::DeleteKeys(SpaceId space, std::string_view first,
                                       std::string_view last) {
  return spaces_.DeleteKeys(space, first, last) ? absl::OkStatus() : NoSpace(space);
}

void MemoryBackend::WhenSynced(std::vector<Database::Done> waiting) {
  for (Database::Done& done : waiting) done(absl::OkStatus());
}

void MemoryBackend::AddSizes(DatabaseStats& stats) const {
  stats.file_bytes = bytes_.load(std::memory_order_relaxed);
}

}  // namespace mayfly::engine

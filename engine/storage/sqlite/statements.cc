#include "engine/storage/sqlite/statements.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

const char* RecordSql(Shape shape) {
  switch (shape) {
    case Shape::kGet:
      return "SELECT v FROM s# WHERE id=?1";
    case Shape::kPut:
      return "INSERT OR REPLACE INTO s#(id,v) VALUES(?1,?2)";
    case Shape::kDelete:
      return "DELETE FROM s# WHERE id=?1";
    case Shape::kDeleteRange:
      return "DELETE FROM s# WHERE id>=?1 AND id<=?2";
    case Shape::kForward:
      return "SELECT id,v FROM s# WHERE id>=?1 ORDER BY id";
    case Shape::kBackward:
      return "SELECT id,v FROM s# WHERE id<=?1 ORDER BY id DESC";
    case Shape::kBackwardBefore:
      return "SELECT id,v FROM s# WHERE id<?1 ORDER BY id DESC";
    case Shape::kBackwardAll:
      return "SELECT id,v FROM s# ORDER BY id DESC";
    case Shape::kLookup:
      return "SELECT s.v FROM mayfly_ids(?1) AS i LEFT JOIN s# AS s ON s.id=i.id";
    case Shape::kInsert:
    case Shape::kInsertRun:
    case Shape::kCount:
    case Shape::kSkip:
      break;
  }
  return "";
}

const char* KeySql(Shape shape) {
  switch (shape) {
    case Shape::kGet:
      return "SELECT v FROM s# WHERE k=?1";
    case Shape::kPut:
      return "INSERT OR REPLACE INTO s#(k,v) VALUES(?1,?2)";
    case Shape::kDelete:
      return "DELETE FROM s# WHERE k=?1";
    case Shape::kDeleteRange:
      return "DELETE FROM s# WHERE k>=?1 AND k<=?2";
    case Shape::kForward:
      return "SELECT k,v FROM s# WHERE k>=?1 ORDER BY k";
    case Shape::kBackward:
      return "SELECT k,v FROM s# WHERE k<=?1 ORDER BY k DESC";
    case Shape::kBackwardBefore:
      return "SELECT k,v FROM s# WHERE k<?1 ORDER BY k DESC";
    case Shape::kBackwardAll:
      return "SELECT k,v FROM s# ORDER BY k DESC";
    case Shape::kInsert:
      return "INSERT OR IGNORE INTO s#(k,v) VALUES(?1,?2)";
    case Shape::kInsertRun:
      return "INSERT OR IGNORE INTO s#(k,v) SELECT k,x'' FROM mayfly_keys(?1)";
    case Shape::kCount:
      return "SELECT count(*) FROM s# WHERE k>=?1 AND k<?2";
    case Shape::kSkip:
      return "SELECT k FROM s# WHERE k>=?1 AND k<?2 ORDER BY k LIMIT 1 OFFSET ?3";
    case Shape::kLookup:
      break;
  }
  return "";
}

std::string SqlOf(SpaceId space, SpaceKind kind, Shape shape) {
  std::string sql = kind == SpaceKind::kRecords ? RecordSql(shape) : KeySql(shape);
  sql.replace(sql.find('#'), 1, std::to_string(space));
  return sql;
}

}  // namespace

StatementLease& StatementLease::operator=(StatementLease&& other) noexcept {
  Return();
  owner_ = other.owner_;
  space_ = other.space_;
  shape_ = other.shape_;
  statement_ = std::move(other.statement_);
  return *this;
}

void StatementLease::Return() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_.get());
  owner_->TakeBack(space_, shape_, std::move(statement_));
}

absl::Status Statements::LoadSpaces() {
  MAYFLY_ASSIGN_OR_RETURN(
      StatementPtr list,
      Prepare(connection_,
              "SELECT substr(name,2), sql LIKE '%WITHOUT ROWID' FROM sqlite_schema "
              "WHERE type='table' AND name GLOB 's[0-9]*'"));
  absl::flat_hash_map<SpaceId, std::unique_ptr<Space>> before = std::exchange(spaces_, {});
  int code = SQLITE_OK;
  while ((code = sqlite3_step(list.get())) == SQLITE_ROW) {
    const auto space = static_cast<SpaceId>(sqlite3_column_int64(list.get(), 0));
    auto known = before.find(space);
    if (known != before.end()) {
      spaces_.emplace(space, std::move(known->second));
      before.erase(known);
    } else {
      const bool keys = sqlite3_column_int(list.get(), 1) != 0;
      AddSpace(space, keys ? SpaceKind::kKeys : SpaceKind::kRecords);
    }
  }
  for (auto& [space, gone] : before) {
    for (Slot& slot : gone->slots) prepared_ -= slot.statement != nullptr;
  }
  return code == SQLITE_DONE ? absl::OkStatus() : connection_.ErrorFrom(code, "list the spaces");
}

void Statements::AddSpace(SpaceId space, SpaceKind kind) {
  spaces_.emplace(space, std::make_unique<Space>(Space{.kind = kind, .slots = {}}));
}

void Statements::RemoveSpace(SpaceId space) {
  auto it = spaces_.find(space);
  if (it == spaces_.end()) return;
  for (Slot& slot : it->second->slots) prepared_ -= slot.statement != nullptr;
  spaces_.erase(it);
}

void Statements::Clear() {
  spaces_.clear();
  prepared_ = 0;
}

absl::StatusOr<Statements::Slot*> Statements::Find(SpaceId space, SpaceKind kind, Shape shape) {
  auto it = spaces_.find(space);
  if (it == spaces_.end() || it->second->kind != kind) [[unlikely]] {
    return base::Error(base::ErrorCode::kInternalError,
                       base::StrCat("no space ", space, " of this kind"));
  }
  Slot& slot = it->second->slots[static_cast<size_t>(shape)];
  slot.used = ++uses_;
  if (slot.statement == nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(slot.statement, Prepare(connection_, SqlOf(space, kind, shape)));
    ++prepared_;
    if (prepared_ > kPreparedMax) Evict();
  }
  return &slot;
}

absl::StatusOr<StatementLease> Statements::Lease(SpaceId space, SpaceKind kind, Shape shape) {
  MAYFLY_ASSIGN_OR_RETURN(Slot * slot, Find(space, kind, shape));
  --prepared_;
  return StatementLease(this, space, shape, std::move(slot->statement));
}

absl::StatusOr<sqlite3_stmt*> Statements::Borrow(SpaceId space, SpaceKind kind, Shape shape) {
  MAYFLY_ASSIGN_OR_RETURN(Slot * slot, Find(space, kind, shape));
  return slot->statement.get();
}

void Statements::TakeBack(SpaceId space, Shape shape, StatementPtr statement) {
  auto it = spaces_.find(space);
  if (it == spaces_.end()) return;
  Slot& slot = it->second->slots[static_cast<size_t>(shape)];
  if (slot.statement != nullptr) return;
  slot.statement = std::move(statement);
  ++prepared_;
}

void Statements::Evict() {
  std::vector<Slot*> slots;
  for (auto& [id, space] : spaces_) {
    for (Slot& slot : space->slots) {
      if (slot.statement != nullptr) slots.push_back(&slot);
    }
  }
  const size_t count = slots.size() / 4;
  std::nth_element(slots.begin(), slots.begin() + static_cast<ptrdiff_t>(count), slots.end(),
                   [](const Slot* a, const Slot* b) { return a->used < b->used; });
  for (size_t i = 0; i < count; ++i) slots[i]->statement.reset();
  prepared_ -= count;
}

}  // namespace mayfly::engine

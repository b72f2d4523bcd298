#include "engine/storage/sqlite/sqlite_cursor.h"

#include <limits>

#include "base/status.h"
#include "engine/storage/sqlite/sqlite_backend.h"

namespace mayfly::engine {

SqliteWalk::SqliteWalk(SqliteBackend& backend, SpaceId space, SpaceKind kind, Direction direction)
    : backend_(backend), space_(space), kind_(kind), direction_(direction) {
  backend_.Register(this);
}

SqliteWalk::~SqliteWalk() { backend_.Unregister(this); }

void SqliteWalk::Suspend() {
  if (active_) sqlite3_reset(lease_.get());
  active_ = false;
}

void SqliteWalk::Reseek(Bound bound) {
  Suspend();
  bound_ = bound;
}

absl::Status SqliteWalk::Start() {
  MAYFLY_RETURN_IF_ERROR(backend_.BeforeRead());
  Suspend();
  const Shape shape = StartShape();
  if (lease_.get() == nullptr || leased_shape_ != shape) {
    MAYFLY_ASSIGN_OR_RETURN(lease_, backend_.statements().Lease(space_, kind_, shape));
    leased_shape_ = shape;
  }
  BindStart(lease_.get());
  active_ = true;
  epoch_ = backend_.epoch();
  return absl::OkStatus();
}

absl::StatusOr<bool> SqliteWalk::Step() {
  if (!active_ || epoch_ != backend_.epoch()) {
    if (absl::Status status = Start(); !status.ok()) return status;
  }
  const int code = sqlite3_step(lease_.get());
  if (code == SQLITE_ROW) [[likely]] {
    Remember();
    bound_ = Bound::kBeyond;
    return true;
  }
  Suspend();
  if (code == SQLITE_DONE) return false;
  return backend_.Failed(code, "read the next entry");
}

void SqliteRecordCursor::Seek(RecordId id) {
  id_ = id;
  Reseek(Bound::kAt);
}

Shape SqliteRecordCursor::StartShape() const {
  if (direction() == Direction::kForward) return Shape::kForward;
  return bound() == Bound::kBeyond ? Shape::kBackwardBefore : Shape::kBackward;
}

void SqliteRecordCursor::BindStart(sqlite3_stmt* statement) {
  using Limits = std::numeric_limits<RecordId>;
  const bool forward = direction() == Direction::kForward;
  RecordId from = id_;
  if (bound() == Bound::kNone) {
    from = forward ? Limits::min() : Limits::max();
  } else if (bound() == Bound::kBeyond && forward) {
    // The highest id has nothing beyond it; a real key never compares with the text.
    if (id_ == Limits::max()) {
      sqlite3_bind_text(statement, 1, "", 0, SQLITE_STATIC);
      return;
    }
    from = id_ + 1;
  }
  sqlite3_bind_int64(statement, 1, from);
}

absl::StatusOr<std::optional<std::string_view>> SqliteRecordLookup::Get(RecordId id) {
  source_.id = id;
  MAYFLY_ASSIGN_OR_RETURN(const bool row_found, Step());
  // The source never ends; an id without record is a row of NULL.
  if (!row_found || sqlite3_column_type(row(), 0) == SQLITE_NULL) {
    return std::optional<std::string_view>();
  }
  return std::optional<std::string_view>(ColumnBytes(row(), 0));
}

void SqliteKeyCursor::Seek(std::string_view key) {
  key_ = key;
  Reseek(Bound::kAt);
}

Shape SqliteKeyCursor::StartShape() const {
  if (direction() == Direction::kForward) return Shape::kForward;
  switch (bound()) {
    case Bound::kNone:
      return Shape::kBackwardAll;
    case Bound::kAt:
      return Shape::kBackward;
    case Bound::kBeyond:
      return Shape::kBackwardBefore;
  }
  return Shape::kBackwardAll;
}

void SqliteKeyCursor::BindStart(sqlite3_stmt* statement) {
  const bool beyond = bound() == Bound::kBeyond && direction() == Direction::kForward;
  // The first key after K is K and a zero byte. Bound with a copy: key_ changes while the statement
  // is open.
  if (beyond) key_.push_back('\0');
  if (bound() != Bound::kNone) {
    sqlite3_bind_blob64(statement, 1, key_.empty() ? "" : key_.data(), key_.size(),
                        SQLITE_TRANSIENT);
  } else if (direction() == Direction::kForward) {
    BindBytes(statement, 1, "");
  }
  if (beyond) key_.pop_back();
}

}  // namespace mayfly::engine

// Cursors over the table of a space.
//
// A cursor reads with an open SELECT as long as nothing is written. What an open SELECT shows after
// a write on its connection is undefined in SQLite, so after a write (told by the backend's epoch)
// or a suspension it starts a new one beyond the last key it returned.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/storage/bulk_access.h"
#include "engine/storage/kv.h"
#include "engine/storage/sqlite/id_source.h"
#include "engine/storage/sqlite/statements.h"

namespace mayfly::engine {

class SqliteBackend;

// The part that does not depend on the kind of key. Registered with the backend while it exists.
class SqliteWalk {
 public:
  SqliteWalk(SqliteBackend& backend, SpaceId space, SpaceKind kind, Direction direction);
  virtual ~SqliteWalk();
  SqliteWalk(const SqliteWalk&) = delete;
  SqliteWalk& operator=(const SqliteWalk&) = delete;

  // Lets go of the open SELECT.
  void Suspend();

 protected:
  enum class Bound : uint8_t { kNone, kAt, kBeyond };

  absl::StatusOr<bool> Step();
  sqlite3_stmt* row() const { return lease_.get(); }
  void Reseek(Bound bound);
  Bound bound() const { return bound_; }
  Direction direction() const { return direction_; }

  // Which statement starts the walk from the present bound, and its parameter.
  virtual Shape StartShape() const = 0;
  virtual void BindStart(sqlite3_stmt* statement) = 0;
  // Remembers the key of the row the statement is at.
  virtual void Remember() = 0;

 private:
  absl::Status Start();

  SqliteBackend& backend_;
  const SpaceId space_;
  const SpaceKind kind_;
  const Direction direction_;
  StatementLease lease_;
  Shape leased_shape_ = Shape::kGet;
  bool active_ = false;
  uint64_t epoch_ = 0;
  Bound bound_ = Bound::kNone;
};

class SqliteRecordCursor final : public RecordCursor, private SqliteWalk {
 public:
  SqliteRecordCursor(SqliteBackend& backend, SpaceId space, Direction direction)
      : SqliteWalk(backend, space, SpaceKind::kRecords, direction) {}

  void Seek(RecordId id) override;
  absl::StatusOr<bool> Next() override { return Step(); }
  RecordId id() const override { return id_; }
  std::string_view value() const override { return ColumnBytes(row(), 1); }

 private:
  Shape StartShape() const override;
  void BindStart(sqlite3_stmt* statement) override;
  void Remember() override { id_ = sqlite3_column_int64(row(), 0); }

  RecordId id_ = 0;
};

class SqliteRecordLookup final : public RecordLookup, private SqliteWalk {
 public:
  SqliteRecordLookup(SqliteBackend& backend, SpaceId space)
      : SqliteWalk(backend, space, SpaceKind::kRecords, Direction::kForward) {}

  absl::StatusOr<std::optional<std::string_view>> Get(RecordId id) override;

 private:
  Shape StartShape() const override { return Shape::kLookup; }
  void BindStart(sqlite3_stmt* statement) override { BindIdSource(statement, 1, &source_); }
  void Remember() override {}

  IdSource source_;
};

class SqliteKeyCursor final : public KeyCursor, private SqliteWalk {
 public:
  SqliteKeyCursor(SqliteBackend& backend, SpaceId space, Direction direction)
      : SqliteWalk(backend, space, SpaceKind::kKeys, direction) {}

  void Seek(std::string_view key) override;
  absl::StatusOr<bool> Next() override { return Step(); }
  std::string_view key() const override { return key_; }
  std::string_view value() const override { return ColumnBytes(row(), 1); }

 private:
  Shape StartShape() const override;
  void BindStart(sqlite3_stmt* statement) override;
  void Remember() override { key_ = ColumnBytes(row(), 0); }

  std::string key_;
};

}  // namespace mayfly::engine

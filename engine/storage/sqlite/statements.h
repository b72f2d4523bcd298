// Prepared statements of a connection, kept by space and shape. Preparing costs as much as the
// look-up itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "engine/storage/kv.h"
#include "engine/storage/sqlite/connection.h"

namespace mayfly::engine {

enum class Shape : uint8_t {
  kGet,
  kPut,
  kDelete,
  kDeleteRange,     // from ?1 to ?2
  kForward,         // from ?1 on, upwards
  kBackward,        // from ?1 on, downwards
  kBackwardBefore,  // below ?1, downwards; keys only
  kBackwardAll,     // downwards; keys only
  kLookup,          // of the ids that the source ?1 gives, id_source.h; records only
  kInsert,          // unless the key is there; keys only
  kInsertRun,       // of the keys that the source ?1 gives, key_source.h; keys only
  kCount,           // from ?1 to below ?2; keys only
  kSkip,            // from ?1 to below ?2, the one after ?3 others; keys only
};
inline constexpr size_t kShapes = 13;

class Statements;

// The right to use a statement until destruction, when it is reset and goes back. May outlive the
// space, not `owner`.
class StatementLease {
 public:
  StatementLease() = default;
  StatementLease(Statements* owner, SpaceId space, Shape shape, StatementPtr statement)
      : owner_(owner), space_(space), shape_(shape), statement_(std::move(statement)) {}
  StatementLease(StatementLease&&) = default;
  StatementLease& operator=(StatementLease&& other) noexcept;
  ~StatementLease() { Return(); }

  sqlite3_stmt* get() const { return statement_.get(); }
  void Return();

 private:
  Statements* owner_ = nullptr;
  SpaceId space_ = 0;
  Shape shape_ = Shape::kGet;
  StatementPtr statement_;
};

// The spaces of a database by id, with their statements. Used by one thread at a time.
class Statements {
 public:
  explicit Statements(const Connection& connection) : connection_(connection) {}

  // Reads the list of spaces from the file; statements of those which are gone go too.
  absl::Status LoadSpaces();
  void AddSpace(SpaceId space, SpaceKind kind);
  void RemoveSpace(SpaceId space);
  bool HasSpace(SpaceId space) const { return spaces_.contains(space); }
  // All leases have been returned.
  void Clear();

  // kInternalError if there is no such space of `kind`.
  absl::StatusOr<StatementLease> Lease(SpaceId space, SpaceKind kind, Shape shape);
  // The same for a statement that is used and reset before anything else is asked for.
  absl::StatusOr<sqlite3_stmt*> Borrow(SpaceId space, SpaceKind kind, Shape shape);

 private:
  friend class StatementLease;

  struct Slot {
    StatementPtr statement;  // null: not prepared, or leased
    uint64_t used = 0;
  };
  struct Space {
    SpaceKind kind;
    std::array<Slot, kShapes> slots;
  };

  static constexpr size_t kPreparedMax = 256;

  absl::StatusOr<Slot*> Find(SpaceId space, SpaceKind kind, Shape shape);
  void TakeBack(SpaceId space, Shape shape, StatementPtr statement);
  // Finalises the quarter that was not used for longest.
  void Evict();

  const Connection& connection_;
  absl::flat_hash_map<SpaceId, std::unique_ptr<Space>> spaces_;
  size_t prepared_ = 0;  // in slots
  uint64_t uses_ = 0;
};

}  // namespace mayfly::engine

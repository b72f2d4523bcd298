// The ordered store below everything: spaces of records and of keys, transactions, range scans both
// ways.
//
// One Database is one independent store (one SQLite file). Inside it are numbered spaces of two
// kinds:
//   records: RecordId (int64 > 0) -> bytes      documents
//   keys:    bytes, compared by memcmp -> bytes  indexes, catalog, expiry; the value may be empty
// Nothing above this interface may know what is below it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mayfly::engine {

using SpaceId = uint32_t;
using RecordId = int64_t;

inline constexpr RecordId kNoRecord = 0;
// The space that exists in every database from the start; of kind kKeys.
inline constexpr SpaceId kCatalogSpace = 1;

enum class SpaceKind : uint8_t { kRecords, kKeys };
enum class Direction : uint8_t { kForward, kBackward };

// Walks a space of records. Positioned before the first entry when new.
//
// A cursor survives writes and Yield() of its transaction: it goes on with the first entry beyond
// the last one returned, as the space is then. Bytes returned are valid until the next call on the
// cursor, the next write, or the next Yield().
class RecordCursor {
 public:
  virtual ~RecordCursor() = default;
  // The next entry has the first id >= `id` (forward) or <= `id` (backward).
  virtual void Seek(RecordId id) = 0;
  // Moves to the next entry; false at the end.
  virtual absl::StatusOr<bool> Next() = 0;
  virtual RecordId id() const = 0;
  virtual std::string_view value() const = 0;
};

// Walks a space of keys; the same rules as RecordCursor.
class KeyCursor {
 public:
  virtual ~KeyCursor() = default;
  // The next entry has the first key >= `key` (forward) or <= `key` (backward).
  virtual void Seek(std::string_view key) = 0;
  virtual absl::StatusOr<bool> Next() = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
};

// What an operation may do while it runs. Used by one thread at a time; see executor rules in
// database.h. Errors: kInternalError when the store is broken, kOutOfDiskSpace when it is full.
class Transaction {
 public:
  virtual ~Transaction() = default;

  // The bytes stay valid until the next call on this transaction.
  virtual absl::StatusOr<std::optional<std::string_view>> GetRecord(SpaceId space, RecordId id) = 0;
  virtual absl::StatusOr<std::optional<std::string_view>> GetKey(SpaceId space,
                                                                 std::string_view key) = 0;
  virtual std::unique_ptr<RecordCursor> NewRecordCursor(SpaceId space, Direction direction) = 0;
  virtual std::unique_ptr<KeyCursor> NewKeyCursor(SpaceId space, Direction direction) = 0;

  // Writing: only in operations submitted with Access::kWrite. Put replaces. Delete of what is
  // absent is ok.
  virtual bool writable() const = 0;
  virtual absl::StatusOr<SpaceId> CreateSpace(SpaceKind kind) = 0;
  // All entries go. Cursors on the space must be gone. Space ids are never used twice.
  virtual absl::Status DropSpace(SpaceId space) = 0;
  virtual absl::Status PutRecord(SpaceId space, RecordId id, std::string_view value) = 0;
  virtual absl::Status DeleteRecord(SpaceId space, RecordId id) = 0;
  virtual absl::Status PutKey(SpaceId space, std::string_view key, std::string_view value) = 0;
  virtual absl::Status DeleteKey(SpaceId space, std::string_view key) = 0;
  // Everything from `first` to `last`, both included; for neighbours a third of the single calls.
  virtual absl::Status DeleteRecords(SpaceId space, RecordId first, RecordId last) = 0;
  virtual absl::Status DeleteKeys(SpaceId space, std::string_view first, std::string_view last) = 0;

  // Bytes that the space takes in the store, for reports. May take time in proportion to it.
  virtual absl::StatusOr<int64_t> SpaceBytes(SpaceId space) = 0;

  // Runs `body`; if it fails, everything it wrote is undone and its status returned. Nests.
  virtual absl::Status WithSavepoint(absl::AnyInvocable<absl::Status()> body) = 0;

  // Called once just before the commit of the group this operation is in, on the thread that
  // commits; the first registration with a given `owner` wins. For counters that many operations
  // change and one write keeps. It is called even if the operation that registered it has failed,
  // so it must not refer to that operation's own objects. If it fails, the whole group does.
  // It is forgotten with that commit: register again after Yield().
  // Ignored in operations that only read.
  virtual void BeforeCommit(const void* owner,
                            absl::AnyInvocable<absl::Status(Transaction&)> hook) = 0;
  // `hook` runs after the group's commit was successful, before the operation is answered.
  virtual void OnCommit(absl::AnyInvocable<void()> hook) = 0;
  // `hook` runs if what the operation did up to here is undone: its savepoint, itself, or the
  // group's commit. Hooks run newest first.
  virtual void OnRollback(absl::AnyInvocable<void()> hook) = 0;

  // True if others wait and this operation's time slice (about 1 ms) is over, or if it has written
  // so much (32 MB) that it should be committed. Cheap enough for every row.
  virtual bool ShouldYield() = 0;
  // Lets the others run. A writing operation's changes so far are committed first; other
  // operations' changes are visible afterwards. Must not be called inside WithSavepoint. Everything
  // read so far may be out of date.
  virtual absl::Status Yield() = 0;
};

}  // namespace mayfly::engine

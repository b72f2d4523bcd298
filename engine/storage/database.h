// A database (one file) and the store of all of them: opening, listing, dropping, and running
// operations.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

enum class Access : uint8_t { kRead, kWrite };
// When a write is answered: after the commit (survives a crash of the process), or after the next
// sync of the log (survives power loss; `j: true`).
enum class Durability : uint8_t { kCommitted, kSynced };
// Foreground operations go before background ones (the purge) for as long as both wait.
enum class Priority : uint8_t { kForeground, kBackground };

struct OperationOptions {
  Access access = Access::kRead;
  Durability durability = Durability::kCommitted;
  Priority priority = Priority::kForeground;
};

struct DatabaseStats {
  int64_t file_bytes = 0;  // database file
  int64_t log_bytes = 0;   // write-ahead log
  int64_t free_bytes = 0;  // inside the file, to be used again
  int64_t commits = 0;     // groups committed since the start
  int64_t operations = 0;  // operations run since the start
  int64_t queued = 0;      // operations waiting now
};

// A thread that serves many clients in turn, such as the network's.
class Deferrer {
 public:
  virtual ~Deferrer() = default;
  // True on that thread.
  virtual bool IsCurrent() const = 0;
  // On that thread: runs `task` there, after what is ready at this moment had its turn.
  virtual void Defer(absl::AnyInvocable<void()> task) = 0;
};

// Runs operations on one database, one at a time. Everything in memory that belongs to the database
// (its catalog) is touched only inside operations and needs no lock.
//
// Operations that wait together are taken together: reads first, then all writes in one
// transaction, each undone alone if it fails, at most kMaxGroupSize in a group; then all are
// answered. Thread-safe.
class Database {
 public:
  using Body = absl::AnyInvocable<absl::Status(Transaction&)>;
  using Done = absl::AnyInvocable<void(absl::Status)>;

  static constexpr int kMaxGroupSize = 1000;
  // Operations waiting at most; one more is refused with kExceededTimeLimit.
  static constexpr int kMaxQueued = 100'000;

  virtual ~Database() = default;
  virtual const std::string& name() const = 0;

  // Runs `body` on a storage thread, then `done` with its status, or with the commit's if that
  // failed, on the same or another thread of the store; `done` must be short. A failed body's
  // writes are undone. An operation that is refused (too many wait, the database was dropped, the
  // store is closed) is answered before Submit returns.
  virtual void Submit(OperationOptions options, Body body, Done done) = 0;
  // Runs the operation on the calling thread if nothing runs or waits; false, with `body` and
  // `done` untouched, if something does. For short operations only: the thread is busy until the
  // end. Never for Durability::kSynced. Without a `deferrer`, `done` is called before this returns.
  // With one, whose thread this must be, operations of several clients that are ready at the same
  // time may be committed together, and `done` of each is called after that, from a deferred task.
  virtual bool TryRunInline(OperationOptions options, Body& body, Done& done,
                            Deferrer* deferrer) = 0;
  // Submit and wait. Never from inside an operation.
  absl::Status Run(OperationOptions options, Body body);

  virtual DatabaseStats Stats() const = 0;
  // Gives up to `pages` free pages back to the file system, as long as more than `keep_bytes` stay
  // free inside the file; returns how many. From inside a background operation.
  virtual absl::StatusOr<int> Vacuum(Transaction& transaction, int pages, int64_t keep_bytes) = 0;
  // Returns after everything committed so far is on disk.
  virtual absl::Status Sync() = 0;
};

struct StoreOptions {
  std::string path = "";  // folder; made if missing; ignored by the memory store
  int sync_interval_ms = 100;
  int max_wal_frames = 16'000;
  int max_open_files = 256;  // databases with open files; more are opened and closed in turns
  const base::Clock* clock = nullptr;  // null: the system's; outlives the store
};

// All databases of a server. Thread-safe.
class Store {
 public:
  virtual ~Store() = default;
  // The open database, opened now if its file exists; null if there is none and `create` is false.
  // Names are compared byte by byte; 13297 DatabaseDifferCase if another one differs only in case.
  enum class IfMissing { kNull, kCreate };
  virtual absl::StatusOr<std::shared_ptr<Database>> Get(std::string_view name,
                                                        IfMissing if_missing) = 0;
  // Sorted. Databases without open files included.
  virtual std::vector<std::string> List() = 0;
  // Removes the database and its files; operations that wait in it fail with
  // 215 DatabaseDropPending. Ok if there is none.
  virtual absl::Status Drop(std::string_view name) = 0;
  // Finishes running operations, syncs and closes; later calls fail with kShutdownInProgress.
  virtual void Close() = 0;
};

// In the SQLite store: 12 UnsupportedFormat with a clear text if a file was written by a newer
// version; 98 DBPathInUse if another process has the folder.
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(const StoreOptions& options);
// Keeps nothing on disk; of the options only the clock matters.
std::unique_ptr<Store> OpenMemoryStore(const StoreOptions& options = {});

}  // namespace mayfly::engine

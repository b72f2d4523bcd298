// Looks after the write-ahead log of one database, away from the threads that commit: syncs it, and
// copies it into the database file so that it can start again from its beginning.
//
// Copying (SQLite: checkpointing) has three parts, because SQLite syncs the database file only when
// it has copied the whole log, and the log only starts again when everything is copied at a moment
// when nobody commits:
//   1. after every quarter of max_frames, a thread in the background copies what there is on a
//      connection of its own and syncs the database file itself;
//   2. when the log has max_frames, it does so three times, so that little is left;
//   3. then the thread that has the leader role copies that little between two groups.
// The same happens when nothing was committed for about a second; then a log that has become longer
// than max_frames is emptied as well.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "engine/storage/backend.h"
#include "engine/storage/database.h"
#include "engine/storage/sqlite/connection.h"
#include "engine/storage/thread_pool.h"

namespace mayfly::engine {

class SyncTimer;

// Thread-safe unless a method says otherwise.
class LogKeeper : public std::enable_shared_from_this<LogKeeper> {
 public:
  struct Setup {
    std::string path;  // of the database file
    int max_frames;
    ThreadPool* threads;
    ThreadPool* copiers;  // for the copying of parts 1 and 2
    SyncTimer* timer;
    // Runs part 3 if the database is idle.
    absl::AnyInvocable<void()> maintain;
  };

  explicit LogKeeper(Setup setup);
  ~LogKeeper();

  // With the leader role:
  absl::Status Open();
  // Returns when no thread works on the files any more.
  void Close(Closing closing);
  // A commit has left `frames` frames in the log.
  void Committed(int frames);
  // Part 3, on the storage connection, without a transaction.
  void FinalCopy(Connection& storage);
  bool final_copy_due() const { return final_due_.load(std::memory_order_relaxed); }

  // Calls each of `waiting` after the next sync: one for all that wait.
  void WhenSynced(std::vector<Database::Done> waiting);
  void AddSizes(DatabaseStats& stats);

  // From the timer, at each interval after a commit; false: not needed any more until the next
  // commit.
  bool Tick();

 private:
  // Ticks without a commit until the log is copied.
  static constexpr int kIdleTicks = 10;
  static constexpr int kRoundsBeforeFinal = 3;

  // Begins work that Close() waits for; false if the files are closed.
  bool BeginJobLocked();
  void EndJob();
  void StartSyncLocked();
  void SyncLoop();
  absl::Status SyncLog();
  void StartCopy();
  // The log's file is longer than it should stay.
  bool IsLong() const;
  // True if part 3 is due.
  bool Copy();
  absl::Status CopyOnHelper(int rounds);
  absl::Status EnsureHelperLocked();

  Setup setup_;
  const int copy_frames_;

  std::atomic<int64_t> committed_{0};  // commits so far
  std::atomic<int64_t> synced_{0};     // of them on disk
  std::atomic<int> frames_{0};
  std::atomic<int> copied_{0};  // frames copied; 0 after the log has started again
  std::atomic<bool> armed_{false};
  std::atomic<bool> copying_{false};  // from part 1 to part 3
  std::atomic<bool> final_due_{false};
  std::atomic<bool> idle_{false};  // copy to the end although the log is short
  std::atomic<bool> empty_due_{false};

  std::mutex mutex_;
  std::condition_variable job_ended_;
  bool open_ = false;
  int jobs_ = 0;
  bool syncing_ = false;
  bool sync_wanted_ = false;
  std::vector<Database::Done> waiting_;

  // Of the one sync at a time.
  int log_file_ = -1;

  // Of the timer.
  int64_t ticked_at_ = 0;
  int idle_ticks_ = 0;

  std::mutex helper_mutex_;
  Connection helper_;
  std::atomic<int64_t> free_bytes_{0};
};

}  // namespace mayfly::engine

// Runs the operations of one database: queue, groups, the leader role and its hand-over. Both
// stores use it; what they differ in is the Backend.
//
// Leader role. At most one thread at a time may touch the database; that right is a token,
// `leader_` below. Whoever submits to an idle database sets it and lets a thread of the pool run
// Lead(), which takes batches from the queue until it is empty and then gives the role up.
// TryRunInline() takes the role on the caller's thread for one operation, or, if the thread serves
// many clients and has found several of them ready lately, until all that are ready now had their
// turn: their writes share a commit, which is the larger part of a small write.
//
// Yield. An operation is plain code on some thread's stack, so it cannot be put aside; instead the
// role moves. Yield() commits the group so far, puts an entry for its own continuation into the
// queue, starts Lead() on a spare thread, and blocks. When a leader reaches that entry it gives the
// role to the blocked thread and goes back to the pool; the operation continues and its thread is
// the leader. The successor is secured before the role is let go (no spare thread: no yield), so
// however many operations have yielded, there is always a thread that runs.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "engine/storage/backend.h"
#include "engine/storage/database.h"
#include "engine/storage/operation.h"
#include "engine/storage/thread_pool.h"
#include "engine/storage/waiting_queue.h"

namespace mayfly::engine {

class OpenFiles;

// Thread-safe.
class Executor final : public Database, public std::enable_shared_from_this<Executor> {
 public:
  // An operation may run so long before it should yield.
  static constexpr int64_t kSliceUs = 1'000;
  // A writing operation should yield, even if nobody waits, when it has written so much: the log
  // cannot start again inside a transaction.
  static constexpr int64_t kWrittenBytesMax = 32 << 20;
  // A background operation that has waited so long goes with the next batch even if foreground
  // operations wait.
  static constexpr int64_t kBackgroundAgeUs = 1'000'000;

  // Operations on a thread that serves many clients are committed when so many have run.
  static constexpr size_t kMaxInlineGroup = 64;
  // After a group of one, so many writes do not wait for company; doubled each time.
  static constexpr int kAloneMin = 4;
  static constexpr int kAloneMax = 64;

  // What is shared by all databases of a store; outlives the executor.
  struct Shared {
    ThreadPool* threads;
    const base::Clock* clock;
    OpenFiles* open_files;
  };

  Executor(std::string name, std::unique_ptr<Backend> backend, Shared shared);
  ~Executor() override;

  const std::string& name() const override { return name_; }
  void Submit(OperationOptions options, Body body, Done done) override;
  bool TryRunInline(OperationOptions options, Body& body, Done& done, Deferrer* deferrer) override;
  DatabaseStats Stats() const override;
  absl::StatusOr<int> Vacuum(Transaction& transaction, int pages, int64_t keep_bytes) override;
  absl::Status Sync() override;

  // Opens the file now instead of at the first operation, to report errors early.
  absl::Status Open();
  // Everything that waits or comes later fails with `reason`, which running operations get from
  // their next Yield(); returns when they have ended and the file is closed. Never from inside an
  // operation.
  void Shut(absl::Status reason, Closing closing);
  // Closes the file if nothing runs or waits; the next operation opens it again. False if it was
  // not idle.
  bool TryCloseFile();
  // If nothing runs or waits, does what the backend has put off until then.
  void TryMaintain();
  // True if an operation ran since the last call.
  bool TakeUsed() { return used_.exchange(false, std::memory_order_relaxed); }

  // For Operation.
  bool ShouldYield(Operation& operation);
  absl::Status Yield(Operation& operation);

 private:
  // The leader role.
  bool TryLead();
  void Lead();
  bool NextBatch();
  void GiveRoleTo(Resume* resume);
  void ReleaseRole();
  absl::Status EnsureOpen();
  void CloseFile(Closing closing);

  // The open group of a thread with a Deferrer. Counts down the writes that wait for nobody.
  bool WantsCompany();
  void FinishInlineGroup();

  void Start(Waiting waiting);
  void FinishReads();
  absl::Status RunRead(OperationOptions options, Body& body);
  void RunWrite(OperationOptions options, Body& body, Done done);
  // Commits what the operations in `group_` wrote and answers them; `yielding` has run in part and
  // is not answered.
  absl::Status CommitGroup(Operation* yielding);
  absl::Status RunBeforeCommit(Hooks& on_commit, Hooks& on_rollback);
  void Answer(std::vector<Finished> finished, const absl::Status& status);
  // Blocks in the queue until a leader gives the role back; false if no other thread could take it.
  bool WaitForTurn(Operation& operation);
  void PublishWaitingLocked();

  const std::string name_;
  const Shared shared_;

  mutable std::mutex mutex_;
  std::condition_variable role_released_;
  WaitingQueue queue_;
  bool leader_ = false;
  absl::Status refusal_;  // why nothing is accepted any more
  // Copies for looking without the mutex.
  std::atomic<size_t> foreground_waiting_{0};
  std::atomic<size_t> background_waiting_{0};
  std::atomic<int64_t> background_since_us_{0};
  std::atomic<bool> refusing_{false};
  std::atomic<bool> used_{false};
  // Whose thread keeps the leader role between operations, because its group is open; null: nobody.
  // Set and cleared by that thread.
  std::atomic<Deferrer*> open_group_of_{nullptr};
  std::atomic<int64_t> commits_{0};
  std::atomic<int64_t> operations_{0};

  // Of the thread that has the leader role.
  std::unique_ptr<Backend> backend_;
  Batch batch_;
  Group group_;
  std::vector<std::pair<Done, absl::Status>> finished_reads_;
  int inline_operations_ = 0;  // in the open group
  int alone_left_ = 0;         // writes that do not wait for company
  int alone_length_ = 0;       // what that was set to last
};

}  // namespace mayfly::engine

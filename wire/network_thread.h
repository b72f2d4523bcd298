// The event loop of the network thread, and the way back to it from other threads.
//
// The loop polls for a short while before it sleeps, if requests come in quick succession: a
// wake-up between two processors costs more than the request. What other threads hand over is
// collected, and wakes the loop once a batch. When nothing is ready at all, it does work that
// others have left for such a moment.
#pragma once

#include <asio/io_context.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/clock.h"

namespace mayfly::wire {

// Something that waits on the network thread.
class Wakeable {
 public:
  virtual ~Wakeable() = default;
  // On the network thread.
  virtual void OnWake() = 0;
};

class NetworkThread {
 public:
  // `spin_us`: how long to poll before sleeping; 0: not at all. `clock` must outlive this.
  NetworkThread(const base::Clock& clock, int spin_us);
  NetworkThread(const NetworkThread&) = delete;
  NetworkThread& operator=(const NetworkThread&) = delete;

  asio::io_context& io() { return io_; }
  // Makes the calling thread the network thread until Stop().
  void Run();
  // Any thread. Run() returns soon; may be called before it.
  void Stop();
  // True on the thread that is inside Run().
  bool IsCurrent() const {
    return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  // Any thread. `target->OnWake()` will be called.
  void Wake(std::shared_ptr<Wakeable> target);
  // Network thread. `task` runs after what is ready now had its turn; when Run() ends, in any case.
  void Defer(absl::AnyInvocable<void()> task);
  // Any thread. `task`, which must be short, runs once when nothing is ready. False, with `task`
  // untouched, if another one is left already or nobody is inside Run(). Whoever leaves one runs at
  // the latest when Run() ends.
  bool RunWhenIdle(absl::AnyInvocable<void()>& task);
  // Any thread. What was left for an idle moment has its turn now, among what is ready.
  void HurryIdleTask();
  // Any thread. For how long nothing was ready so far, and no task ran that was left for then.
  int64_t IdleUs() const { return idle_us_.load(std::memory_order_relaxed); }
  // Network thread, for every request: what the decision to poll is based on.
  void NoteRequest() {
    ++requests_;
    if (sleeping_) NoteWake();
  }

 private:
  void DeliverWakes();
  void RunDeferred();
  bool KeepSpinning(int64_t now_us);
  void Sleep();
  void NoteWake();
  void EndIdle();
  void RunIdleTask();

  const base::Clock& clock_;
  const int64_t spin_us_;
  asio::io_context io_{1};
  std::atomic<bool> stopped_{false};
  std::atomic<std::thread::id> thread_{};

  std::mutex mutex_;
  std::vector<std::shared_ptr<Wakeable>> wakes_;  // guarded by mutex_
  std::vector<std::shared_ptr<Wakeable>> waking_;
  std::vector<absl::AnyInvocable<void()>> deferred_;
  std::vector<absl::AnyInvocable<void()>> running_deferred_;

  absl::AnyInvocable<void()> idle_task_;    // guarded by mutex_
  bool takes_idle_tasks_ = false;           // guarded by mutex_
  std::atomic<bool> has_idle_task_{false};  // a copy, for looking without the mutex
  std::atomic<int64_t> idle_us_{0};

  uint64_t requests_ = 0;
  uint64_t requests_seen_ = 0;
  int64_t last_request_us_ = 0;
  int64_t idle_since_us_ = -1;  // -1: not idle
  int64_t idle_until_us_ = 0;   // when it was last seen to be so
  bool sleeping_ = false;       // and nothing has come since
  bool busy_ = false;           // the last two requests were less than a millisecond apart
};

}  // namespace mayfly::wire

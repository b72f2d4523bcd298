// Threads for storage work: started when there is work, ended when there is none for a while, never
// more than a bound. Shared by all databases of a store, so that a database without traffic has no
// thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace mayfly::engine {

// Thread-safe.
class ThreadPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  struct Options {
    int threads_max = 64;
    int idle_ms = 10'000;  // a thread without work for so long ends
    int niceness = 0;      // above 0: other threads go first, as far as the system lets them
  };

  explicit ThreadPool(Options options) : options_(options) {}
  // Close().
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `task` as soon as a thread is free. After Close() the task is run by the caller, before
  // this returns.
  void Schedule(Task task);
  // Runs `task` now, on an idle thread or a new one; false (and `task` untouched) if the bound does
  // not allow that.
  bool TryStart(Task& task);
  // Runs what was scheduled, then ends all threads.
  void Close();

  int threads() const;

 private:
  void Work();
  bool CanStartLocked() const;
  void AddLocked(Task task);
  void JoinEndedLocked();

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable work_or_close_;
  std::condition_variable thread_ended_;
  std::deque<Task> tasks_;
  int threads_ = 0;
  int idle_ = 0;  // waiting in Work(), those already notified included
  bool closed_ = false;
  std::vector<std::thread> running_;
  std::vector<std::thread::id> ended_;
};

}  // namespace mayfly::engine

// Threads for commands that may block or take long.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "commands/services.h"

namespace mayfly::server {

// Thread-safe. Threads are started when work first comes, so that a server at rest has none.
class WorkerPool : public commands::WorkerPool {
 public:
  WorkerPool(size_t max_threads, size_t max_queued)
      : max_threads_(max_threads), max_queued_(max_queued) {}
  // Stop().
  ~WorkerPool() override;

  bool Submit(absl::AnyInvocable<void()> work) override;
  // Takes no more, runs what is queued, waits for it.
  void Stop();

 private:
  void Work();

  const size_t max_threads_;
  const size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<absl::AnyInvocable<void()>> queue_;
  std::vector<std::thread> threads_;
  size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace mayfly::server

// Waiting that can be ended: for clients that keep a pace and for looks at a counter.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace mayfly::bench {

// Thread-safe.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  // False if it was ended.
  bool WaitUntil(Clock::time_point moment) {
    std::unique_lock lock(mutex_);
    return !ended_.wait_until(lock, moment, [this] { return is_ended_; });
  }
  bool WaitFor(std::chrono::duration<double> time) {
    return WaitUntil(Clock::now() + std::chrono::duration_cast<Clock::duration>(time));
  }
  void End() {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
    ended_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
};

}  // namespace mayfly::bench

// Wakes the log keepers of databases with new commits once an interval. One thread for the store,
// started by the first commit; it sleeps for as long as nothing is committed anywhere.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace mayfly::engine {

class LogKeeper;

// Thread-safe.
class SyncTimer {
 public:
  explicit SyncTimer(int interval_ms) : interval_ms_(interval_ms) {}
  ~SyncTimer() { Close(); }
  SyncTimer(const SyncTimer&) = delete;
  SyncTimer& operator=(const SyncTimer&) = delete;

  // `keeper` gets a Tick() after each interval until it returns false.
  void Arm(std::shared_ptr<LogKeeper> keeper);
  // No Tick() runs afterwards.
  void Close();

 private:
  void Run();

  const int interval_ms_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<LogKeeper>> armed_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace mayfly::engine

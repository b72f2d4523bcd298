#include "engine/storage/sqlite/sync_timer.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "engine/storage/sqlite/log_keeper.h"

namespace mayfly::engine {

void SyncTimer::Arm(std::shared_ptr<LogKeeper> keeper) {
  std::lock_guard lock(mutex_);
  if (closed_) return;
  armed_.push_back(std::move(keeper));
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
}

void SyncTimer::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !armed_.empty(); });
    changed_.wait_for(lock, std::chrono::milliseconds(interval_ms_), [&] { return closed_; });
    if (closed_) return;
    std::vector<std::shared_ptr<LogKeeper>> due = std::exchange(armed_, {});
    lock.unlock();
    std::erase_if(due, [](const auto& keeper) { return !keeper->Tick(); });
    lock.lock();
    std::move(due.begin(), due.end(), std::back_inserter(armed_));
  }
}

void SyncTimer::Close() {
  std::thread thread;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    armed_.clear();
    changed_.notify_all();
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

}  // namespace mayfly::engine

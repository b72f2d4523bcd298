#include "engine/storage/thread_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace mayfly::engine {

ThreadPool::~ThreadPool() { Close(); }

void ThreadPool::Schedule(Task task) {
  {
    std::lock_guard lock(mutex_);
    if (!closed_) {
      AddLocked(std::move(task));
      return;
    }
  }
  task();
}

bool ThreadPool::TryStart(Task& task) {
  std::lock_guard lock(mutex_);
  if (closed_ || !CanStartLocked()) return false;
  AddLocked(std::move(task));
  return true;
}

bool ThreadPool::CanStartLocked() const {
  return idle_ > static_cast<int>(tasks_.size()) || threads_ < options_.threads_max;
}

void ThreadPool::AddLocked(Task task) {
  tasks_.push_back(std::move(task));
  if (idle_ < static_cast<int>(tasks_.size()) && threads_ < options_.threads_max) {
    JoinEndedLocked();
    ++threads_;
    running_.emplace_back([this] { Work(); });
  } else {
    work_or_close_.notify_one();
  }
}

void ThreadPool::JoinEndedLocked() {
  for (std::thread::id id : ended_) {
    auto it = std::find_if(running_.begin(), running_.end(),
                           [id](const std::thread& thread) { return thread.get_id() == id; });
    // The thread gave up the mutex as its last act, so this does not wait for work.
    it->join();
    running_.erase(it);
  }
  ended_.clear();
}

void ThreadPool::Work() {
  // Of this thread alone; not being so nice is no error.
  if (options_.niceness > 0) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), options_.niceness);
  }
  std::unique_lock lock(mutex_);
  for (;;) {
    if (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
      continue;
    }
    if (closed_) break;
    ++idle_;
    const bool in_time = work_or_close_.wait_for(lock, std::chrono::milliseconds(options_.idle_ms),
                                                 [&] { return !tasks_.empty() || closed_; });
    --idle_;
    if (!in_time) break;
  }
  --threads_;
  ended_.push_back(std::this_thread::get_id());
  thread_ended_.notify_all();
}

void ThreadPool::Close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  work_or_close_.notify_all();
  thread_ended_.wait(lock, [&] { return threads_ == 0; });
  JoinEndedLocked();
}

int ThreadPool::threads() const {
  std::lock_guard lock(mutex_);
  return threads_;
}

}  // namespace mayfly::engine

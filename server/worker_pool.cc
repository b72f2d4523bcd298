#include "server/worker_pool.h"

#include <utility>

namespace mayfly::server {

WorkerPool::~WorkerPool() { Stop(); }

bool WorkerPool::Submit(absl::AnyInvocable<void()> work) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || queue_.size() >= max_queued_) return false;
  queue_.push_back(std::move(work));
  if (idle_ < queue_.size() && threads_.size() < max_threads_)
    threads_.emplace_back([this] { Work(); });
  wake_.notify_one();
  return true;
}

void WorkerPool::Stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    absl::AnyInvocable<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace mayfly::server

#include "wire/network_thread.h"

#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <utility>

namespace mayfly::wire {
namespace {

// Requests further apart than this are not worth polling for.
constexpr int64_t kBusyGapUs = 1000;

}  // namespace

NetworkThread::NetworkThread(const base::Clock& clock, int spin_us)
    : clock_(clock), spin_us_(spin_us) {}

void NetworkThread::Run() {
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    takes_idle_tasks_ = true;
  }
  const auto work = asio::make_work_guard(io_);
  while (!stopped_.load(std::memory_order_acquire)) {
    if (io_.poll() > 0) {
      EndIdle();
      continue;
    }
    idle_until_us_ = clock_.MonotonicUs();
    if (idle_since_us_ < 0) idle_since_us_ = idle_until_us_;
    if (has_idle_task_.load(std::memory_order_relaxed)) {
      EndIdle();
      RunIdleTask();
    } else if (spin_us_ == 0 || !KeepSpinning(idle_until_us_)) {
      Sleep();
    }
  }
  while (!deferred_.empty()) RunDeferred();
  {
    const std::lock_guard lock(mutex_);
    takes_idle_tasks_ = false;
  }
  RunIdleTask();
  thread_.store(std::thread::id(), std::memory_order_relaxed);
}

void NetworkThread::Sleep() {
  sleeping_ = true;
  io_.run_one();
  if (sleeping_) NoteWake();
  EndIdle();
}

void NetworkThread::NoteWake() {
  sleeping_ = false;
  idle_until_us_ = clock_.MonotonicUs();
}

void NetworkThread::EndIdle() {
  if (idle_since_us_ < 0) return;
  const int64_t idle_us = idle_us_.load(std::memory_order_relaxed);
  idle_us_.store(idle_us + idle_until_us_ - idle_since_us_, std::memory_order_relaxed);
  idle_since_us_ = -1;
}

bool NetworkThread::RunWhenIdle(absl::AnyInvocable<void()>& task) {
  {
    const std::lock_guard lock(mutex_);
    if (!takes_idle_tasks_ || idle_task_) return false;
    idle_task_ = std::move(task);
    has_idle_task_.store(true, std::memory_order_relaxed);
  }
  asio::post(io_, [] {});  // in case it sleeps
  return true;
}

void NetworkThread::HurryIdleTask() {
  asio::post(io_, [this] { RunIdleTask(); });
}

void NetworkThread::RunIdleTask() {
  absl::AnyInvocable<void()> task;
  {
    const std::lock_guard lock(mutex_);
    task = std::exchange(idle_task_, nullptr);
    has_idle_task_.store(false, std::memory_order_relaxed);
  }
  if (task) task();
}

void NetworkThread::Stop() {
  stopped_.store(true, std::memory_order_release);
  asio::post(io_, [] {});
}

// Called when there is nothing to do.
bool NetworkThread::KeepSpinning(int64_t now_us) {
  if (requests_ != requests_seen_) {
    busy_ = now_us - last_request_us_ < kBusyGapUs;
    requests_seen_ = requests_;
    last_request_us_ = now_us;
  }
  return busy_ && now_us - idle_since_us_ < spin_us_ && now_us - last_request_us_ < kBusyGapUs;
}

void NetworkThread::Wake(std::shared_ptr<Wakeable> target) {
  bool first;
  {
    const std::lock_guard lock(mutex_);
    first = wakes_.empty();
    wakes_.push_back(std::move(target));
  }
  if (first) asio::post(io_, [this] { DeliverWakes(); });
}

void NetworkThread::Defer(absl::AnyInvocable<void()> task) {
  deferred_.push_back(std::move(task));
  // Behind all handlers that are ready.
  if (deferred_.size() == 1) asio::post(io_, [this] { RunDeferred(); });
}

void NetworkThread::RunDeferred() {
  running_deferred_.swap(deferred_);
  for (auto& task : running_deferred_) task();
  running_deferred_.clear();
}

void NetworkThread::DeliverWakes() {
  {
    const std::lock_guard lock(mutex_);
    waking_.swap(wakes_);
  }
  for (const auto& target : waking_) target->OnWake();
  waking_.clear();
}

}  // namespace mayfly::wire

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
  const auto work = asio::make_work_guard(io_);
  while (!stopped_.load(std::memory_order_acquire)) {
    if (io_.poll() > 0) {
      idle_since_us_ = -1;
      continue;
    }
    if (spin_us_ > 0 && KeepSpinning()) continue;
    idle_since_us_ = -1;
    io_.run_one();
  }
  while (!deferred_.empty()) RunDeferred();
  thread_.store(std::thread::id(), std::memory_order_relaxed);
}

void NetworkThread::Stop() {
  stopped_.store(true, std::memory_order_release);
  asio::post(io_, [] {});
}

// Called when there is nothing to do. Looks at the clock only then.
bool NetworkThread::KeepSpinning() {
  const int64_t now_us = clock_.MonotonicUs();
  if (requests_ != requests_seen_) {
    busy_ = now_us - last_request_us_ < kBusyGapUs;
    requests_seen_ = requests_;
    last_request_us_ = now_us;
  }
  if (idle_since_us_ < 0) idle_since_us_ = now_us;
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

#include "base/clock.h"

#include <time.h>

namespace mayfly::base {
namespace {

timespec Read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return t;
}

}  // namespace

int64_t SystemClock::NowMs() const {
  const timespec t = Read(CLOCK_REALTIME);
  return static_cast<int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000 + advanced_ms() +
         jumped_ms_.load(std::memory_order_relaxed);
}

int64_t SystemClock::MonotonicUs() const {
  const timespec t = Read(CLOCK_MONOTONIC);
  return static_cast<int64_t>(t.tv_sec) * 1'000'000 + t.tv_nsec / 1000;
}

int64_t SystemClock::SinceBootMs() const {
  const timespec t = Read(CLOCK_BOOTTIME);
  return static_cast<int64_t>(t.tv_sec) * 1000 + t.tv_nsec / 1'000'000 + advanced_ms();
}

void SystemClock::AdvanceMs(int64_t delta_ms) {
  advanced_ms_.fetch_add(delta_ms, std::memory_order_relaxed);
}

void SystemClock::JumpMs(int64_t delta_ms) {
  jumped_ms_.fetch_add(delta_ms, std::memory_order_relaxed);
}

}  // namespace mayfly::base

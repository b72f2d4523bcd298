// Time as an injected dependency. The operating system's clock is asked only in clock.cc.
#pragma once

#include <atomic>
#include <cstdint>

namespace mayfly::base {

// Thread-safe. One instance is made by server/ and handed down; tests make a ManualClock.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall clock: milliseconds since 1970-01-01 UTC. May jump.
  virtual int64_t NowMs() const = 0;
  // Microseconds since an arbitrary start, never backwards, stops while the machine is suspended.
  // For latencies.
  virtual int64_t MonotonicUs() const = 0;
  // Milliseconds since boot including suspension, never backwards. For telling a jump of NowMs()
  // from passing time.
  virtual int64_t SinceBootMs() const = 0;
};

// The operating system's clocks, plus offsets that tests with --enableTestCommands may move.
class SystemClock : public Clock {
 public:
  int64_t NowMs() const override;
  int64_t MonotonicUs() const override;
  int64_t SinceBootMs() const override;
  // Moves NowMs() and SinceBootMs() forward by `delta_ms` >= 0; MonotonicUs() stays real.
  void AdvanceMs(int64_t delta_ms);
  // Moves NowMs() alone, in either direction, as if the clock had been set.
  void JumpMs(int64_t delta_ms);
  // The sum of all AdvanceMs().
  int64_t advanced_ms() const { return advanced_ms_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> advanced_ms_{0};
  std::atomic<int64_t> jumped_ms_{0};
};

// Stands still until told otherwise.
class ManualClock : public Clock {
 public:
  explicit ManualClock(int64_t now_ms) : ahead_ms_(now_ms - 1) {}
  int64_t NowMs() const override { return elapsed_ms_.load() + ahead_ms_.load(); }
  int64_t MonotonicUs() const override { return elapsed_ms_.load() * 1000; }
  int64_t SinceBootMs() const override { return elapsed_ms_.load(); }
  // Time passes: all three move, at once.
  void AdvanceMs(int64_t delta_ms) { elapsed_ms_ += delta_ms; }
  // The wall clock alone jumps.
  void JumpToMs(int64_t now_ms) { ahead_ms_ = now_ms - elapsed_ms_.load(); }

 private:
  std::atomic<int64_t> ahead_ms_;  // of the time since boot
  std::atomic<int64_t> elapsed_ms_{1};
};

}  // namespace mayfly::base

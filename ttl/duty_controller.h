// How much of the time the purge may use. It takes all that nobody else wants. While clients work
// it takes a part of what their thread has left, so that a burst finds room, and no more than they
// do not notice: their latencies are compared with their own from times without removal.
#pragma once

#include <cstdint>

#include "ttl/foreground_meter.h"

namespace mayfly::ttl {

// Not thread-safe.
class DutyController {
 public:
  static constexpr double kMinDuty = 0.05;
  // Not less than this when much is due or has been due for long, so that removal cannot starve.
  static constexpr double kMinDutyUnderPressure = 0.15;
  static constexpr int64_t kMaxLagMs = 10 * 60'000;
  static constexpr int64_t kMinSliceUs = 500;
  static constexpr int64_t kMaxSliceUs = 1'000;
  // Latencies of fewer commands say nothing.
  static constexpr int64_t kMinCommands = 50;
  // A comparison from so long ago is renewed by a window without removal.
  static constexpr int64_t kBaselineAgeUs = 30'000'000;

  // What clients did from one look at them to the next.
  struct Window {
    LatencyCounts latencies{};
    bool removal = false;  // some was done meanwhile
    double spare = 1;      // share of the time that the clients' thread did not need
    int64_t now_us = 0;    // at its end
  };

  void OnWindow(const Window& window);
  // `lag_ms`: how long the oldest of what is due has been so; `many`: a large part of a collection
  // is due.
  void OnBacklog(int64_t lag_ms, bool many);

  // Clients send so much that their thread would be kept from them by any other.
  bool busy() const { return busy_; }
  bool under_pressure() const { return pressure_; }
  // A share of the time, above 0 up to 1.
  double duty() const;
  // How long a slice should take.
  int64_t slice_us() const { return busy_ ? kMinSliceUs : kMaxSliceUs; }
  // How long to leave the store alone after a slice of `elapsed_us`.
  int64_t PauseUs(int64_t elapsed_us) const;
  // Clients are busy, and it is not known how they fare without removal: there should be a window
  // without.
  bool WantsQuietWindow(int64_t now_us) const;

 private:
  double floor() const;

  bool busy_ = false;
  double duty_ = kMinDutyUnderPressure;
  double spare_ = 1;
  bool pressure_ = false;
  bool has_baseline_ = false;
  int64_t baseline_us_ = 0;  // when it was taken last
  double median_us_ = 0;     // of windows without removal
  double p99_us_ = 0;
};

}  // namespace mayfly::ttl

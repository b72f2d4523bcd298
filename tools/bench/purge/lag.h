// From due to hidden and to removed, on a server with nothing else to do: documents that expire one
// after the other in real time.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "tools/bench/histogram.h"

namespace mayfly::bench {

struct LagPlan {
  std::string uri;
  int per_second = 1000;
  int seconds = 3;
};

struct Lag {
  int64_t documents = 0;
  // Finds of a document sent after it was surely due, and how many of them still saw it: 0, or it
  // is a fault.
  int64_t looks = 0;
  int64_t seen_too_late = 0;
  // From the moment at which the k-th document was due to that at which k were seen to be removed.
  Histogram removed;
};

// The removal.
absl::StatusOr<Lag> MeasureLag(const LagPlan& plan);
// The hiding, after MeasureLag: adds to `lag`.
absl::Status MeasureHiding(const std::string& uri, Lag* lag);

}  // namespace mayfly::bench

// Many documents that are due in the same second, removed by the server: alone, and beside clients.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "tools/bench/purge/foreground.h"

namespace mayfly::bench {

struct RemovalPlan {
  std::string uri;
  int64_t documents = 10'000;
  int indexes = 0;  // secondary ones, on random values
  int clients = 8;
  double rate = 0;     // of the foreground, requests a second
  double seconds = 2;  // of the foreground without removal
  double timeout_seconds = 600;
};

struct Removal {
  double seconds = 0;        // from the first document to the last of its index entries
  double first_seconds = 0;  // from the moment to the first
  double rate = 0;           // documents a second, with their index entries
  double slowest_rate = 0;   // of any whole second; the rate itself if it took less
  std::optional<ForegroundResult> foreground;  // while it ran
};

// Documents that nobody else looks at.
absl::StatusOr<Removal> MeasureRemoval(const RemovalPlan& plan);
// The same beside the foreground.
absl::StatusOr<Removal> MeasureRemovalUnderLoad(const RemovalPlan& plan);
// The foreground alone.
absl::StatusOr<ForegroundResult> MeasureForeground(const RemovalPlan& plan);

}  // namespace mayfly::bench

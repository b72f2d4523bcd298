// Requests at a steady rate, as clients of a busy service send them: finds by `_id`, inserts and
// updates of one collection. A request that waits for the one before it counts from the moment at
// which it was due, so a stall shows in all that it delays.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.h"
#include "tools/bench/histogram.h"
#include "tools/bench/purge/pacer.h"

namespace mayfly::bench {

enum class Kind { kFind, kInsert, kUpdate };
inline constexpr std::array<std::string_view, 3> kKindNames = {"find", "insert", "update"};

struct ForegroundResult {
  std::array<Histogram, kKindNames.size()> latencies;  // by Kind
  int64_t requests = 0;
  double seconds = 0;

  void Merge(const ForegroundResult& other);
};

struct ForegroundPlan {
  std::string uri;
  int clients = 8;
  double rate = 0;  // requests a second of all clients; 0: as many as they can
};

// Makes the collection that the requests go to.
absl::Status PrepareForeground(const std::string& uri);

// Runs from construction to Stop().
class Foreground {
 public:
  explicit Foreground(const ForegroundPlan& plan);
  ~Foreground();

  // Only requests that are due while it is on are counted; at first it is off.
  void Record(bool on);
  // Ends it. Error: the first one that any client had.
  absl::StatusOr<ForegroundResult> Stop();

 private:
  struct Part;

  void Loop(Part& part);

  const ForegroundPlan plan_;
  Pacer pacer_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> recording_{false};
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<std::thread> threads_;
};

// The rate of all clients together when nothing holds them back, over `seconds`.
absl::StatusOr<double> MeasurePeak(const std::string& uri, int clients, double seconds);

}  // namespace mayfly::bench

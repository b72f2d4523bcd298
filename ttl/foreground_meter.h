// How long clients' commands take, as a histogram that costs one increment for each command.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mayfly::ttl {

// Buckets of latencies: eight for each power of two, so a percentile is right to an eighth.
using LatencyCounts = std::array<int64_t, 256>;

int LatencyBucket(int64_t us);
// The latency below which `share` (0 to 1) of the counted commands were; 0 if there are none.
int64_t LatencyAt(const LatencyCounts& counts, double share);
int64_t TotalOf(const LatencyCounts& counts);

// Thread-safe.
class ForegroundMeter {
 public:
  void Record(int64_t us) {
    buckets_[static_cast<size_t>(LatencyBucket(us))].fetch_add(1, std::memory_order_relaxed);
  }
  // All since the start.
  LatencyCounts Read() const;

 private:
  std::array<std::atomic<int64_t>, std::tuple_size_v<LatencyCounts>> buckets_{};
};

}  // namespace mayfly::ttl

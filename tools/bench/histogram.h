// Latencies in buckets of about 3 % width, from 1 ns to an hour; constant memory, no allocation
// while recording. Not thread-safe: each client has its own, merged when they have stopped.
#pragma once

#include <array>
#include <cstdint>

namespace mayfly::bench {

class Histogram {
 public:
  void Record(int64_t nanoseconds);
  void Merge(const Histogram& other);

  int64_t count() const { return count_; }
  int64_t max() const { return max_; }
  // The latency which the share `quantile` (0 to 1) of all recorded ones does not exceed, in
  // nanoseconds; 0 when nothing was recorded.
  int64_t Quantile(double quantile) const;

 private:
  // Each power of two is cut into 32 parts.
  static constexpr int kPartBits = 5;
  static constexpr int kBuckets = 42 << kPartBits;

  static int BucketOf(int64_t nanoseconds);
  static int64_t UpperBound(int bucket);

  std::array<int64_t, kBuckets> buckets_{};
  int64_t count_ = 0;
  int64_t max_ = 0;
};

}  // namespace mayfly::bench

#include "ttl/foreground_meter.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace mayfly::ttl {
namespace {

constexpr int kStepBits = 3;

// The lowest latency of a bucket.
int64_t BucketStart(int bucket) {
  constexpr int kSteps = 1 << kStepBits;
  if (bucket < kSteps) return bucket;
  const int shift = bucket / kSteps - 1;
  return static_cast<int64_t>(kSteps + bucket % kSteps) << shift;
}

}  // namespace

int LatencyBucket(int64_t us) {
  const auto value = static_cast<uint64_t>(std::max<int64_t>(us, 0));
  if (value < (1u << kStepBits)) return static_cast<int>(value);
  const int shift = static_cast<int>(std::bit_width(value)) - 1 - kStepBits;
  const int bucket = ((shift + 1) << kStepBits) + static_cast<int>((value >> shift) & 7);
  return std::min(bucket, static_cast<int>(std::tuple_size_v<LatencyCounts>) - 1);
}

int64_t TotalOf(const LatencyCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

int64_t LatencyAt(const LatencyCounts& counts, double share) {
  const int64_t total = TotalOf(counts);
  if (total == 0) return 0;
  const auto wanted = static_cast<int64_t>(static_cast<double>(total) * share);
  int64_t seen = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (seen + counts[i] > wanted || seen + counts[i] == total) {
      // In between the bucket's ends, by how far the wanted one is into it.
      const int64_t low = BucketStart(static_cast<int>(i));
      const int64_t high = BucketStart(static_cast<int>(i) + 1);
      return low + (high - low) * std::min(wanted - seen, counts[i]) / counts[i];
    }
    seen += counts[i];
  }
  return 0;
}

LatencyCounts ForegroundMeter::Read() const {
  LatencyCounts counts;
  for (size_t i = 0; i < counts.size(); ++i) {
    counts[i] = buckets_[i].load(std::memory_order_relaxed);
  }
  return counts;
}

}  // namespace mayfly::ttl

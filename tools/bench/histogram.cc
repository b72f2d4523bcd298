#include "tools/bench/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mayfly::bench {

int Histogram::BucketOf(int64_t nanoseconds) {
  const uint64_t value = static_cast<uint64_t>(std::max<int64_t>(nanoseconds, 0));
  if (value < (1u << kPartBits)) return static_cast<int>(value);
  const int shift = std::bit_width(value) - 1 - kPartBits;
  const int part = static_cast<int>(value >> shift) & ((1 << kPartBits) - 1);
  return std::min(((shift + 1) << kPartBits) + part, kBuckets - 1);
}

int64_t Histogram::UpperBound(int bucket) {
  if (bucket < (1 << kPartBits)) return bucket;
  const int shift = (bucket >> kPartBits) - 1;
  const int64_t part = (bucket & ((1 << kPartBits) - 1)) + (1 << kPartBits);
  return ((part + 1) << shift) - 1;
}

void Histogram::Record(int64_t nanoseconds) {
  ++buckets_[static_cast<size_t>(BucketOf(nanoseconds))];
  ++count_;
  max_ = std::max(max_, nanoseconds);
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

int64_t Histogram::Quantile(double quantile) const {
  const auto rank = static_cast<int64_t>(std::ceil(quantile * static_cast<double>(count_)));
  int64_t seen = 0;
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    seen += buckets_[static_cast<size_t>(bucket)];
    if (seen >= rank && seen > 0) return std::min(UpperBound(bucket), max_);
  }
  return max_;
}

}  // namespace mayfly::bench

// Standard deviation in one pass.
#pragma once

#include <cmath>
#include <cstdint>

#include "bson/value.h"

namespace mayfly::engine {

// Welford's method.
class StdDev {
 public:
  enum class Kind { kPopulation, kSample };

  void Add(double v) {
    ++count_;
    double delta = v - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (v - mean_);
  }
  // Null if there are too few values, or one of them was infinite or NaN.
  bson::Value Result(Kind kind) const {
    const int64_t divisor = kind == Kind::kPopulation ? count_ : count_ - 1;
    if (divisor <= 0 || !std::isfinite(squares_)) return bson::Value::Null();
    return bson::Value::Double(std::sqrt(squares_ / static_cast<double>(divisor)));
  }

 private:
  int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

}  // namespace mayfly::engine

// Series of preferred numbers, for $bucketAuto's `granularity`.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace mayfly::engine {

// A series of numbers of all magnitudes: the given ones times any power of ten, or the powers of
// two.
class Granularity {
 public:
  // "R5" ... "R80", "E6" ... "E192", "1-2-5", "POWERSOF2".
  static std::optional<Granularity> Find(std::string_view name);
  // The lowest number of the series above `v`, and the highest below it. `v` must be positive.
  double Above(double v) const;
  double Below(double v) const;
  bool IsPowersOfTwo() const { return series_.empty(); }

 private:
  explicit Granularity(std::vector<double> series) : series_(std::move(series)) {}
  std::vector<double> series_;  // between 1 (or 10, 100) and ten times that; empty: powers of two
};

}  // namespace mayfly::engine

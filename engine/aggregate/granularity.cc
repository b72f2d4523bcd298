#include "engine/aggregate/granularity.h"

#include <cmath>
#include <utility>

namespace mayfly::engine {
namespace {

// The E and R series are rounded roots of ten; those that the standards round otherwise are written
// out.
std::vector<double> Roots(int count, double scale) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i)
    out.push_back(std::round(std::pow(10.0, static_cast<double>(i) / count) * scale));
  return out;
}

std::vector<double> E192() {
  std::vector<double> out = Roots(192, 100);
  constexpr int kNineTwenty = 185;  // 9.19 by calculation, 9.20 in the standard
  out[kNineTwenty] = 920;
  return out;
}

std::vector<double> EveryNth(const std::vector<double>& series, size_t n) {
  std::vector<double> out;
  for (size_t i = 0; i < series.size(); i += n) out.push_back(series[i]);
  return out;
}

const std::vector<double>& R80() {
  static const auto* const series = new std::vector<double>{
      1.00, 1.03, 1.06, 1.09, 1.12, 1.15, 1.18, 1.22, 1.25, 1.28, 1.32, 1.36, 1.40, 1.45,
      1.50, 1.55, 1.60, 1.65, 1.70, 1.75, 1.80, 1.85, 1.90, 1.95, 2.00, 2.06, 2.12, 2.18,
      2.24, 2.30, 2.36, 2.43, 2.50, 2.58, 2.65, 2.72, 2.80, 2.90, 3.00, 3.07, 3.15, 3.25,
      3.35, 3.45, 3.55, 3.65, 3.75, 3.87, 4.00, 4.12, 4.25, 4.37, 4.50, 4.62, 4.75, 4.87,
      5.00, 5.15, 5.30, 5.45, 5.60, 5.80, 6.00, 6.15, 6.30, 6.50, 6.70, 6.90, 7.10, 7.30,
      7.50, 7.75, 8.00, 8.25, 8.50, 8.75, 9.00, 9.25, 9.50, 9.75};
  return *series;
}

const std::vector<double>& E24() {
  static const auto* const series =
      new std::vector<double>{1.0, 1.1, 1.2, 1.3, 1.5, 1.6, 1.8, 2.0, 2.2, 2.4, 2.7, 3.0,
                              3.3, 3.6, 3.9, 4.3, 4.7, 5.1, 5.6, 6.2, 6.8, 7.5, 8.2, 9.1};
  return *series;
}

}  // namespace

std::optional<Granularity> Granularity::Find(std::string_view name) {
  if (name == "POWERSOF2") return Granularity({});
  if (name == "1-2-5") return Granularity({1, 2, 5});
  if (name == "R80") return Granularity(R80());
  if (name == "R40") return Granularity(EveryNth(R80(), 2));
  if (name == "R20") return Granularity(EveryNth(R80(), 4));
  if (name == "R10") return Granularity(EveryNth(R80(), 8));
  if (name == "R5") return Granularity(EveryNth(R80(), 16));
  if (name == "E24") return Granularity(E24());
  if (name == "E12") return Granularity(EveryNth(E24(), 2));
  if (name == "E6") return Granularity(EveryNth(E24(), 4));
  if (name == "E192") return Granularity(E192());
  if (name == "E96") return Granularity(EveryNth(E192(), 2));
  if (name == "E48") return Granularity(EveryNth(E192(), 4));
  return std::nullopt;
}

double Granularity::Above(double v) const {
  if (series_.empty()) {
    return std::exp2(std::floor(std::log2(v)) + 1);
  }
  double multiplier = 1;
  while (series_.front() * multiplier > v) multiplier /= 10;
  while (series_.back() * multiplier <= v) {
    const double next = series_.front() * multiplier * 10;
    if (next > v) return next;
    multiplier *= 10;
  }
  for (double step : series_) {
    if (step * multiplier > v) return step * multiplier;
  }
  return series_.front() * multiplier * 10;
}

double Granularity::Below(double v) const {
  if (series_.empty()) {
    return std::exp2(std::ceil(std::log2(v)) - 1);
  }
  double multiplier = 1;
  while (series_.front() * multiplier >= v) multiplier /= 10;
  while (series_.front() * multiplier * 10 < v) multiplier *= 10;
  double best = series_.front() * multiplier;
  for (double step : series_) {
    if (step * multiplier < v) best = step * multiplier;
  }
  return best;
}

}  // namespace mayfly::engine

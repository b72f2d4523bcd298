#include "ttl/duty_controller.h"

#include <algorithm>

namespace mayfly::ttl {
namespace {

// By how much latencies may grow; the absolute part keeps noise at small figures out.
constexpr double kMedianRatio = 1.2;
constexpr double kMedianSlackUs = 10;
constexpr double kP99Ratio = 1.2;
constexpr double kP99SlackUs = 300;
constexpr double kDown = 0.7;
constexpr double kUp = 0.05;
// Of what the clients' thread does not need.
constexpr double kOfSpare = 0.4;
// Weight of the newest window in the figures without removal.
constexpr double kNewest = 0.3;

bool Exceeds(double now, double usual, double ratio, double slack) {
  return now > usual * ratio && now > usual + slack;
}

}  // namespace

void DutyController::OnWindow(const Window& window) {
  busy_ = TotalOf(window.latencies) >= kMinCommands;
  if (!busy_) return;
  spare_ = window.spare;
  const auto median = static_cast<double>(LatencyAt(window.latencies, 0.5));
  const auto p99 = static_cast<double>(LatencyAt(window.latencies, 0.99));
  if (!window.removal) {
    const double weight = has_baseline_ ? kNewest : 1;
    median_us_ += (median - median_us_) * weight;
    p99_us_ += (p99 - p99_us_) * weight;
    has_baseline_ = true;
    baseline_us_ = window.now_us;
    return;
  }
  if (!has_baseline_) return;
  const bool noticed = Exceeds(median, median_us_, kMedianRatio, kMedianSlackUs) ||
                       Exceeds(p99, p99_us_, kP99Ratio, kP99SlackUs);
  duty_ = std::clamp(noticed ? duty_ * kDown : duty_ + kUp, kMinDuty, 1.0);
}

void DutyController::OnBacklog(int64_t lag_ms, bool many) {
  pressure_ = many || lag_ms > kMaxLagMs;
}

double DutyController::floor() const { return pressure_ ? kMinDutyUnderPressure : kMinDuty; }

double DutyController::duty() const {
  return busy_ ? std::max(std::min(duty_, spare_ * kOfSpare), floor()) : 1.0;
}

int64_t DutyController::PauseUs(int64_t elapsed_us) const {
  return static_cast<int64_t>(static_cast<double>(elapsed_us) * (1 / duty() - 1));
}

bool DutyController::WantsQuietWindow(int64_t now_us) const {
  return busy_ && (!has_baseline_ || now_us - baseline_us_ > kBaselineAgeUs);
}

}  // namespace mayfly::ttl

#include "ttl/clock_guard.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace mayfly::ttl {
namespace {

// The reference is renewed this often, so that slow corrections of the clock do not add up.
constexpr int64_t kRenewMs = 10 * 60'000;

// Time that may pass while the clocks are read; more, and they are read again.
constexpr int64_t kReadingMs = 1'000;

std::string InSeconds(int64_t ms) { return base::StrCat(std::abs(ms) / 1000, " s"); }

}  // namespace

ClockGuard::ClockGuard(const base::Clock& clock, MomentStore* store)
    : clock_(clock), store_(store), trusted_(ReadClocks()) {
  const std::lock_guard lock(mutex_);
  CheckStartLocked();
}

ClockGuard::Anchor ClockGuard::ReadClocks() const {
  while (true) {
    const int64_t before_ms = clock_.SinceBootMs();
    const int64_t wall_ms = clock_.NowMs();
    const int64_t after_ms = clock_.SinceBootMs();
    if (after_ms - before_ms < kReadingMs) return {wall_ms, after_ms};
  }
}

void ClockGuard::CheckStartLocked() {
  saved_boot_ms_ = trusted_.boot_ms;
  const auto kept_ms = store_ == nullptr ? std::nullopt : store_->Load();
  const Anchor now = trusted_;
  if (kept_ms.has_value()) {
    trusted_.wall_ms = *kept_ms;
    allowed_ahead_ms_ = kMaxAheadAtStartMs;
    const int64_t off_by_ms = OffByLocked(now);
    if (off_by_ms > kMaxAheadAtStartMs) {
      SuspectLocked(base::StrCat("at the start the clock was ", InSeconds(off_by_ms),
                                 " ahead of the last time this server was known to run"),
                    now);
    } else if (off_by_ms < -kToleranceMs) {
      SuspectLocked(base::StrCat("at the start the clock was ", InSeconds(off_by_ms),
                                 " behind the last time this server was known to run"),
                    now);
    } else {
      trusted_ = now;
      allowed_ahead_ms_ = kToleranceMs;
    }
  }
  if (!suspicious_ && store_ != nullptr) store_->Save(now.wall_ms);
}

int64_t ClockGuard::OffByLocked(Anchor now) const {
  return trusted_.DriftMs(now.wall_ms, now.boot_ms);
}

bool ClockGuard::IsBackLocked(Anchor now) const {
  const int64_t off_by_ms = OffByLocked(now);
  return off_by_ms >= -kToleranceMs && off_by_ms <= allowed_ahead_ms_;
}

void ClockGuard::SuspectLocked(std::string reason, Anchor now) {
  suspicious_ = true;
  reason_ = std::move(reason);
  since_ms_ = now.wall_ms;
  steady_ = now;
  MAYFLY_LOG(warn, "TTL",
             "removal of expired documents is paused: {}. It goes on when the clock is back, with "
             "the command ttlResume, or after {} hours",
             reason_, grace_ms_ / 3'600'000);
}

void ClockGuard::TrustLocked(const char* why, Anchor now) {
  suspicious_ = false;
  reason_.clear();
  trusted_ = now;
  allowed_ahead_ms_ = kToleranceMs;
  MAYFLY_LOG(warn, "TTL", "removal of expired documents goes on: {}", why);
  saved_boot_ms_ = now.boot_ms;
  if (store_ != nullptr) store_->Save(now.wall_ms);
}

void ClockGuard::WhileTrustedLocked(Anchor now) {
  const int64_t off_by_ms = OffByLocked(now);
  if (std::abs(off_by_ms) > kToleranceMs) {
    SuspectLocked(base::StrCat("the clock has jumped ", off_by_ms > 0 ? "ahead" : "back", " by ",
                               InSeconds(off_by_ms)),
                  now);
    return;
  }
  if (now.boot_ms - trusted_.boot_ms >= kRenewMs) trusted_ = now;
  if (store_ != nullptr && now.boot_ms - saved_boot_ms_ >= kSaveEveryMs) {
    saved_boot_ms_ = now.boot_ms;
    store_->Save(now.wall_ms);
  }
}

void ClockGuard::WhileSuspiciousLocked(Anchor now) {
  if (IsBackLocked(now)) return TrustLocked("the clock is back", now);
  if (std::abs(steady_.DriftMs(now.wall_ms, now.boot_ms)) > kToleranceMs) {
    const int64_t off_by_ms = OffByLocked(now);
    SuspectLocked(base::StrCat("the clock has jumped again and is ", InSeconds(off_by_ms),
                               off_by_ms > 0 ? " ahead" : " behind"),
                  now);
    return;
  }
  if (now.boot_ms - steady_.boot_ms >= grace_ms_) {
    TrustLocked("the clock has been steady for long enough", now);
  }
}

bool ClockGuard::Check() {
  const std::lock_guard lock(mutex_);
  const Anchor now = ReadClocks();
  if (suspicious_) {
    WhileSuspiciousLocked(now);
  } else {
    WhileTrustedLocked(now);
  }
  return !suspicious_;
}

bool ClockGuard::Confirm() {
  const std::lock_guard lock(mutex_);
  if (!suspicious_) return false;
  TrustLocked("the time was confirmed by an operator", ReadClocks());
  return true;
}

void ClockGuard::SetGraceHours(int64_t hours) {
  const std::lock_guard lock(mutex_);
  grace_ms_ = hours * 3'600'000;
}

ClockGuard::State ClockGuard::state() const {
  const std::lock_guard lock(mutex_);
  if (!suspicious_) return {};
  const Anchor now = ReadClocks();
  return {.suspicious = true,
          .reason = reason_,
          .since_ms = since_ms_,
          .off_by_ms = OffByLocked(now),
          .trusted_in_ms = std::max<int64_t>(0, grace_ms_ - (now.boot_ms - steady_.boot_ms))};
}

void ClockGuard::SaveNow() {
  const std::lock_guard lock(mutex_);
  if (suspicious_ || store_ == nullptr) return;
  store_->Save(clock_.NowMs());
}

}  // namespace mayfly::ttl

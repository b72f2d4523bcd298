// Notices that the wall clock has jumped, so that removal, which cannot be undone, does not follow
// a wrong clock. Hiding does not ask here: it is right again as soon as the clock is.
//
// While running, the wall clock has jumped when it moved by more than a minute against the time
// since boot. At the start, it is suspicious when it is far ahead of, or more than a minute behind,
// the last moment that an earlier run has kept. A suspicion ends when the clock is back where it is
// expected, when an operator confirms the new time, or after some hours of running without another
// jump.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"

namespace mayfly::ttl {

// Keeps one moment across restarts. Called by one thread at a time.
class MomentStore {
 public:
  virtual ~MomentStore() = default;
  // Nullopt if nothing was kept, or not legibly.
  virtual std::optional<int64_t> Load() = 0;
  virtual void Save(int64_t moment_ms) = 0;
};

// Thread-safe.
class ClockGuard {
 public:
  static constexpr int64_t kToleranceMs = 60'000;
  static constexpr int64_t kMaxAheadAtStartMs = int64_t{30} * 24 * 3600 * 1000;
  // How often the moment is kept.
  static constexpr int64_t kSaveEveryMs = 60'000;
  static constexpr int64_t kDefaultGraceHours = 24;

  struct State {
    bool suspicious = false;
    std::string reason;         // a sentence; empty if not suspicious
    int64_t since_ms = 0;       // wall clock when it was noticed
    int64_t off_by_ms = 0;      // how far the clock is from where it is expected, > 0: ahead
    int64_t trusted_in_ms = 0;  // of steady running until it is believed
  };

  // `clock` must outlive the guard; `store` may be null: nothing is kept across restarts.
  ClockGuard(const base::Clock& clock, MomentStore* store);

  // Looks at the clocks. To be called at least every second or so, and before removing; cheap.
  // True if they can be trusted.
  bool Check();
  // The operator confirms the present time. False if nothing was suspicious.
  bool Confirm();
  void SetGraceHours(int64_t hours);
  State state() const;
  // Keeps the moment now, for an orderly stop.
  void SaveNow();

 private:
  // Where the wall clock is expected: `wall_ms` at `boot_ms` since boot.
  struct Anchor {
    int64_t wall_ms = 0;
    int64_t boot_ms = 0;
    int64_t DriftMs(int64_t wall_now_ms, int64_t boot_now_ms) const {
      return (wall_now_ms - wall_ms) - (boot_now_ms - boot_ms);
    }
  };

  // Both clocks at one time, though they can only be read one after the other.
  Anchor ReadClocks() const;
  void CheckStartLocked();
  void SuspectLocked(std::string reason, Anchor now);
  void TrustLocked(const char* why, Anchor now);
  void WhileTrustedLocked(Anchor now);
  void WhileSuspiciousLocked(Anchor now);
  bool IsBackLocked(Anchor now) const;
  int64_t OffByLocked(Anchor now) const;

  const base::Clock& clock_;
  MomentStore* const store_;
  mutable std::mutex mutex_;
  // Where the clock was when it was last trusted. After a start with a suspicious clock: the moment
  // kept, with the allowance of a restart.
  Anchor trusted_;
  int64_t allowed_ahead_ms_ = kToleranceMs;
  bool suspicious_ = false;
  std::string reason_;
  int64_t since_ms_ = 0;
  Anchor steady_;  // since when the suspicious clock runs steadily
  int64_t grace_ms_ = kDefaultGraceHours * 3'600'000;
  int64_t saved_boot_ms_ = 0;
};

}  // namespace mayfly::ttl

// The expiry service: knows when something is due next and removes it with the capacity that others
// leave.
//
// The algorithm. Each database has a next due moment, kept from the last look at its expiry indexes
// and lowered when a record is written that is due earlier or a rule changes. One thread sleeps
// until the earliest of them, then runs slices (purge_slice.h) in that database as background
// operations until nothing is due, and notes what comes next. Passes over one database are at least
// kMinGapMs apart, so that a trickle is removed in batches. A pass that fails is tried again later.
// Hiding does not depend on any of this: a document is hidden by comparing its record with the
// command's `now`.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "ttl/purge_slice.h"

namespace mayfly::ttl {

// Counters since the start. Relaxed: read for reports.
struct ServiceMetrics {
  std::atomic<int64_t> deleted_documents{0};
  std::atomic<int64_t> passes{0};
  std::atomic<int64_t> sub_passes{0};
  std::atomic<int64_t> failed_collections{0};
};

// Thread-safe.
class Service : public engine::ExpiryListener {
 public:
  static constexpr int64_t kMinGapMs = 10;
  static constexpr int64_t kRetryMs = 1000;
  static constexpr int64_t kHoldAfterMoveMs = 500;
  // The wall clock is looked at least this often, so that a step of it is noticed.
  static constexpr int64_t kMaxSleepMs = 1000;

  // References must outlive the service. Registers itself as the engine's expiry listener.
  Service(engine::Engine& engine, const base::Clock& clock);
  ~Service() override;

  // Starts the thread; all databases are looked at once.
  void Start();
  // Ends a running pass after its slice and joins the thread. Idempotent.
  void Stop();

  // Removal on or off (ttlMonitorEnabled); hiding is not affected.
  void SetEnabled(bool enabled);
  bool enabled() const { return enabled_.load(std::memory_order_relaxed); }
  // Expiry by date runs once in so many seconds, as MongoDB's monitor does; 0: as soon as something
  // is due.
  void SetDatePeriodSeconds(int64_t seconds);
  int64_t date_period_seconds() const { return date_period_s_.load(std::memory_order_relaxed); }
  // The clock was moved by a test: look again at what is due, but only after kHoldAfterMoveMs, so
  // that a RunNow that follows finds all of it.
  void OnClockMoved();

  // Removes everything that is due now, in all databases, in the calling thread. Answers how many
  // documents are gone since the last RunNow or OnClockMoved, so that it does not matter whether
  // this call or the thread removed them. Works whether removal is enabled or not. Never from
  // inside an operation.
  absl::StatusOr<int64_t> RunNow();

  // Null: nobody watches. Set before Start.
  void SetObserver(RemovalObserver* observer) { observer_ = observer; }

  const ServiceMetrics& metrics() const { return metrics_; }

  // engine::ExpiryListener
  void OnRulesChanged(std::string_view database) override;
  void OnRecordDue(std::string_view database, int64_t due_ms) override;

 private:
  struct DatabaseState {
    int64_t due_ms = 0;
    SlicePosition position;
    int64_t not_before_ms = 0;  // SinceBootMs
  };

  void Loop();
  void Wake();
  // Runs one slice as a background operation and waits for it.
  absl::StatusOr<SliceResult> RunSlice(const std::string& database, PurgeKinds kinds,
                                       SlicePosition* position, engine::Priority priority);
  void RunPass(const std::string& database);
  PurgeKinds KindsNow();
  void Lower(std::string_view database, int64_t due_ms);

  engine::Engine& engine_;
  const base::Clock& clock_;
  RemovalObserver* observer_ = nullptr;
  ServiceMetrics metrics_;
  std::atomic<int64_t> removed_since_mark_{0};
  std::atomic<bool> enabled_{true};
  std::atomic<int64_t> date_period_s_{0};
  int64_t last_date_pass_ms_ = 0;  // SinceBootMs; of the thread

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, DatabaseState, std::less<>> databases_;  // under mutex_
  bool changed_ = false;                                         // under mutex_
  int64_t hold_until_us_ = 0;                                    // MonotonicUs; under mutex_
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace mayfly::ttl

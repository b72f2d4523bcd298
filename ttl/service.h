// The expiry service: knows when something is due next and removes it with the capacity that others
// leave.
//
// The algorithm. Each database has a next due moment, kept from the last look at its expiry indexes
// and lowered when a record is written that is due earlier or a rule changes. One thread sleeps
// until the earliest of them. A pass over a database is a row of slices (purge_slice.h), each one
// background operation, until nothing is left to do; databases in a pass take turns. How long a
// slice is and how long the pause after it follows from what clients feel (duty_controller.h).
// Passes over one database are at least kMinGapMs apart, so that a trickle is removed in batches. A
// database that fails, for instance because the disk is full, is left alone for a while that grows.
// Hiding does not depend on any of this: a document is hidden by comparing its record with the
// command's `now`.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "ttl/clock_guard.h"
#include "ttl/duty_controller.h"
#include "ttl/foreground_meter.h"
#include "ttl/purge_slice.h"
#include "ttl/removal_log.h"
#include "ttl/spare_time.h"

namespace mayfly::ttl {

// Counters since the start. Relaxed: read for reports.
struct ServiceMetrics {
  std::atomic<int64_t> deleted_documents{0};
  std::atomic<int64_t> swept_entries{0};
  std::atomic<int64_t> passes{0};
  std::atomic<int64_t> sub_passes{0};
  std::atomic<int64_t> failed_collections{0};
  std::atomic<int64_t> vacuumed_pages{0};
  std::atomic<int64_t> duty_percent{100};
  std::atomic<bool> disk_full{false};
};

// Thread-safe.
class Service : public engine::ExpiryListener {
 public:
  static constexpr int64_t kMinGapMs = 10;
  static constexpr int64_t kRetryMs = 1000;
  static constexpr int64_t kMaxRetryMs = 60'000;
  static constexpr int64_t kHoldAfterMoveMs = 500;
  // The wall clock is looked at least this often, so that a step of it is noticed.
  static constexpr int64_t kMaxSleepMs = 1000;

  // References must outlive the service, and so must `moments`, which keeps the time across
  // restarts and may be null. Registers itself as the engine's expiry listener.
  Service(engine::Engine& engine, const base::Clock& clock, MomentStore* moments = nullptr);
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

  // What is known of the clock; while it is suspicious, nothing is removed.
  ClockGuard::State clock_state() const { return guard_.state(); }
  // An operator confirms the time. False if it was not in doubt.
  bool ConfirmClock();
  void SetClockGraceHours(int64_t hours) { guard_.SetGraceHours(hours); }

  // Removes everything that is due now, in all databases, in the calling thread. Answers how many
  // documents are gone since the last RunNow or OnClockMoved, so that it does not matter whether
  // this call or the thread removed them. Works whether removal is enabled or not, but not with a
  // suspicious clock. Never from inside an operation.
  absl::StatusOr<int64_t> RunNow();

  // Where slices run while clients work; null: on a thread of the store. Set before Start.
  void SetSpareTime(SpareTime* spare_time) { spare_time_ = spare_time; }
  // The log of removals, for reports; null if there is none. Set before Start.
  void SetRemovalLog(const RemovalLog* log) { removal_log_ = log; }
  const RemovalLog* removal_log() const { return removal_log_; }

  const ServiceMetrics& metrics() const { return metrics_; }
  // How many databases it keeps something for: not more than there are, once it has looked.
  size_t databases();
  // Where commands record how long they took.
  ForegroundMeter& meter() { return meter_; }

  // engine::ExpiryListener
  void OnRulesChanged(std::string_view database) override;
  void OnRecordDue(std::string_view database, int64_t due_ms) override;

 private:
  struct DatabaseState {
    int64_t due_ms = 0;         // when the next pass should begin
    int64_t not_before_ms = 0;  // SinceBootMs
    bool in_pass = false;
    PurgeKinds kinds;         // of the pass
    PurgeTurn turn;           // of the pass
    int64_t next_due_ms = 0;  // what the pass has found out so far
    int64_t failures = 0;     // one after the other
    bool may_vacuum = false;  // something was removed since pages were given back
    std::shared_ptr<DatabaseProgress> progress = std::make_shared<DatabaseProgress>();
  };
  using Databases = std::map<std::string, DatabaseState, std::less<>>;

  void Loop();
  void Wake();
  void Lower(std::string_view database, int64_t due_ms);
  DatabaseState& StateLocked(std::string_view database);

  // The database whose turn it is, or end() and how long to wait.
  Databases::iterator NextLocked(int64_t* wait_us);
  int64_t WaitMsLocked(const DatabaseState& state) const;
  void BeginPassLocked(DatabaseState& state);
  void AfterSliceLocked(const std::string& name, const absl::StatusOr<SliceResult>& result);
  void NoteFailureLocked(const std::string& name, DatabaseState& state, const absl::Status& why);
  PurgeKinds KindsNow();

  struct SliceOrder {
    std::string database;
    SliceBudget budget;
    engine::Priority priority = engine::Priority::kBackground;
    int slices = 1;  // at most
    bool in_spare_time = false;
    int64_t patience_us = 0;  // for an idle moment
  };
  // Slices that follow each other, each an operation of its own.
  struct SliceRow;
  // Runs slices as long as there is work and no client comes, and waits for them. Counts and times
  // of the answer are sums.
  absl::StatusOr<SliceResult> RunSlices(const SliceOrder& order, DatabaseProgress* progress,
                                        PurgeTurn* turn);
  void StartSlice(std::shared_ptr<SliceRow> row);
  void EndSlice(std::shared_ptr<SliceRow> row, absl::Status status);
  void AwaitEnd(SliceRow& row);
  void CountSlice(const SliceResult& result);
  // One slice of the pass over the database that `state` belongs to; then the pause after it.
  void RunInTurn(std::unique_lock<std::mutex>& lock, const std::string& name, DatabaseState& state);
  // Gives pages back if clients are idle and there are many; false if there is no more to give.
  bool VacuumSome(const std::string& database);
  bool TryVacuum(std::unique_lock<std::mutex>& lock);

  // Looks at the clients' latencies once in a while.
  void LookAtClients();
  bool ClientsIdle();
  void SleepLocked(std::unique_lock<std::mutex>& lock, int64_t us);

  engine::Engine& engine_;
  const base::Clock& clock_;
  ClockGuard guard_;
  ServiceMetrics metrics_;
  ForegroundMeter meter_;
  const RemovalLog* removal_log_ = nullptr;
  SpareTime* spare_time_ = nullptr;
  std::atomic<int64_t> removed_since_mark_{0};
  std::atomic<bool> enabled_{true};
  std::atomic<int64_t> date_period_s_{0};

  // Of the thread.
  int64_t last_date_pass_ms_ = 0;  // SinceBootMs
  DutyController controller_;
  LatencyCounts seen_{};  // at the last look at clients
  int64_t seen_us_ = 0;
  int64_t unused_us_ = 0;      // spare time nobody used, at the last look
  int64_t removal_us_ = 0;     // spent since then
  bool starved_ = false;       // the last slice had to wait for long
  bool quiet_window_ = false;  // this window is kept free of removal, for comparison
  int64_t commands_seen_ = 0;
  int64_t idle_since_us_ = 0;
  int64_t next_slice_us_ = 0;  // MonotonicUs

  std::mutex mutex_;
  std::condition_variable wake_;
  Databases databases_;        // under mutex_
  std::string last_;           // under mutex_; the database that had the last slice
  bool changed_ = false;       // under mutex_
  int64_t hold_until_us_ = 0;  // MonotonicUs; under mutex_
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace mayfly::ttl

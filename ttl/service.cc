#include "ttl/service.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::ttl {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// How often clients' latencies are looked at.
constexpr int64_t kWindowUs = 250'000;
// Clients are idle when there was no command for so long.
constexpr int64_t kIdleUs = 10'000;
constexpr int64_t kIdleBeforeVacuumUs = 1'000'000;
// Pages given back to the file system in one operation, about a millisecond.
constexpr int kVacuumPages = 32;
// Free space that is kept for what will be written next: at least, and as a share of the file.
constexpr int64_t kKeepFreeBytes = 4 << 20;
constexpr int64_t kKeepFreeShare = 16;
// Removal that takes less than one part in so many of the time is not noticed by anyone.
constexpr int64_t kNoticeableShare = 50;
// A slice that had to wait for so long is not enough under pressure.
constexpr int64_t kStarvedUs = 50'000;
// For so long a slice waits for an idle moment of the clients' thread.
constexpr int64_t kPatienceUs = 50'000;
constexpr int64_t kPatienceUnderPressureUs = 5'000;
// While no client is there: how long a slice is, which ends as soon as one comes, and how many
// follow each other.
constexpr int64_t kIdleSliceUs = 16'000;
constexpr int kIdleSlices = 5;
// A slice of RunNow: somebody waits for the end, others wait for the slice.
constexpr int64_t kRunNowSliceUs = 5'000;

absl::Status Gone(std::string_view database) {
  return base::Error(base::ErrorCode::kDatabaseDropPending,
                     base::StrCat("there is no database ", database));
}

// The database was dropped, or the store is being closed.
bool IsGone(const absl::Status& status) {
  if (status.ok()) return false;
  const auto code = base::CodeOf(status);
  return code == base::ErrorCode::kDatabaseDropPending ||
         code == base::ErrorCode::kShutdownInProgress;
}

}  // namespace

Service::Service(engine::Engine& engine, const base::Clock& clock, MomentStore* moments)
    : engine_(engine), clock_(clock), guard_(clock, moments) {
  engine_.SetExpiryListener(this);
}

Service::~Service() {
  engine_.SetExpiryListener(nullptr);
  Stop();
}

void Service::Start() {
  for (const std::string& name : engine_.ListDatabases()) {
    Lower(name, 0);
    const std::lock_guard lock(mutex_);
    StateLocked(name).may_vacuum = true;  // an earlier run may have left free pages
  }
  thread_ = std::thread([this] { Loop(); });
}

void Service::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    wake_.notify_all();
  }
  if (!thread_.joinable()) return;
  thread_.join();
  guard_.SaveNow();
}

void Service::SetEnabled(bool enabled) {
  enabled_ = enabled;
  Wake();
}

void Service::SetDatePeriodSeconds(int64_t seconds) {
  date_period_s_ = seconds;
  Wake();
}

void Service::OnClockMoved() {
  removed_since_mark_ = 0;
  const std::lock_guard lock(mutex_);
  hold_until_us_ = clock_.MonotonicUs() + kHoldAfterMoveMs * 1000;
  changed_ = true;
  wake_.notify_all();
}

bool Service::ConfirmClock() {
  const bool was_suspicious = guard_.Confirm();
  Wake();
  return was_suspicious;
}

void Service::Wake() {
  const std::lock_guard lock(mutex_);
  changed_ = true;
  wake_.notify_all();
}

Service::DatabaseState& Service::StateLocked(std::string_view database) {
  auto it = databases_.find(database);
  if (it == databases_.end()) {
    it = databases_.emplace(std::string(database), DatabaseState{.due_ms = kNever}).first;
  }
  return it->second;
}

void Service::Lower(std::string_view database, int64_t due_ms) {
  const std::lock_guard lock(mutex_);
  DatabaseState& state = StateLocked(database);
  if (due_ms >= state.due_ms) return;
  state.due_ms = due_ms;
  changed_ = true;
  wake_.notify_all();
}

size_t Service::databases() {
  const std::lock_guard lock(mutex_);
  return databases_.size();
}

void Service::OnRulesChanged(std::string_view database) { Lower(database, 0); }

void Service::OnRecordDue(std::string_view database, int64_t due_ms) { Lower(database, due_ms); }

PurgeKinds Service::KindsNow() {
  const int64_t period_ms = date_period_seconds() * 1000;
  PurgeKinds kinds;
  if (period_ms == 0) return kinds;
  const int64_t now_ms = clock_.SinceBootMs();
  kinds.date = now_ms - last_date_pass_ms_ >= period_ms;
  if (kinds.date) last_date_pass_ms_ = now_ms;
  return kinds;
}

struct Service::SliceRow {
  SliceOrder order;
  std::shared_ptr<engine::DatabaseHandle> handle;
  DatabaseProgress* progress = nullptr;
  PurgeTurn* turn = nullptr;
  int64_t commands = 0;  // of clients, before the first slice
  int64_t start_us = 0;  // of the last slice
  SliceResult last;
  SliceResult sum;

  std::mutex mutex;
  std::condition_variable ended;
  std::optional<absl::Status> status;  // under mutex; set at the end
};

void Service::CountSlice(const SliceResult& result) {
  metrics_.deleted_documents += result.removed;
  removed_since_mark_ += result.removed;
  metrics_.swept_entries += result.swept;
  metrics_.failed_collections += result.failed_collections;
  ++metrics_.sub_passes;
}

// The next slice is started by the end of the one before: a hand-over to another thread between
// them would take as long as a tenth of a slice, and on a loaded machine far longer.
void Service::StartSlice(std::shared_ptr<SliceRow> row) {
  SliceRow& r = *row;
  const engine::OperationOptions options{.access = engine::Access::kWrite,
                                         .priority = r.order.priority};
  engine::Database::Body body = [this, &r](engine::Transaction& transaction) -> absl::Status {
    r.start_us = clock_.MonotonicUs();
    MAYFLY_ASSIGN_OR_RETURN(r.last, RunPurgeSlice(*r.handle, transaction, clock_, r.order.budget,
                                                  r.progress, r.turn, engine_.removal_observer()));
    return absl::OkStatus();
  };
  engine::Database& storage = r.handle->storage();
  engine::Database::Done done = [this, row = std::move(row)](absl::Status status) mutable {
    EndSlice(std::move(row), std::move(status));
  };
  if (!r.order.in_spare_time) return storage.Submit(options, std::move(body), std::move(done));
  absl::AnyInvocable<void()> task = [&storage, options, body = std::move(body),
                                     done = std::move(done)]() mutable {
    if (storage.TryRunInline(options, body, done, nullptr)) return;
    storage.Submit(options, std::move(body), std::move(done));
  };
  if (!spare_time_->RunWhenIdle(task)) task();
}

void Service::EndSlice(std::shared_ptr<SliceRow> row, absl::Status status) {
  if (status.ok()) {
    // The commit belongs to it.
    row->last.run_us = clock_.MonotonicUs() - row->start_us;
    CountSlice(row->last);
    row->sum.Add(row->last);
    const bool goes_on = row->last.more && --row->order.slices > 0 && !stop_ &&
                         TotalOf(meter_.Read()) == row->commands;
    if (goes_on) return StartSlice(std::move(row));
  }
  const std::lock_guard lock(row->mutex);
  row->status = std::move(status);
  row->ended.notify_all();
}

void Service::AwaitEnd(SliceRow& row) {
  std::unique_lock lock(row.mutex);
  const auto has_ended = [&row] { return row.status.has_value(); };
  if (row.order.in_spare_time &&
      !row.ended.wait_for(lock, std::chrono::microseconds(row.order.patience_us), has_ended)) {
    lock.unlock();
    spare_time_->Hurry();
    lock.lock();
  }
  row.ended.wait(lock, has_ended);
}

absl::StatusOr<SliceResult> Service::RunSlices(const SliceOrder& order, DatabaseProgress* progress,
                                               PurgeTurn* turn) {
  auto row = std::make_shared<SliceRow>();
  MAYFLY_ASSIGN_OR_RETURN(row->handle,
                          engine_.Open(order.database, engine::Store::IfMissing::kNull));
  if (row->handle == nullptr) return Gone(order.database);
  row->order = order;
  row->progress = progress;
  row->turn = turn;
  row->commands = TotalOf(meter_.Read());
  StartSlice(row);
  AwaitEnd(*row);
  // Moved: threads should share nothing of a status, see CopyOf in executor.cc.
  MAYFLY_RETURN_IF_ERROR(std::move(*row->status));
  return row->sum;
}

int64_t Service::WaitMsLocked(const DatabaseState& state) const {
  const int64_t pause_ms = state.not_before_ms - clock_.SinceBootMs();
  if (state.in_pass) return pause_ms;
  if (state.due_ms == kNever) return kNever;
  const int64_t hold_ms = (hold_until_us_ - clock_.MonotonicUs() + 999) / 1000;
  return std::max({state.due_ms - clock_.NowMs(), pause_ms, hold_ms});
}

Service::Databases::iterator Service::NextLocked(int64_t* wait_us) {
  int64_t wait_ms = kMaxSleepMs;
  // Beginning after the one that had the last slice, so that all have their turn.
  auto it = databases_.upper_bound(last_);
  for (size_t i = 0; i < databases_.size(); ++i, ++it) {
    if (it == databases_.end()) it = databases_.begin();
    const int64_t database_ms = WaitMsLocked(it->second);
    if (database_ms <= 0) return it;
    wait_ms = std::min(wait_ms, database_ms);
  }
  *wait_us = wait_ms * 1000;
  return databases_.end();
}

void Service::BeginPassLocked(DatabaseState& state) {
  ++metrics_.passes;
  state.in_pass = true;
  state.kinds = KindsNow();
  state.turn = PurgeTurn();
  state.due_ms = kNever;  // lowered again by what is written during the pass
  state.next_due_ms = kNever;
}

void Service::AfterSliceLocked(const std::string& name, const absl::StatusOr<SliceResult>& result) {
  DatabaseState& state = StateLocked(name);
  if (!result.ok()) return NoteFailureLocked(name, state, result.status());
  if (state.failures > 0) {
    MAYFLY_LOG(info, "TTL", "removal in database {} works again", name);
    metrics_.disk_full = false;
  }
  state.failures = 0;
  state.may_vacuum |= result->removed > 0 || result->swept > 0;
  if (result->next_due_ms.has_value()) {
    state.next_due_ms = std::min(state.next_due_ms, *result->next_due_ms);
  }
  const int64_t lag_ms =
      result->oldest_due_ms.has_value() ? clock_.NowMs() - *result->oldest_due_ms : 0;
  controller_.OnBacklog(lag_ms, result->many);
  if (result->more) return;
  state.in_pass = false;
  state.due_ms = std::min(state.due_ms, state.next_due_ms);
  if (date_period_seconds() > 0) {
    state.due_ms = std::min(state.due_ms, clock_.NowMs() + date_period_seconds() * 1000);
  }
  state.not_before_ms = clock_.SinceBootMs() + kMinGapMs;
}

void Service::NoteFailureLocked(const std::string& name, DatabaseState& state,
                                const absl::Status& why) {
  state.in_pass = false;
  const auto code = base::CodeOf(why);
  if (IsGone(why)) {
    // Unless one of that name was made meanwhile: that one has to be looked at.
    if (state.due_ms == kNever) {
      databases_.erase(name);
    } else {
      state = DatabaseState{.due_ms = state.due_ms};
    }
    return;
  }
  const int64_t wait_ms = std::min(kMaxRetryMs, kRetryMs << std::min<int64_t>(state.failures, 16));
  if (code == base::ErrorCode::kOutOfDiskSpace) metrics_.disk_full = true;
  MAYFLY_LOG(err, "TTL", "removal in database {} is paused for {} s{}: {}", name, wait_ms / 1000,
             code == base::ErrorCode::kOutOfDiskSpace ? ", the disk is full" : "",
             base::MessageOf(why));
  ++state.failures;
  state.due_ms = 0;
  state.not_before_ms = clock_.SinceBootMs() + wait_ms;
}

bool Service::ClientsIdle() {
  const int64_t now_us = clock_.MonotonicUs();
  const int64_t commands = TotalOf(meter_.Read());
  if (commands != std::exchange(commands_seen_, commands)) idle_since_us_ = now_us;
  return now_us - idle_since_us_ >= kIdleUs;
}

void Service::LookAtClients() {
  const int64_t now_us = clock_.MonotonicUs();
  if (now_us - seen_us_ < kWindowUs) return;
  const LatencyCounts counts = meter_.Read();
  const int64_t window_us = now_us - seen_us_;
  DutyController::Window window{.removal = removal_us_ * kNoticeableShare > window_us,
                                .now_us = now_us};
  if (spare_time_ != nullptr) {
    const int64_t unused_us = spare_time_->UnusedUs();
    const int64_t spare_us = unused_us - std::exchange(unused_us_, unused_us) + removal_us_;
    window.spare = static_cast<double>(spare_us) / static_cast<double>(window_us);
  }
  for (size_t i = 0; i < counts.size(); ++i) window.latencies[i] = counts[i] - seen_[i];
  seen_ = counts;
  seen_us_ = now_us;
  controller_.OnWindow(window);
  removal_us_ = 0;
  quiet_window_ = controller_.WantsQuietWindow(now_us);
  metrics_.duty_percent = static_cast<int64_t>(controller_.duty() * 100);
}

void Service::SleepLocked(std::unique_lock<std::mutex>& lock, int64_t us) {
  changed_ = false;
  wake_.wait_for(lock, std::chrono::microseconds(us), [this] { return changed_ || stop_.load(); });
}

void Service::Loop() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    LookAtClients();
    const bool may_remove = guard_.Check() && enabled();
    if (!may_remove) {
      SleepLocked(lock, kMaxSleepMs * 1000);
      continue;
    }
    int64_t wait_us = 0;
    const auto next = NextLocked(&wait_us);
    if (next == databases_.end()) {
      if (!TryVacuum(lock)) SleepLocked(lock, wait_us);
      continue;
    }
    const bool idle = ClientsIdle();
    const int64_t start_us = clock_.MonotonicUs();
    const int64_t pause_us =
        idle ? 0 : std::max(next_slice_us_ - start_us, quiet_window_ ? kIdleUs : int64_t{0});
    if (pause_us > 0) {
      SleepLocked(lock, pause_us);
      continue;
    }
    last_ = next->first;
    RunInTurn(lock, last_, next->second);
  }
}

void Service::RunInTurn(std::unique_lock<std::mutex>& lock, const std::string& name_in,
                        DatabaseState& state) {
  if (!state.in_pass) BeginPassLocked(state);
  // Only the thread itself replaces these.
  const std::string name = name_in;
  const auto progress = state.progress;
  PurgeTurn turn = std::move(state.turn);
  const bool urgent = starved_ && controller_.under_pressure();
  const bool idle = ClientsIdle();
  const SliceOrder order{
      .database = name,
      .budget = {.max_us = idle ? kIdleSliceUs : controller_.slice_us(), .kinds = state.kinds},
      .priority = urgent ? engine::Priority::kForeground : engine::Priority::kBackground,
      .slices = idle ? kIdleSlices : 1,
      .in_spare_time = spare_time_ != nullptr && controller_.busy() && !idle && !urgent,
      .patience_us = controller_.under_pressure() ? kPatienceUnderPressureUs : kPatienceUs};
  lock.unlock();
  const int64_t start_us = clock_.MonotonicUs();
  const auto result = RunSlices(order, progress.get(), &turn);
  const int64_t end_us = clock_.MonotonicUs();
  const int64_t run_us = result.ok() ? result->run_us : end_us - start_us;
  starved_ = end_us - start_us - run_us > kStarvedUs;
  removal_us_ += run_us;
  next_slice_us_ = end_us + controller_.PauseUs(run_us);
  lock.lock();
  state.turn = std::move(turn);
  AfterSliceLocked(name, result);
}

bool Service::TryVacuum(std::unique_lock<std::mutex>& lock) {
  if (!ClientsIdle() || clock_.MonotonicUs() - idle_since_us_ < kIdleBeforeVacuumUs) return false;
  const auto it = std::find_if(databases_.begin(), databases_.end(),
                               [](const auto& entry) { return entry.second.may_vacuum; });
  if (it == databases_.end()) return false;
  const std::string name = it->first;
  lock.unlock();
  const bool more = VacuumSome(name);
  lock.lock();
  if (!more) StateLocked(name).may_vacuum = false;
  return true;
}

bool Service::VacuumSome(const std::string& database) {
  const auto handle = engine_.Open(database, engine::Store::IfMissing::kNull);
  if (!handle.ok() || *handle == nullptr) return false;
  engine::Database& storage = (*handle)->storage();
  // The statistics' figure of free pages may be an old one while the log is being copied; the
  // operation looks itself.
  const int64_t keep_bytes = std::max(kKeepFreeBytes, storage.Stats().file_bytes / kKeepFreeShare);
  int pages = 0;
  const absl::Status status = storage.Run(
      {.access = engine::Access::kWrite, .priority = engine::Priority::kBackground},
      [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(pages, storage.Vacuum(transaction, kVacuumPages, keep_bytes));
        return absl::OkStatus();
      });
  if (!status.ok()) return false;
  metrics_.vacuumed_pages += pages;
  return pages > 0;
}

absl::StatusOr<int64_t> Service::RunNow() {
  if (!guard_.Check()) return 0;
  for (const std::string& name : engine_.ListDatabases()) {
    std::shared_ptr<DatabaseProgress> progress;
    {
      const std::lock_guard lock(mutex_);
      progress = StateLocked(name).progress;
    }
    const SliceOrder order{.database = name,
                           .budget = {.max_us = kRunNowSliceUs, .kinds = {}},
                           .priority = engine::Priority::kForeground};
    PurgeTurn turn;
    while (true) {
      const auto result = RunSlices(order, progress.get(), &turn);
      if (IsGone(result.status())) break;
      MAYFLY_RETURN_IF_ERROR(result.status());
      if (!result->more) break;
    }
  }
  return removed_since_mark_.exchange(0);
}

}  // namespace mayfly::ttl

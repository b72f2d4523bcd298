#include "ttl/service.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/log.h"
#include "base/status.h"

namespace mayfly::ttl {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
// Pages given back to the file system after a pass that removed something.
constexpr int kVacuumPages = 256;

}  // namespace

Service::Service(engine::Engine& engine, const base::Clock& clock)
    : engine_(engine), clock_(clock) {
  engine_.SetExpiryListener(this);
}

Service::~Service() {
  engine_.SetExpiryListener(nullptr);
  Stop();
}

void Service::Start() {
  for (const std::string& name : engine_.ListDatabases()) Lower(name, 0);
  thread_ = std::thread([this] { Loop(); });
}

void Service::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
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

void Service::Wake() {
  const std::lock_guard lock(mutex_);
  changed_ = true;
  wake_.notify_all();
}

void Service::Lower(std::string_view database, int64_t due_ms) {
  const std::lock_guard lock(mutex_);
  auto it = databases_.find(database);
  if (it == databases_.end()) {
    it = databases_.emplace(std::string(database), DatabaseState{.due_ms = kNever}).first;
  }
  if (due_ms >= it->second.due_ms) return;
  it->second.due_ms = due_ms;
  changed_ = true;
  wake_.notify_all();
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

absl::StatusOr<SliceResult> Service::RunSlice(const std::string& database, PurgeKinds kinds,
                                              SlicePosition* position, engine::Priority priority) {
  MAYFLY_ASSIGN_OR_RETURN(const auto handle,
                          engine_.Open(database, engine::Store::IfMissing::kNull));
  if (handle == nullptr) return SliceResult();
  SliceResult result;
  const engine::OperationOptions options{.access = engine::Access::kWrite, .priority = priority};
  MAYFLY_RETURN_IF_ERROR(
      handle->storage().Run(options, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(result, RunPurgeSlice(*handle, transaction, clock_, kinds,
                                                      SliceBudget(), position, observer_));
        if (result.removed > 0 && !result.more) {
          return handle->storage().Vacuum(transaction, kVacuumPages).status();
        }
        return absl::OkStatus();
      }));
  metrics_.deleted_documents += result.removed;
  removed_since_mark_ += result.removed;
  metrics_.failed_collections += result.failed_collections;
  ++metrics_.sub_passes;
  return result;
}

void Service::RunPass(const std::string& database) {
  ++metrics_.passes;
  const PurgeKinds kinds = KindsNow();
  SlicePosition position;
  {
    const std::lock_guard lock(mutex_);
    position = databases_[database].position;
  }
  int64_t due_ms = kNever;
  while (!stop_ && enabled()) {
    auto result = RunSlice(database, kinds, &position, engine::Priority::kBackground);
    if (!result.ok()) {
      const auto code = base::CodeOf(result.status());
      const bool expected = code == base::ErrorCode::kDatabaseDropPending ||
                            code == base::ErrorCode::kShutdownInProgress;
      if (!expected) {
        MAYFLY_LOG(err, "TTL", "removal in database {} failed and will be tried again: {}",
                   database, base::MessageOf(result.status()));
      }
      due_ms = expected ? kNever : clock_.NowMs() + kRetryMs;
      break;
    }
    if (result->failed_collections > 0) due_ms = std::min(due_ms, clock_.NowMs() + kRetryMs);
    if (result->next_due_ms.has_value()) due_ms = std::min(due_ms, *result->next_due_ms);
    if (!result->more) break;
  }
  if (date_period_seconds() > 0) {
    due_ms = std::min(due_ms, clock_.NowMs() + date_period_seconds() * 1000);
  }
  const std::lock_guard lock(mutex_);
  DatabaseState& state = databases_[database];
  state.position = std::move(position);
  state.due_ms = std::min(state.due_ms, due_ms);
  state.not_before_ms = clock_.SinceBootMs() + kMinGapMs;
}

void Service::Loop() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const int64_t now_ms = clock_.NowMs();
    const int64_t boot_ms = clock_.SinceBootMs();
    const int64_t hold_ms = (hold_until_us_ - clock_.MonotonicUs() + 999) / 1000;
    std::string next;
    int64_t sleep_ms = kMaxSleepMs;
    for (auto& [name, state] : databases_) {
      if (!enabled() || state.due_ms == kNever) continue;
      const int64_t wait_ms =
          std::max({state.due_ms - now_ms, state.not_before_ms - boot_ms, hold_ms});
      if (wait_ms <= 0) {
        next = name;
        state.due_ms = kNever;  // lowered again by what is written during the pass
        break;
      }
      sleep_ms = std::min(sleep_ms, wait_ms);
    }
    if (!next.empty()) {
      lock.unlock();
      RunPass(next);
      lock.lock();
      continue;
    }
    changed_ = false;
    wake_.wait_for(lock, std::chrono::milliseconds(sleep_ms),
                   [this] { return changed_ || stop_.load(); });
  }
}

absl::StatusOr<int64_t> Service::RunNow() {
  for (const std::string& name : engine_.ListDatabases()) {
    SlicePosition position;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const SliceResult result, RunSlice(name, PurgeKinds(), &position,
                                                                 engine::Priority::kForeground));
      if (!result.more) break;
    }
  }
  return removed_since_mark_.exchange(0);
}

}  // namespace mayfly::ttl

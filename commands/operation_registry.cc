#include "commands/operation_registry.h"

#include "base/status.h"

namespace mayfly::commands {

absl::Status RunningOperation::Check() {
  const int killed = killed_.load(std::memory_order_relaxed);
  if (killed != 0) [[unlikely]] {
    const auto code = static_cast<base::ErrorCode>(killed);
    return base::Error(code, code == base::ErrorCode::kInterruptedAtShutdown
                                 ? "interrupted at shutdown"
                                 : "operation was interrupted");
  }
  if (deadline_us_ != 0 && ++calls_ % kCallsPerLook == 1 && clock_.MonotonicUs() >= deadline_us_) {
    return base::Error(base::ErrorCode::kMaxTimeMSExpired, "operation exceeded time limit");
  }
  return absl::OkStatus();
}

void RunningOperation::Kill(base::ErrorCode code) {
  int expected = 0;
  killed_.compare_exchange_strong(expected, static_cast<int>(code));
}

std::shared_ptr<RunningOperation> OperationRegistry::Make(int64_t deadline_us) {
  return std::make_shared<RunningOperation>(NextId(), clock_, deadline_us);
}

void OperationRegistry::Add(std::shared_ptr<RunningOperation> operation) {
  const std::lock_guard lock(mutex_);
  const int64_t id = operation->id();
  operations_.emplace(id, std::move(operation));
}

void OperationRegistry::Remove(int64_t id) {
  const std::lock_guard lock(mutex_);
  operations_.erase(id);
}

bool OperationRegistry::Kill(int64_t id, base::ErrorCode code) {
  const std::lock_guard lock(mutex_);
  const auto it = operations_.find(id);
  if (it == operations_.end()) return false;
  it->second->Kill(code);
  return true;
}

int OperationRegistry::KillIf(const std::function<bool(const RunningOperation&)>& matches,
                              base::ErrorCode code) {
  const std::lock_guard lock(mutex_);
  int killed = 0;
  for (const auto& [id, operation] : operations_) {
    if (!matches(*operation)) continue;
    operation->Kill(code);
    ++killed;
  }
  return killed;
}

std::vector<std::shared_ptr<RunningOperation>> OperationRegistry::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<RunningOperation>> result;
  result.reserve(operations_.size());
  for (const auto& [id, operation] : operations_) result.push_back(operation);
  return result;
}

}  // namespace mayfly::commands

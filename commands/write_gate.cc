#include "commands/write_gate.h"

#include <utility>

namespace mayfly::commands {

int64_t WriteGate::Lock() {
  const std::lock_guard lock(mutex_);
  return ++depth_;
}

int64_t WriteGate::Unlock() {
  std::vector<absl::AnyInvocable<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    if (depth_ == 0) return -1;
    if (--depth_ != 0) return depth_;
    waiting.swap(waiting_);
  }
  for (auto& resume : waiting) resume();
  return 0;
}

bool WriteGate::Enter(absl::AnyInvocable<void()> resume) {
  const std::lock_guard lock(mutex_);
  if (depth_ == 0) return true;
  waiting_.push_back(std::move(resume));
  return false;
}

}  // namespace mayfly::commands

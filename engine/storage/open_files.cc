#include "engine/storage/open_files.h"

#include <algorithm>
#include <utility>

#include "engine/storage/executor.h"

namespace mayfly::engine {

void OpenFiles::Opened(std::shared_ptr<Executor> executor) {
  const Executor* opened = executor.get();
  {
    std::lock_guard lock(mutex_);
    if (std::find(open_.begin(), open_.end(), executor) == open_.end()) {
      open_.push_back(std::move(executor));
    }
  }
  // Bounded: busy databases cannot be closed, and then there are more open than wished for a while.
  for (int tries = 0; tries < 8; ++tries) {
    std::shared_ptr<Executor> candidate = NextCandidate(opened);
    if (candidate == nullptr || candidate->TryCloseFile()) return;
  }
}

std::shared_ptr<Executor> OpenFiles::NextCandidate(const Executor* opened) {
  std::lock_guard lock(mutex_);
  if (open_.size() <= max_) return nullptr;
  for (size_t steps = 0; steps < 2 * open_.size(); ++steps) {
    hand_ = (hand_ + 1) % open_.size();
    const std::shared_ptr<Executor>& candidate = open_[hand_];
    if (candidate.get() != opened && !candidate->TakeUsed()) return candidate;
  }
  return nullptr;
}

void OpenFiles::Forget(const Executor* executor) {
  std::lock_guard lock(mutex_);
  std::erase_if(open_, [executor](const auto& each) { return each.get() == executor; });
}

}  // namespace mayfly::engine

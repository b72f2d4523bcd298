#include "engine/storage/waiting_queue.h"

#include <algorithm>
#include <utility>

namespace mayfly::engine {

bool Batch::Settle() {
  while (next_ == lists_[class_].size()) {
    lists_[class_].clear();
    next_ = 0;
    if (++class_ == kClasses) {
      class_ = 0;
      return false;
    }
  }
  return true;
}

void WaitingQueue::Remove(const Resume* resume, Priority priority) {
  std::deque<Waiting>& list = Of(priority);
  auto it = std::find_if(list.rbegin(), list.rend(),
                         [resume](const Waiting& each) { return each.resume == resume; });
  if (it != list.rend()) list.erase(std::next(it).base());
}

void WaitingQueue::Take(size_t max, int64_t aged_before_us, Batch& batch) {
  const bool background = !background_.empty() &&
                          (foreground_.empty() || background_.front().since_us <= aged_before_us);
  const size_t count = std::min(max, foreground_.size());
  for (size_t i = 0; i < count; ++i) {
    batch.Add(std::move(foreground_.front()));
    foreground_.pop_front();
  }
  if (background) {
    batch.Add(std::move(background_.front()));
    background_.pop_front();
  }
}

}  // namespace mayfly::engine

// What waits in front of one database, in the order in which it is taken.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/storage/database.h"

namespace mayfly::engine {

// A thread inside Yield() that waits for the leader role.
struct Resume {
  bool granted = false;  // guarded by the executor's mutex
  std::condition_variable changed;
};

// An operation that has not begun, or, if `resume` is set, one that goes on.
struct Waiting {
  OperationOptions options;
  Database::Body body = nullptr;
  Database::Done done = nullptr;
  Resume* resume = nullptr;
  int64_t since_us = 0;  // background only
};

// Operations taken together, by the class in which they run: first the new ones, which mostly are
// short, reads before writes; then those that have yielded before.
class Batch {
 public:
  static constexpr size_t kClasses = 4;
  static size_t ClassOf(const Waiting& waiting) {
    return (waiting.resume != nullptr ? 2u : 0u) + (waiting.options.access == Access::kWrite);
  }
  static bool IsRead(size_t of_class) { return of_class % 2 == 0; }

  void Add(Waiting waiting) {
    lists_[ClassOf(waiting)].push_back(std::move(waiting));
    ++left_;
  }
  // How many have not been popped.
  size_t left() const { return left_; }
  // Advances to the first class with something left; false if all are empty.
  bool Settle();
  // After Settle() returned true.
  size_t current_class() const { return class_; }
  Waiting Pop() {
    --left_;
    return std::move(lists_[class_][next_++]);
  }

 private:
  std::array<std::vector<Waiting>, kClasses> lists_;
  size_t class_ = 0;
  size_t next_ = 0;
  size_t left_ = 0;
};

// Not thread-safe.
class WaitingQueue {
 public:
  void Push(Waiting waiting) { Of(waiting.options.priority).push_back(std::move(waiting)); }
  // Takes back what this thread pushed.
  void Remove(const Resume* resume, Priority priority);
  // Moves what runs next to `batch`: up to `max` foreground operations; one background operation if
  // there is no foreground one, or if it has been waiting since `aged_before_us` or longer.
  void Take(size_t max, int64_t aged_before_us, Batch& batch);

  size_t size() const { return foreground_.size() + background_.size(); }
  size_t foreground() const { return foreground_.size(); }
  size_t background() const { return background_.size(); }
  int64_t background_since_us() const {
    return background_.empty() ? 0 : background_.front().since_us;
  }

 private:
  std::deque<Waiting>& Of(Priority priority) {
    return priority == Priority::kForeground ? foreground_ : background_;
  }
  std::deque<Waiting> foreground_;
  std::deque<Waiting> background_;
};

}  // namespace mayfly::engine

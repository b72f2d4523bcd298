// The lock of fsync {lock: true}: while it is held, commands that write wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"

namespace mayfly::commands {

// Thread-safe.
class WriteGate {
 public:
  // The depth of the lock after the call.
  int64_t Lock();
  // What waited is resumed when the depth comes to 0, by the calling thread. -1: it was not held.
  int64_t Unlock();
  int64_t depth() const { return depth_.load(std::memory_order_relaxed); }

  // Cheap; only a hint.
  bool IsOpen() const { return depth_.load(std::memory_order_relaxed) == 0; }
  // True: go on. False: the gate is closed, and `resume` is called when it opens.
  bool Enter(absl::AnyInvocable<void()> resume);

 private:
  std::mutex mutex_;
  std::atomic<int64_t> depth_{0};  // changed under mutex_
  std::vector<absl::AnyInvocable<void()>> waiting_;
};

}  // namespace mayfly::commands

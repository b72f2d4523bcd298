// Bounds how many databases of a store have their files open.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace mayfly::engine {

class Executor;

// Thread-safe. Which file to close is decided by the second-chance rule: the hand goes round,
// passes (and marks as unused) what was used since it came by last, and closes the first idle one
// that was not.
class OpenFiles {
 public:
  explicit OpenFiles(size_t max) : max_(max) {}

  // `executor` has opened its file; its thread closes others if there are too many.
  void Opened(std::shared_ptr<Executor> executor);
  // `executor` has closed its file.
  void Forget(const Executor* executor);

 private:
  std::shared_ptr<Executor> NextCandidate(const Executor* opened);

  const size_t max_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Executor>> open_;
  size_t hand_ = 0;
};

}  // namespace mayfly::engine

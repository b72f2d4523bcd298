// The time that the thread which serves clients does not need. Removal beside clients is done in
// it: a thread of its own would take the role of the writer from them, and on a small machine the
// processor as well.
#pragma once

#include <cstdint>

#include "absl/functional/any_invocable.h"

namespace mayfly::ttl {

// Thread-safe.
class SpareTime {
 public:
  virtual ~SpareTime() = default;
  // `task`, which must be short, runs once on the serving thread when no client is ready. False,
  // with `task` untouched, if that is not possible now.
  virtual bool RunWhenIdle(absl::AnyInvocable<void()>& task) = 0;
  // No longer: now, among the clients.
  virtual void Hurry() = 0;
  // How much of such time there was since the start that nobody used, in microseconds.
  virtual int64_t UnusedUs() const = 0;
};

}  // namespace mayfly::ttl

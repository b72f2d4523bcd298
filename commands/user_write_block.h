// The block that setUserWriteBlockMode puts on writes of users: while it is on, commands that
// change databases of users fail. The server's own databases and the removal of what has expired
// are not concerned.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace mayfly::commands {

// Thread-safe.
class UserWriteBlock {
 public:
  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  std::string reason() const;
  // 20 IllegalOperation if it is on for another reason.
  absl::Status CheckReason(std::string_view reason) const;
  void Set(bool on, std::string_view reason);

  // 371 UserWritesBlocked if it is on and `database` is a user's.
  absl::Status Check(std::string_view database) const;

 private:
  std::atomic<bool> on_{false};
  mutable std::mutex mutex_;
  std::string reason_;
};

}  // namespace mayfly::commands

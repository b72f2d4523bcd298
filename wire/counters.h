// What the network counts, for serverStatus.
#pragma once

#include <atomic>
#include <cstdint>

namespace mayfly::wire {

// Written on the network thread, read anywhere.
struct Counters {
  std::atomic<int64_t> connections{0};           // open now
  std::atomic<int64_t> connections_created{0};   // since the start
  std::atomic<int64_t> connections_rejected{0};  // beyond the limit
  std::atomic<int64_t> requests{0};
  std::atomic<int64_t> running_requests{0};
  std::atomic<int64_t> bytes_in{0};
  std::atomic<int64_t> bytes_out{0};
};

}  // namespace mayfly::wire

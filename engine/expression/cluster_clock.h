// The server's logical time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "bson/types.h"

namespace mayfly::engine {

// What MongoDB calls the cluster time ($clusterTime and operationTime of replies, $$CLUSTER_TIME,
// timestamps that the server fills in): seconds of the wall clock and a number within the second.
// Never runs backwards. Thread-safe.
class ClusterClock {
 public:
  // The latest time, which is not before the second of `now_ms`.
  bson::Timestamp Now(int64_t now_ms) { return Advance(now_ms, 0); }
  // A time later than all that were given out before: of a write.
  bson::Timestamp Tick(int64_t now_ms) { return Advance(now_ms, 1); }

 private:
  bson::Timestamp Advance(int64_t now_ms, uint64_t step) {
    const uint64_t second = (static_cast<uint64_t>(now_ms / 1000) << 32) + 1;
    uint64_t last = last_.load(std::memory_order_relaxed);
    uint64_t next;
    do {
      next = std::max(last + step, second);
    } while (next != last && !last_.compare_exchange_weak(last, next, std::memory_order_relaxed));
    return {static_cast<uint32_t>(next >> 32), static_cast<uint32_t>(next)};
  }

  std::atomic<uint64_t> last_{0};
};

}  // namespace mayfly::engine

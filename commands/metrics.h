// Counters that serverStatus shows. Relaxed atomics: any thread may add.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace mayfly::commands {

enum class OpCounter : uint8_t { kInsert, kQuery, kUpdate, kDelete, kGetMore, kCommand };

class Metrics {
 public:
  void Count(OpCounter counter, int64_t n = 1) { Add(counters_[static_cast<size_t>(counter)], n); }
  int64_t Get(OpCounter counter) const {
    return counters_[static_cast<size_t>(counter)].load(std::memory_order_relaxed);
  }
  void CountFailure() { Add(failures_, 1); }
  int64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  void CountConnection() {
    Add(connections_created_, 1);
    Add(connections_, 1);
  }
  void CountDisconnection() { Add(connections_, -1); }
  int64_t connections() const { return connections_.load(std::memory_order_relaxed); }
  int64_t connections_created() const {
    return connections_created_.load(std::memory_order_relaxed);
  }
  void CountRequestBytes(int64_t in, int64_t out) {
    Add(bytes_in_, in);
    Add(bytes_out_, out);
    Add(requests_, 1);
  }
  int64_t bytes_in() const { return bytes_in_.load(std::memory_order_relaxed); }
  int64_t bytes_out() const { return bytes_out_.load(std::memory_order_relaxed); }
  int64_t requests() const { return requests_.load(std::memory_order_relaxed); }

 private:
  static void Add(std::atomic<int64_t>& counter, int64_t n) {
    counter.fetch_add(n, std::memory_order_relaxed);
  }

  std::array<std::atomic<int64_t>, 6> counters_{};
  std::atomic<int64_t> failures_{0};
  std::atomic<int64_t> connections_{0};
  std::atomic<int64_t> connections_created_{0};
  std::atomic<int64_t> bytes_in_{0};
  std::atomic<int64_t> bytes_out_{0};
  std::atomic<int64_t> requests_{0};
};

}  // namespace mayfly::commands

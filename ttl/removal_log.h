// The log of removals (--ttlLog): one line of JSON for each document that expiry has removed.
//
//   {"ns": "db.coll", "_id": ..., "rule": "lastWrite" | "date" | "epoch",
//    "due": {"$date": ...}, "removed": {"$date": ...}, "document": {...}}     canonical extended
//    JSON
//
// Written by a thread of its own behind a bounded queue: when the disk is too slow, lines are
// dropped and counted, and the purge never waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "engine/collection/removal_observer.h"

namespace mayfly::ttl {

std::string RemovalLogLine(const engine::RemovedDocument& removed);

// Thread-safe.
class RemovalLog : public engine::RemovalObserver {
 public:
  static constexpr size_t kMaxQueuedBytes = 16 << 20;

  // Takes lines; false if that one is lost. Called by the log's thread only.
  using Sink = absl::AnyInvocable<bool(const std::string& line)>;

  // Appends to the file at `path`. Error: it cannot be opened.
  static absl::StatusOr<std::unique_ptr<RemovalLog>> Open(const std::string& path);
  explicit RemovalLog(Sink sink);
  // Writes what is queued.
  ~RemovalLog() override;

  void OnRemoved(engine::RemovedDocument removed) override;

  int64_t written() const { return written_.load(std::memory_order_relaxed); }
  int64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
  // Returns when everything taken so far is written or lost.
  void Flush();

 private:
  void Loop();

  Sink sink_;
  std::atomic<int64_t> written_{0};
  std::atomic<int64_t> dropped_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<engine::RemovedDocument> queue_;  // under mutex_
  size_t queued_bytes_ = 0;                    // under mutex_
  bool writing_ = false;                       // under mutex_
  bool stop_ = false;                          // under mutex_
  std::thread thread_;
};

}  // namespace mayfly::ttl

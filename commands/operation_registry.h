// The operations that run now: for currentOp and killOp, and the deadline and kill flag each of
// them checks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error_code.h"
#include "bson/value.h"
#include "engine/expression/context.h"

namespace mayfly::commands {

// One running operation. `Check` is called by its own thread, Kill by any.
class RunningOperation : public engine::Interrupt {
 public:
  // `deadline_us` in the clock's MonotonicUs, 0 for none. `clock` must outlive the operation.
  RunningOperation(int64_t id, const base::Clock& clock, int64_t deadline_us)
      : id_(id), clock_(clock), start_us_(clock.MonotonicUs()), deadline_us_(deadline_us) {}

  absl::Status Check() override;
  void ReportProgress(const char* what, int64_t done, int64_t total) override {
    progress_done_.store(done, std::memory_order_relaxed);
    progress_total_.store(total, std::memory_order_relaxed);
    progress_of_.store(what, std::memory_order_release);
  }
  // 11601 Interrupted or 11600 InterruptedAtShutdown from the next Check on. The first call wins.
  void Kill(base::ErrorCode code);

  int64_t id() const { return id_; }
  int64_t start_us() const { return start_us_; }
  int64_t deadline_us() const { return deadline_us_; }
  // Null: no progress was reported.
  const char* progress_of() const { return progress_of_.load(std::memory_order_acquire); }
  int64_t progress_done() const { return progress_done_.load(std::memory_order_relaxed); }
  int64_t progress_total() const { return progress_total_.load(std::memory_order_relaxed); }

  // What currentOp shows. Set before the operation is registered, unchanged afterwards.
  std::string ns;
  std::string kind;        // "command", "query", "insert", ...
  bson::Document command;  // cut if large
  std::string client;
  int64_t connection_id = 0;
  bson::Document lsid;
  std::string app_name;

 private:
  // Looks at the clock only every so many calls.
  static constexpr uint32_t kCallsPerLook = 64;

  const int64_t id_;
  const base::Clock& clock_;
  const int64_t start_us_;
  const int64_t deadline_us_;
  uint32_t calls_ = 0;
  std::atomic<int> killed_{0};
  std::atomic<const char*> progress_of_{nullptr};
  std::atomic<int64_t> progress_done_{0};
  std::atomic<int64_t> progress_total_{0};
};

// Thread-safe.
class OperationRegistry {
 public:
  explicit OperationRegistry(const base::Clock& clock) : clock_(clock) {}

  int64_t NextId() { return next_id_.fetch_add(1, std::memory_order_relaxed); }
  // An operation that is not yet visible: fill its fields, then Add it.
  std::shared_ptr<RunningOperation> Make(int64_t deadline_us);
  void Add(std::shared_ptr<RunningOperation> operation);
  void Remove(int64_t id);
  // False if there is none with that id.
  bool Kill(int64_t id, base::ErrorCode code);
  // Kills every operation that `matches`; returns how many.
  int KillIf(const std::function<bool(const RunningOperation&)>& matches, base::ErrorCode code);
  std::vector<std::shared_ptr<RunningOperation>> All() const;

 private:
  const base::Clock& clock_;
  std::atomic<int64_t> next_id_{1};
  mutable std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<RunningOperation>> operations_;
};

}  // namespace mayfly::commands

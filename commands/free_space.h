// Giving space that removed documents have left in the databases' files back to the file system:
// once, by `compact`, or again and again, by `autoCompact`.
#pragma once

#include <cstdint>
#include <mutex>

#include "absl/status/statusor.h"
#include "commands/services.h"
#include "engine/engine.h"
#include "engine/storage/database.h"

namespace mayfly::commands {

inline constexpr int64_t kDefaultFreeSpaceTargetMb = 20;
inline constexpr int64_t kBytesPerMb = 1024 * 1024;

// Returns the bytes given back: 0 unless the file has `target_mb` of free space. Others run in
// between. On a thread that may wait.
absl::StatusOr<int64_t> GiveBackFreeSpace(engine::DatabaseHandle& handle, int64_t target_mb,
                                          engine::Interrupt& interrupt);

struct AutoCompactSettings {
  bool on = false;
  int64_t target_mb = kDefaultFreeSpaceTargetMb;
  bool run_once = false;
  bool operator==(const AutoCompactSettings&) const = default;
};

// Passes over all databases: one when it is switched on, others with a pause between them. Between
// passes nothing runs; the dispatcher asks from time to time. Thread-safe.
class AutoCompactor {
 public:
  static constexpr int64_t kPauseMs = 60'000;

  // Error: 23 AlreadyInitialized if it is on with other settings.
  absl::Status Configure(const AutoCompactSettings& settings);
  // Submits a pass to the workers if one is due. `now_ms`: wall clock.
  void RunIfDue(Services& services, int64_t now_ms);
  // One pass, unless one is under way.
  absl::Status RunPass(Services& services, engine::Interrupt& interrupt);

 private:
  std::mutex mutex_;
  AutoCompactSettings settings_;
  bool running_ = false;
  int64_t last_pass_ms_ = 0;
};

}  // namespace mayfly::commands

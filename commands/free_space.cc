#include "commands/free_space.h"

#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "commands/operation_registry.h"

namespace mayfly::commands {
namespace {

constexpr int64_t kPageBytes = 4096;
// Others get to run between runs of so many pages.
constexpr int kPagesPerRun = 256;

}  // namespace

absl::StatusOr<int64_t> GiveBackFreeSpace(engine::DatabaseHandle& handle, int64_t target_mb,
                                          engine::Interrupt& interrupt) {
  if (handle.storage().Stats().free_bytes / kBytesPerMb < target_mb) return 0;
  int64_t freed = 0;
  while (true) {
    MAYFLY_RETURN_IF_ERROR(interrupt.Check());
    int pages = 0;
    MAYFLY_RETURN_IF_ERROR(handle.storage().Run(
        {.access = engine::Access::kWrite, .priority = engine::Priority::kBackground},
        [&](engine::Transaction& transaction) -> absl::Status {
          MAYFLY_ASSIGN_OR_RETURN(pages, handle.storage().Vacuum(transaction, kPagesPerRun, 0));
          return absl::OkStatus();
        }));
    freed += pages * kPageBytes;
    if (pages < kPagesPerRun) return freed;
  }
}

absl::Status AutoCompactor::Configure(const AutoCompactSettings& settings) {
  const std::lock_guard lock(mutex_);
  if (settings.on && settings_.on && !(settings == settings_)) {
    return base::Error(base::ErrorCode::kAlreadyInitialized,
                       "Cannot reconfigure background compaction while it's already running.");
  }
  settings_ = settings.on ? settings : AutoCompactSettings();
  return absl::OkStatus();
}

absl::Status AutoCompactor::RunPass(Services& services, engine::Interrupt& interrupt) {
  AutoCompactSettings settings;
  {
    const std::lock_guard lock(mutex_);
    if (!settings_.on || running_) return absl::OkStatus();
    running_ = true;
    settings = settings_;
  }
  absl::Status status;
  for (const std::string& name : services.engine.ListDatabases()) {
    const auto handle = services.engine.Open(name, engine::Store::IfMissing::kNull);
    // Dropped since it was listed.
    if (!handle.ok() || *handle == nullptr) continue;
    status = GiveBackFreeSpace(**handle, settings.target_mb, interrupt).status();
    if (!status.ok()) break;
  }
  const std::lock_guard lock(mutex_);
  running_ = false;
  last_pass_ms_ = services.clock.NowMs();
  if (settings_ == settings && settings.run_once) settings_ = AutoCompactSettings();
  return status;
}

void AutoCompactor::RunIfDue(Services& services, int64_t now_ms) {
  {
    const std::lock_guard lock(mutex_);
    const int64_t since_ms = now_ms - last_pass_ms_;
    if (!settings_.on || running_ || (since_ms >= 0 && since_ms < kPauseMs)) return;
    last_pass_ms_ = now_ms;
  }
  // Registered, so that it is shown, can be killed, and ends with the server.
  std::shared_ptr<RunningOperation> operation = services.operations.Make(0);
  operation->kind = "command";
  services.operations.Add(operation);
  const int64_t id = operation->id();
  const bool taken = services.workers.Submit([this, &services, operation = std::move(operation)] {
    const absl::Status status = RunPass(services, *operation);
    if (!status.ok()) {
      MAYFLY_LOG(warn, "STORAGE", "background compaction ended: {}", base::MessageOf(status));
    }
    services.operations.Remove(operation->id());
  });
  if (!taken) services.operations.Remove(id);
}

}  // namespace mayfly::commands

// The Store that both kinds share: names, opening on demand, dropping, closing. What is different
// is the Medium.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/backend.h"
#include "engine/storage/database.h"
#include "engine/storage/executor.h"
#include "engine/storage/open_files.h"
#include "engine/storage/thread_pool.h"

namespace mayfly::engine {

// Where databases are kept. Called under the store's mutex.
class Medium {
 public:
  virtual ~Medium() = default;
  // Names of the databases that are there when the store opens.
  virtual std::vector<std::string> List() = 0;
  // A backend for `name`, closed. `maintain` runs its BetweenGroups() if the database is idle;
  // thread-safe.
  virtual std::unique_ptr<Backend> MakeBackend(const std::string& name, ThreadPool& threads,
                                               absl::AnyInvocable<void()> maintain) = 0;
  // Deletes what is kept of `name`, which is closed.
  virtual absl::Status Remove(const std::string& name) = 0;
  // All databases are closed.
  virtual void StopTimers() = 0;
  // No thread is left that works for a backend.
  virtual void Close() = 0;
};

class StoreImpl final : public Store {
 public:
  StoreImpl(const StoreOptions& options, std::unique_ptr<Medium> medium);
  // Close().
  ~StoreImpl() override;

  absl::StatusOr<std::shared_ptr<Database>> Get(std::string_view name,
                                                IfMissing if_missing) override;
  std::vector<std::string> List() override;
  absl::Status Drop(std::string_view name) override;
  void Close() override;

 private:
  struct Slot {
    std::shared_ptr<Executor> executor;  // null: not used yet
    bool dropping = false;
  };

  absl::StatusOr<std::shared_ptr<Database>> OpenLocked(const std::string& name, Slot& slot);
  absl::Status CheckNewNameLocked(std::string_view name) const;

  base::SystemClock system_clock_;
  std::unique_ptr<Medium> medium_;
  ThreadPool threads_;
  OpenFiles open_files_;
  const Executor::Shared shared_;

  std::mutex mutex_;
  std::map<std::string, Slot, std::less<>> slots_;
  bool closed_ = false;
};

}  // namespace mayfly::engine

#include "engine/storage/database.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace mayfly::engine {

absl::Status Database::Run(OperationOptions options, Body body) {
  std::mutex mutex;
  std::condition_variable done;
  std::optional<absl::Status> result;
  Submit(options, std::move(body), [&](absl::Status status) {
    std::lock_guard lock(mutex);
    result = std::move(status);
    done.notify_one();
  });
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return result.has_value(); });
  return *std::move(result);
}

}  // namespace mayfly::engine

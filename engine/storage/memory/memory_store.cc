// The memory store: StoreImpl over a medium that keeps nothing.
#include <utility>

#include "engine/storage/memory/memory_backend.h"
#include "engine/storage/store_impl.h"

namespace mayfly::engine {
namespace {

class MemoryMedium final : public Medium {
 public:
  std::vector<std::string> List() override { return {}; }
  std::unique_ptr<Backend> MakeBackend(const std::string&, ThreadPool&,
                                       absl::AnyInvocable<void()>) override {
    return std::make_unique<MemoryBackend>();
  }
  absl::Status Remove(const std::string&) override { return absl::OkStatus(); }
  void StopTimers() override {}
  void Close() override {}
};

}  // namespace

std::unique_ptr<Store> OpenMemoryStore(const StoreOptions& options) {
  return std::make_unique<StoreImpl>(options, std::make_unique<MemoryMedium>());
}

}  // namespace mayfly::engine

#include "engine/engine.h"

#include <utility>

#include "base/status.h"
#include "engine/catalog/namespace.h"

namespace mayfly::engine {

namespace {

// A step back of the clock by more than this is a jump, not a correction (TTL.md section 3).
constexpr int64_t kSmallStepBackMs = 60'000;

}  // namespace

absl::StatusOr<Catalog*> DatabaseHandle::GetCatalog(Transaction& transaction) {
  if (catalog_ == nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(catalog_, Catalog::Load(transaction, name_));
  }
  if (catalog_->has_abandoned() && transaction.writable()) [[unlikely]] {
    MAYFLY_RETURN_IF_ERROR(catalog_->DropAbandoned(transaction));
  }
  return catalog_.get();
}

int64_t DatabaseHandle::StampModification(int64_t now_ms) {
  const bool small_step_back =
      now_ms < last_modification_ms_ && last_modification_ms_ - now_ms <= kSmallStepBackMs;
  if (!small_step_back) last_modification_ms_ = now_ms;
  return last_modification_ms_;
}

Engine::Engine(Store& store, const base::Clock& clock)
    : store_(store), clock_(clock), random_(base::Random::FromSystem()), object_ids_(random_) {}

absl::StatusOr<std::shared_ptr<DatabaseHandle>> Engine::Open(std::string_view name,
                                                             Store::IfMissing if_missing) {
  MAYFLY_RETURN_IF_ERROR(CheckDatabaseName(name));
  const std::lock_guard lock(mutex_);
  MAYFLY_ASSIGN_OR_RETURN(std::shared_ptr<Database> storage, store_.Get(name, if_missing));
  if (storage == nullptr) return nullptr;
  auto& handle = handles_[std::string(name)];
  // After a drop, or when its files were closed meanwhile, the store hands out another database.
  if (handle == nullptr || &handle->storage() != storage.get()) {
    handle = std::make_shared<DatabaseHandle>(std::move(storage), std::string(name));
  }
  return handle;
}

absl::Status Engine::DropDatabase(std::string_view name) {
  {
    const std::lock_guard lock(mutex_);
    const auto it = handles_.find(name);
    if (it != handles_.end()) handles_.erase(it);
    MAYFLY_RETURN_IF_ERROR(store_.Drop(name));
  }
  if (ExpiryListener* const listener = expiry_listener(); listener != nullptr) {
    listener->OnRulesChanged(name);
  }
  return absl::OkStatus();
}

Uuid Engine::NewUuid() {
  Uuid uuid;
  const std::lock_guard lock(mutex_);
  random_.Fill(uuid.data(), uuid.size());
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0F) | 0x40);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

}  // namespace mayfly::engine

#include "engine/storage/store_impl.h"

#include <utility>

#include "absl/strings/match.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::engine {
namespace {

absl::Status DropPending(std::string_view name) {
  return base::Error(base::ErrorCode::kDatabaseDropPending,
                     base::StrCat("database ", name, " is being dropped"));
}

absl::Status Closed() {
  return base::Error(base::ErrorCode::kShutdownInProgress, "the store is closed");
}

}  // namespace

StoreImpl::StoreImpl(const StoreOptions& options, std::unique_ptr<Medium> medium)
    : medium_(std::move(medium)),
      threads_(ThreadPool::Options()),
      open_files_(static_cast<size_t>(options.max_open_files)),
      shared_{.threads = &threads_,
              .clock = options.clock != nullptr ? options.clock : &system_clock_,
              .open_files = &open_files_} {
  for (std::string& name : medium_->List()) slots_.try_emplace(std::move(name));
}

StoreImpl::~StoreImpl() { Close(); }

absl::StatusOr<std::shared_ptr<Database>> StoreImpl::Get(std::string_view name,
                                                         IfMissing if_missing) {
  std::lock_guard lock(mutex_);
  if (closed_) return Closed();
  auto it = slots_.find(name);
  if (it == slots_.end()) {
    if (if_missing == IfMissing::kNull) return std::shared_ptr<Database>();
    MAYFLY_RETURN_IF_ERROR(CheckNewNameLocked(name));
    it = slots_.try_emplace(std::string(name)).first;
    absl::StatusOr<std::shared_ptr<Database>> database = OpenLocked(it->first, it->second);
    if (!database.ok()) slots_.erase(it);
    return database;
  }
  if (it->second.dropping) return DropPending(name);
  if (it->second.executor != nullptr) return std::shared_ptr<Database>(it->second.executor);
  return OpenLocked(it->first, it->second);
}

absl::StatusOr<std::shared_ptr<Database>> StoreImpl::OpenLocked(const std::string& name,
                                                                Slot& slot) {
  // The backend belongs to the executor it calls back.
  auto target = std::make_shared<std::weak_ptr<Executor>>();
  auto maintain = [target] {
    if (std::shared_ptr<Executor> executor = target->lock()) executor->TryMaintain();
  };
  auto executor = std::make_shared<Executor>(
      name, medium_->MakeBackend(name, threads_, std::move(maintain)), shared_);
  *target = executor;
  MAYFLY_RETURN_IF_ERROR(executor->Open());
  slot.executor = executor;
  return std::shared_ptr<Database>(std::move(executor));
}

absl::Status StoreImpl::CheckNewNameLocked(std::string_view name) const {
  for (const auto& [other, slot] : slots_) {
    if (!absl::EqualsIgnoreCase(other, base::ToAbsl(name))) continue;
    return base::Error(base::ErrorCode::kDatabaseDifferCase,
                       base::StrCat("db already exists with different case already have: [", other,
                                    "] trying to create [", name, "]"));
  }
  return absl::OkStatus();
}

std::vector<std::string> StoreImpl::List() {
  std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, slot] : slots_) {
    if (!slot.dropping) names.push_back(name);
  }
  return names;
}

absl::Status StoreImpl::Drop(std::string_view name) {
  std::shared_ptr<Executor> executor;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return Closed();
    auto it = slots_.find(name);
    if (it == slots_.end()) return absl::OkStatus();
    if (it->second.dropping) return DropPending(name);
    it->second.dropping = true;
    executor = it->second.executor;
  }
  if (executor != nullptr) executor->Shut(DropPending(name), Closing::kDiscard);
  std::lock_guard lock(mutex_);
  auto it = slots_.find(name);
  absl::Status status = medium_->Remove(it->first);
  if (status.ok()) {
    slots_.erase(it);
  } else {
    it->second = Slot();
  }
  return status;
}

void StoreImpl::Close() {
  std::vector<std::shared_ptr<Executor>> executors;
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
    for (auto& [name, slot] : slots_) {
      if (slot.executor != nullptr) executors.push_back(slot.executor);
    }
  }
  for (const auto& executor : executors) executor->Shut(Closed(), Closing::kKeep);
  medium_->StopTimers();
  threads_.Close();
  medium_->Close();
}

}  // namespace mayfly::engine

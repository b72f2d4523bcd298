// The engine as commands and the expiry service see it: databases with their catalogs, and
// operations on them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/random.h"
#include "bson/object_id.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/expiry_listener.h"
#include "engine/catalog/session_writes.h"
#include "engine/collection/removal_observer.h"
#include "engine/storage/database.h"

namespace mayfly::engine {

// One database: its storage and, loaded by the first operation, its catalog.
class DatabaseHandle {
 public:
  DatabaseHandle(std::shared_ptr<Database> storage, std::string name)
      : storage_(std::move(storage)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  Database& storage() { return *storage_; }

  // Inside operations only.
  absl::StatusOr<Catalog*> GetCatalog(Transaction& transaction);
  // The moment to stamp on a record written now: `now_ms`, or the last one given if the clock
  // stepped back by up to a minute. Inside operations only.
  int64_t StampModification(int64_t now_ms);
  // Inside operations only.
  SessionWrites& session_writes() { return session_writes_; }

 private:
  std::shared_ptr<Database> storage_;
  std::string name_;
  std::unique_ptr<Catalog> catalog_;
  SessionWrites session_writes_;
  int64_t last_modification_ms_ = 0;
};

// Thread-safe.
class Engine {
 public:
  // All references must outlive the engine.
  Engine(Store& store, const base::Clock& clock);

  const base::Clock& clock() const { return clock_; }
  bson::ObjectIdGenerator& object_ids() { return object_ids_; }

  // Null if the database does not exist and is not to be created.
  absl::StatusOr<std::shared_ptr<DatabaseHandle>> Open(std::string_view name,
                                                       Store::IfMissing if_missing);
  // Names of all databases with files, sorted; some may have no collections.
  std::vector<std::string> ListDatabases() { return store_.List(); }
  absl::Status DropDatabase(std::string_view name);

  // Null: nobody listens.
  void SetExpiryListener(ExpiryListener* listener) { listener_.store(listener); }
  ExpiryListener* expiry_listener() const { return listener_.load(std::memory_order_acquire); }

  // Null: nobody wants to know of documents that have expired. Set before the first operation.
  void SetRemovalObserver(RemovalObserver* observer) { removal_observer_.store(observer); }
  RemovalObserver* removal_observer() const {
    return removal_observer_.load(std::memory_order_acquire);
  }

  Uuid NewUuid();

 private:
  Store& store_;
  const base::Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<DatabaseHandle>, std::less<>> handles_;
  base::Random random_;
  bson::ObjectIdGenerator object_ids_;
  std::atomic<ExpiryListener*> listener_{nullptr};
  std::atomic<RemovalObserver*> removal_observer_{nullptr};
};

}  // namespace mayfly::engine

// The catalog of one database: its collections, their indexes, options and counters, in memory and
// in the catalog space.
//
// Rows of the catalog space (kCatalogSpace):
//   "c" name             -> BSON {uuid, records, expiry, backfill, options,
//                                 epoch: {attribute, space, backfill},
//                                 indexes: [{spec, space, multikey}]};
//                                 an index that is being built has `building` too
//   "n" records:u32 BE   -> BSON {documents, bytes, next}: counters, written once per commit
//   "s" records:u32 BE   -> BSON {space, key}: there while a sweep is pending
//   "w" session          -> BSON {number, at, reply}: see session_writes.h
// Rows are BSON so that a file can be read without this program.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

enum class IndexState : uint8_t { kReady, kBuilding };

// Touched only inside operations of its database. All changes are undone in memory if the operation
// is.
class Catalog {
 public:
  // Reads all rows. `database` is the database's name.
  static absl::StatusOr<std::unique_ptr<Catalog>> Load(Transaction& transaction,
                                                       std::string database);

  const std::string& database() const { return database_; }
  // Null if there is none. Views included.
  std::shared_ptr<Collection> Find(std::string_view name) const;
  // In order of name.
  std::vector<std::shared_ptr<Collection>> All() const;
  bool empty() const { return collections_.empty(); }
  // Grows with every change of any collection's state.
  uint64_t version() const { return version_; }

  // A new collection with its `_id` index, or a view. The name must be free.
  absl::StatusOr<std::shared_ptr<Collection>> Create(Transaction& transaction,
                                                     std::string_view name,
                                                     CollectionOptions options, const Uuid& uuid);
  absl::Status Drop(Transaction& transaction, Collection& collection);
  // The new name must be free. What was temporary is so no more.
  absl::Status Rename(Transaction& transaction, Collection& collection, std::string_view to);
  // Changes the state through `change` and saves it.
  absl::Status Modify(Transaction& transaction, Collection& collection,
                      absl::FunctionRef<void(Collection::State&)> change);
  // Adds an empty index; its entries are the caller's task (engine/index). An index on `_ts` that
  // switches the last-write rule on also gets the expiry space, to be filled by the purge in the
  // background.
  absl::StatusOr<std::shared_ptr<const Index>> AddIndex(Transaction& transaction,
                                                        Collection& collection,
                                                        const IndexSpec& spec,
                                                        IndexState state = IndexState::kReady);
  absl::Status DropIndex(Transaction& transaction, Collection& collection, const Index& index);
  // Indexes that were being built and temporary collections that were being filled when the process
  // ended: nobody fills them any more. Known from Load until they are dropped; such a collection is
  // not found meanwhile.
  bool has_abandoned() const { return has_abandoned_builds_ || !abandoned_.empty(); }
  absl::Status DropAbandoned(Transaction& transaction);

  // Switches expiry by the Unix seconds in `attribute` on, with an empty space of entries that the
  // purge fills in the background; or off, if it is empty.
  absl::Status SetEpochAttribute(Transaction& transaction, Collection& collection,
                                 std::string_view attribute);

  // Saves how far the sweep of the collection's indexes is; not pending: nothing is left to do.
  absl::Status SetSweep(Transaction& transaction, const std::shared_ptr<Collection>& collection,
                        SweepState sweep);

  // Changes counters by a difference, now in memory and before the commit in the store; undone with
  // the operation.
  void AddToCounters(Transaction& transaction, const std::shared_ptr<Collection>& collection,
                     int64_t documents, int64_t data_bytes);
  // The next record id of the collection; kept by the same row.
  RecordId NextRecordId(Transaction& transaction, const std::shared_ptr<Collection>& collection);

 private:
  explicit Catalog(std::string database) : database_(std::move(database)) {}

  absl::Status LoadRow(Transaction& transaction, bson::View row);
  absl::Status Save(Transaction& transaction, const Collection& collection);
  void TouchCounters(Transaction& transaction, const std::shared_ptr<Collection>& collection);
  std::shared_ptr<Collection> Shared(const Collection& collection) const;

  std::string database_;
  std::map<std::string, std::shared_ptr<Collection>, std::less<>> collections_;
  uint64_t version_ = 0;
  bool has_abandoned_builds_ = false;
  std::vector<std::shared_ptr<Collection>> abandoned_;  // temporary ones of an earlier process
};

// The options of `create` in the form listCollections shows, parsed for use. Error: MongoDB's for
// what does not fit.
absl::StatusOr<CollectionOptions> CollectionOptionsFromStored(bson::View stored);

}  // namespace mayfly::engine

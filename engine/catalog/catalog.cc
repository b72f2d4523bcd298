#include "engine/catalog/catalog.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/catalog/catalog_rows.h"
#include "engine/query/collation.h"

namespace mayfly::engine {

absl::StatusOr<std::unique_ptr<Catalog>> Catalog::Load(Transaction& transaction,
                                                       std::string database) {
  std::unique_ptr<Catalog> catalog(new Catalog(std::move(database)));
  auto cursor = transaction.NewKeyCursor(kCatalogSpace, Direction::kForward);
  cursor->Seek(std::string_view(&kCollectionRow, 1));
  std::vector<std::pair<std::string, bson::Document>> rows;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more || cursor->key().empty() || cursor->key().front() != kCollectionRow) break;
    rows.emplace_back(cursor->key().substr(1), bson::Document(std::string(cursor->value())));
  }
  cursor.reset();
  for (auto& [name, row] : rows) {
    MAYFLY_ASSIGN_OR_RETURN(Collection::State state, ReadCollectionRow(name, row));
    auto collection = std::make_shared<Collection>(catalog->database_, std::move(state));
    if (!collection->IsView()) {
      MAYFLY_ASSIGN_OR_RETURN(
          const auto counters,
          transaction.GetKey(kCatalogSpace, CountersKey(collection->state().records)));
      if (counters.has_value()) collection->counters() = ReadCountersRow(bson::View(*counters));
      MAYFLY_ASSIGN_OR_RETURN(
          const auto sweep,
          transaction.GetKey(kCatalogSpace, SweepKey(collection->state().records)));
      if (sweep.has_value()) collection->set_sweep(ReadSweepRow(bson::View(*sweep)));
    }
    if (collection->options().temporary) {
      catalog->abandoned_.push_back(std::move(collection));
      continue;
    }
    for (const auto& index : collection->indexes()) {
      if (index->building) catalog->has_abandoned_builds_ = true;
    }
    catalog->collections_.emplace(name, std::move(collection));
  }
  return catalog;
}

std::shared_ptr<Collection> Catalog::Find(std::string_view name) const {
  const auto it = collections_.find(name);
  return it == collections_.end() ? nullptr : it->second;
}

std::vector<std::shared_ptr<Collection>> Catalog::All() const {
  std::vector<std::shared_ptr<Collection>> result;
  result.reserve(collections_.size());
  for (const auto& [name, collection] : collections_) result.push_back(collection);
  return result;
}

std::shared_ptr<Collection> Catalog::Shared(const Collection& collection) const {
  return Find(collection.name());
}

absl::Status Catalog::Save(Transaction& transaction, const Collection& collection) {
  ++version_;
  return transaction.PutKey(kCatalogSpace, CollectionKey(collection.name()),
                            MakeCollectionRow(collection.state()).bytes());
}

absl::StatusOr<std::shared_ptr<Collection>> Catalog::Create(Transaction& transaction,
                                                            std::string_view name,
                                                            CollectionOptions options,
                                                            const Uuid& uuid) {
  Collection::State state;
  state.name = std::string(name);
  state.uuid = uuid;
  state.options = std::move(options);
  if (!state.options.IsView()) {
    MAYFLY_ASSIGN_OR_RETURN(state.records, transaction.CreateSpace(SpaceKind::kRecords));
    auto index = std::make_shared<Index>();
    index->spec = state.options.clustered ? MakeClusteredIdIndexSpec(state.options.stored)
                                          : MakeIdIndexSpec(state.options.strings.get());
    index->strings = state.options.strings;
    MAYFLY_ASSIGN_OR_RETURN(index->space, transaction.CreateSpace(SpaceKind::kKeys));
    state.indexes.push_back(std::move(index));
  }
  auto collection = std::make_shared<Collection>(database_, std::move(state));
  MAYFLY_RETURN_IF_ERROR(Save(transaction, *collection));
  collections_.insert_or_assign(collection->name(), collection);
  transaction.OnRollback([this, collection] {
    collection->set_dropped(true);
    const auto it = collections_.find(collection->name());
    if (it != collections_.end() && it->second == collection) collections_.erase(it);
    ++version_;
  });
  return collection;
}

absl::Status Catalog::Drop(Transaction& transaction, Collection& collection) {
  const std::shared_ptr<Collection> keep = Shared(collection);
  MAYFLY_RETURN_IF_ERROR(transaction.DeleteKey(kCatalogSpace, CollectionKey(collection.name())));
  if (!collection.IsView()) {
    MAYFLY_RETURN_IF_ERROR(
        transaction.DeleteKey(kCatalogSpace, CountersKey(collection.state().records)));
    if (collection.sweep().pending) {
      MAYFLY_RETURN_IF_ERROR(
          transaction.DeleteKey(kCatalogSpace, SweepKey(collection.state().records)));
    }
    MAYFLY_RETURN_IF_ERROR(transaction.DropSpace(collection.state().records));
    for (const auto& index : collection.indexes()) {
      MAYFLY_RETURN_IF_ERROR(transaction.DropSpace(index->space));
    }
    if (collection.state().expiry != 0) {
      MAYFLY_RETURN_IF_ERROR(transaction.DropSpace(collection.state().expiry));
    }
    if (collection.epoch_rule().is_on()) {
      MAYFLY_RETURN_IF_ERROR(transaction.DropSpace(collection.epoch_rule().space));
    }
  }
  ++version_;
  collections_.erase(collection.name());
  keep->set_dropped(true);
  transaction.OnRollback([this, keep] {
    keep->set_dropped(false);
    collections_.insert_or_assign(keep->name(), keep);
    ++version_;
  });
  return absl::OkStatus();
}

absl::Status Catalog::Rename(Transaction& transaction, Collection& collection,
                             std::string_view to) {
  const std::shared_ptr<Collection> keep = Shared(collection);
  const std::string from = collection.name();
  MAYFLY_RETURN_IF_ERROR(transaction.DeleteKey(kCatalogSpace, CollectionKey(from)));
  Collection::State before = collection.state();
  Collection::State after = before;
  after.name = std::string(to);
  after.options.temporary = false;
  collections_.erase(from);
  keep->Assign(std::move(after));
  collections_.insert_or_assign(std::string(to), keep);
  transaction.OnRollback([this, keep, before = std::move(before), to = std::string(to)]() mutable {
    const auto it = collections_.find(to);
    if (it != collections_.end() && it->second == keep) collections_.erase(it);
    keep->Assign(std::move(before));
    collections_.insert_or_assign(keep->name(), keep);
    ++version_;
  });
  return Save(transaction, *keep);
}

absl::Status Catalog::Modify(Transaction& transaction, Collection& collection,
                             absl::FunctionRef<void(Collection::State&)> change) {
  const std::shared_ptr<Collection> keep = Shared(collection);
  Collection::State before = collection.state();
  Collection::State after = before;
  change(after);
  keep->Assign(std::move(after));
  transaction.OnRollback([this, keep, before = std::move(before)]() mutable {
    keep->Assign(std::move(before));
    ++version_;
  });
  return Save(transaction, *keep);
}

absl::StatusOr<std::shared_ptr<const Index>> Catalog::AddIndex(Transaction& transaction,
                                                               Collection& collection,
                                                               const IndexSpec& spec,
                                                               IndexState state) {
  MAYFLY_ASSIGN_OR_RETURN(std::shared_ptr<Index> index, MakeIndex(spec));
  index->building = state == IndexState::kBuilding;
  MAYFLY_ASSIGN_OR_RETURN(index->space, transaction.CreateSpace(SpaceKind::kKeys));
  SpaceId expiry = collection.state().expiry;
  if (spec.IsLastWriteTtl() && expiry == 0) {
    MAYFLY_ASSIGN_OR_RETURN(expiry, transaction.CreateSpace(SpaceKind::kKeys));
  }
  const RecordId end = collection.counters().next_record;
  MAYFLY_RETURN_IF_ERROR(Modify(transaction, collection, [&](Collection::State& state) {
    if (state.expiry != expiry) {
      state.expiry = expiry;
      state.backfill = {.next = 1, .end = end};
    }
    state.indexes.push_back(index);
  }));
  return index;
}

absl::Status Catalog::DropIndex(Transaction& transaction, Collection& collection,
                                const Index& index) {
  const SpaceId space = index.space;
  const bool ends_rule = index.spec.IsLastWriteTtl();
  MAYFLY_RETURN_IF_ERROR(transaction.DropSpace(space));
  if (ends_rule && collection.state().expiry != 0) {
    MAYFLY_RETURN_IF_ERROR(transaction.DropSpace(collection.state().expiry));
  }
  return Modify(transaction, collection, [&](Collection::State& state) {
    std::erase_if(state.indexes, [&](const auto& other) { return other->space == space; });
    if (ends_rule) {
      state.expiry = 0;
      state.backfill = {};
    }
  });
}

absl::Status Catalog::SetEpochAttribute(Transaction& transaction, Collection& collection,
                                        std::string_view attribute) {
  if (collection.epoch_rule().is_on()) {
    MAYFLY_RETURN_IF_ERROR(transaction.DropSpace(collection.epoch_rule().space));
  }
  EpochRule rule;
  if (!attribute.empty()) {
    rule.attribute = std::string(attribute);
    MAYFLY_ASSIGN_OR_RETURN(rule.space, transaction.CreateSpace(SpaceKind::kKeys));
    rule.backfill = {.next = 1, .end = collection.counters().next_record};
  }
  return Modify(transaction, collection, [&](Collection::State& state) { state.epoch = rule; });
}

absl::Status Catalog::SetSweep(Transaction& transaction,
                               const std::shared_ptr<Collection>& collection, SweepState sweep) {
  const std::string row_key = SweepKey(collection->state().records);
  MAYFLY_RETURN_IF_ERROR(
      sweep.pending ? transaction.PutKey(kCatalogSpace, row_key, MakeSweepRow(sweep).bytes())
                    : transaction.DeleteKey(kCatalogSpace, row_key));
  transaction.OnRollback([collection, before = collection->sweep()]() mutable {
    collection->set_sweep(std::move(before));
  });
  collection->set_sweep(std::move(sweep));
  return absl::OkStatus();
}

absl::Status Catalog::DropAbandoned(Transaction& transaction) {
  // Undone in the opposite order: what Drop puts back among the collections is taken out again.
  transaction.OnRollback([this, abandoned = abandoned_] {
    abandoned_ = abandoned;
    for (const auto& collection : abandoned) collections_.erase(collection->name());
  });
  for (const auto& collection : std::exchange(abandoned_, {})) {
    collections_.insert_or_assign(collection->name(), collection);
    MAYFLY_RETURN_IF_ERROR(Drop(transaction, *collection));
  }
  for (const auto& collection : All()) {
    const auto indexes = collection->indexes();
    for (const auto& index : indexes) {
      if (index->building) MAYFLY_RETURN_IF_ERROR(DropIndex(transaction, *collection, *index));
    }
  }
  transaction.OnRollback(
      [this, before = has_abandoned_builds_] { has_abandoned_builds_ = before; });
  has_abandoned_builds_ = false;
  return absl::OkStatus();
}

void Catalog::TouchCounters(Transaction& transaction,
                            const std::shared_ptr<Collection>& collection) {
  transaction.BeforeCommit(collection.get(), [collection](Transaction& commit) -> absl::Status {
    if (collection->dropped()) return absl::OkStatus();
    return commit.PutKey(kCatalogSpace, CountersKey(collection->state().records),
                         MakeCountersRow(collection->counters()).bytes());
  });
}

void Catalog::AddToCounters(Transaction& transaction, const std::shared_ptr<Collection>& collection,
                            int64_t documents, int64_t data_bytes) {
  collection->counters().documents += documents;
  collection->counters().data_bytes += data_bytes;
  transaction.OnRollback([collection, documents, data_bytes] {
    collection->counters().documents -= documents;
    collection->counters().data_bytes -= data_bytes;
  });
  TouchCounters(transaction, collection);
}

RecordId Catalog::NextRecordId(Transaction& transaction,
                               const std::shared_ptr<Collection>& collection) {
  TouchCounters(transaction, collection);
  return collection->counters().next_record++;
}

}  // namespace mayfly::engine

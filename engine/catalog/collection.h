// A collection or view as the catalog keeps it in memory, and an index of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bson/compare.h"
#include "bson/value.h"
#include "engine/catalog/expiry_rule.h"
#include "engine/catalog/index_spec.h"
#include "engine/catalog/wildcard_scope.h"
#include "engine/query/collation.h"
#include "engine/query/filter.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

using Uuid = std::array<uint8_t, 16>;

// How often an index was used by operations, since when; 0: since the process started.
struct IndexUsage {
  int64_t operations = 0;
  int64_t since_ms = 0;
};

// Immutable; replaced as a whole when something about it changes.
struct Index {
  IndexSpec spec;
  SpaceId space = 0;
  // Bit i: some document has had an array on the path of field i. Never taken back.
  uint32_t multikey_fields = 0;
  std::shared_ptr<const FilterNode> partial_filter;  // null: all documents
  CollationPtr strings;                              // null: binary
  std::shared_ptr<const WildcardScope> wildcard;     // null: not a wildcard index
  // Being filled: writers keep it up, nobody reads it.
  bool building = false;
  // Shared by all states of the index, touched only inside operations.
  std::shared_ptr<IndexUsage> usage = std::make_shared<IndexUsage>();

  bool IsMultikey() const { return multikey_fields != 0; }
};

// The options given to `create`, parsed. `stored` is what listCollections shows under `options`.
struct CollectionOptions {
  bson::Document stored;
  bool capped = false;
  // Natural order is the order of `_id`, and the `_id` index counts as no index of its own.
  bool clustered = false;
  int64_t capped_size_bytes = 0;
  int64_t capped_max_documents = 0;  // 0: no limit
  std::string view_on;               // not empty: a view
  bson::Document pipeline;           // the view's, as an array's bytes
  std::shared_ptr<const FilterNode> validator;
  bson::Document validator_document;
  bool validation_strict = true;  // false: "moderate"
  bool validation_off = false;    // validationLevel "off"
  bool validation_error = true;   // false: "warn"
  CollationPtr strings;           // the default collation; null: binary
  // Filled by one command that renames it when it is complete; gone if the process ends before.
  bool temporary = false;

  bool IsView() const { return !view_on.empty(); }
};

// What changes with every write and is kept by one row per commit.
struct CollectionCounters {
  int64_t documents = 0;     // expired but not yet removed ones included
  int64_t data_bytes = 0;    // of the documents, without record headers
  RecordId next_record = 1;  // never given back
};

// The expiry index's state: which records have their entries in it.
struct ExpiryBackfill {
  // Records with ids in [next, end) were there when the rule was switched on and have no entry yet.
  // Empty: done.
  RecordId next = 0;
  RecordId end = 0;
  bool done() const { return next >= end; }
};

// The rule of expiry by Unix seconds in an attribute, and the space of its entries.
struct EpochRule {
  std::string attribute;  // root-level; empty: off
  SpaceId space = 0;
  ExpiryBackfill backfill;

  bool is_on() const { return !attribute.empty(); }
};

// The walk that removes index entries of documents that the purge has removed before. Index spaces
// are walked in order of their ids, keys upwards.
struct SweepState {
  bool pending = false;  // entries without record may exist
  SpaceId space = 0;     // everything in spaces below this one is done; 0: not begun
  std::string key;       // and in this one, everything below this key

  bool has_begun() const { return space != 0; }
};

// Which indexes queries of one shape may use; of planCacheSetFilter.
struct IndexFilter {
  std::string shape;  // engine/query/query_shape.h
  bson::Document query;
  bson::Document sort;
  bson::Document projection;
  bson::Document collation;
  std::vector<bson::Value> indexes;  // names or key patterns
};

// Touched only inside operations of its database. Held by shared_ptr: a cursor may outlive the
// collection's drop.
class Collection {
 public:
  // Everything that is persistent besides the counters.
  struct State {
    std::string name;
    Uuid uuid{};
    CollectionOptions options;
    SpaceId records = 0;  // 0 for a view
    SpaceId expiry = 0;   // space of the expiry index; 0 while the last-write rule is off
    ExpiryBackfill backfill;
    std::vector<std::shared_ptr<const Index>> indexes;  // `_id_` first
    EpochRule epoch;
  };

  Collection(std::string database, State state) : database_(std::move(database)) {
    Assign(std::move(state));
  }

  const State& state() const { return state_; }
  // Replaces the state and what is derived from it. For the catalog.
  void Assign(State state);

  const std::string& name() const { return state_.name; }
  const std::string& database() const { return database_; }
  std::string ns() const { return database_ + "." + state_.name; }
  const Uuid& uuid() const { return state_.uuid; }
  const CollectionOptions& options() const { return state_.options; }
  bool IsView() const { return state_.options.IsView(); }
  const std::vector<std::shared_ptr<const Index>>& indexes() const { return state_.indexes; }
  // Without those that are being built.
  std::vector<std::shared_ptr<const Index>> ReadyIndexes() const;
  // Of ReadyIndexes, those that count: without `_id` if the collection is clustered.
  int CountedIndexes() const;
  std::shared_ptr<const Index> FindIndex(std::string_view name) const;
  const Index& id_index() const { return *state_.indexes.front(); }
  // The rule of expiry by last write, from the `_ts` index.
  const LastWriteRule& last_write_rule() const { return last_write_rule_; }

  const EpochRule& epoch_rule() const { return state_.epoch; }
  // True once, for the first value of the epoch attribute that looks like milliseconds.
  bool TakeEpochWarning() { return std::exchange(epoch_warning_due_, false); }
  // In memory only; they end with the process, as MongoDB's do.
  std::vector<IndexFilter>& index_filters() { return index_filters_; }
  const std::vector<IndexFilter>& index_filters() const { return index_filters_; }

  CollectionCounters& counters() { return counters_; }
  const CollectionCounters& counters() const { return counters_; }

  // Scans of the whole collection since the process began.
  int64_t scans() const { return scans_; }
  void CountScan() { ++scans_; }

  const SweepState& sweep() const { return sweep_; }
  // For the catalog.
  void set_sweep(SweepState sweep) { sweep_ = std::move(sweep); }

  // No document is due before this moment, so that the purge need not look. 0: not known. Writers
  // lower it.
  int64_t next_due_ms() const { return next_due_ms_; }
  void set_next_due_ms(int64_t moment_ms) { next_due_ms_ = moment_ms; }
  void LowerNextDue(int64_t due_ms) { next_due_ms_ = std::min(next_due_ms_, due_ms); }

  bool dropped() const { return dropped_; }
  void set_dropped(bool dropped) {
    dropped_ = dropped;
    ++version_;
  }
  // Grows whenever the state changes; plans and cursors notice by it.
  uint64_t version() const { return version_; }

 private:
  std::string database_;
  State state_;
  LastWriteRule last_write_rule_;
  std::vector<IndexFilter> index_filters_;
  CollectionCounters counters_;
  SweepState sweep_;
  int64_t next_due_ms_ = 0;
  bool epoch_warning_due_ = true;
  int64_t scans_ = 0;
  bool dropped_ = false;
  uint64_t version_ = 0;
};

}  // namespace mayfly::engine

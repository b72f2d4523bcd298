// The entries a document has in one index, as bytes of the index's space.
//
//   unique index:  key := fields           value := record id, type bits
//   other index:   key := fields record id  value := type bits
// Fields are encoded by engine/keys; a missing field as null. A hashed field holds the hash of its
// value. The field of a wildcard index is two fields of the key: the path as a string, then the
// value at it (wildcard_keys.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/catalog/collection.h"
#include "engine/expression/context.h"
#include "engine/keys/ordering.h"

namespace mayfly::engine {

// The keys of one document in one index: encoded fields without record id, sorted, each once.
// Reusable: Clear() keeps the memory.
class IndexKeySet {
 public:
  struct Key {
    std::string fields;
    std::string type_bits;
  };
  void Clear() {
    size_ = 0;
    multikey_fields_ = 0;
  }
  std::span<const Key> keys() const { return {keys_.data(), size_}; }
  uint32_t multikey_fields() const { return multikey_fields_; }
  bool Contains(std::string_view fields) const;
  // Null if there is none.
  const Key* Find(std::string_view fields) const;

 private:
  friend absl::Status ComputeIndexKeys(const Index&, bson::View, const EvaluationContext&,
                                       IndexKeySet*);
  // An empty key at the end.
  Key& Add();
  void SortAndUnique();

  std::vector<Key> keys_;  // those beyond size_ are kept for their memory
  size_t size_ = 0;
  uint32_t multikey_fields_ = 0;
};

// Fills `*out` with the keys of `document`: none if the index leaves it out (sparse, partial, or
// without entries).
// Errors: 171 CannotIndexParallelArrays, 16766 an array under a hashed index, 7246301 an array
// under the other fields of a wildcard index, 16755 and others from geo_check.h, or of the partial
// filter.
absl::Status ComputeIndexKeys(const Index& index, bson::View document,
                              const EvaluationContext& context, IndexKeySet* out);

// The directions of the key's fields.
Ordering OrderingOf(const IndexSpec& spec);

// The fields of the key by name; those of a wildcard index with `path` (empty: its own name) in
// place of the wildcard, after "$_path".
std::vector<IndexField> KeyFieldsOf(const IndexSpec& spec, std::string_view path = {});

// What a hashed field of `index` holds for a value.
bson::Value HashedFieldValue(const Index& index, bson::ValueView value);

// The store's key and value of an entry.
std::string EntryKey(const Index& index, std::string_view fields, RecordId id);
std::string EntryValue(const Index& index, std::string_view type_bits, RecordId id);

// The same in memory that is used again.
class EntryBytes {
 public:
  void Set(const Index& index, const IndexKeySet::Key& key, RecordId id);
  // Valid until the next Set().
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  std::string key_;
  std::string value_;
};

// An entry read back.
struct IndexEntry {
  std::string_view fields;
  std::string_view type_bits;
  RecordId id = kNoRecord;
};
IndexEntry ParseEntry(const Index& index, std::string_view key, std::string_view value);

// The key's values under the names of the key pattern's fields: {a: 1, b: "x"}, as error texts and
// covered plans need.
bson::Document EntryDocument(const Index& index, const IndexEntry& entry);

}  // namespace mayfly::engine

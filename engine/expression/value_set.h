// Hash sets and maps keyed by BSON values under MongoDB's equality.
#pragma once

#include "absl/container/flat_hash_set.h"
#include "bson/compare.h"
#include "bson/value.h"

namespace mayfly::engine {

// Transparent: looks up a Value by a view.
struct ValueHash {
  using is_transparent = void;
  const bson::StringComparator* strings = nullptr;
  size_t operator()(bson::ValueView value) const { return bson::Hash(value, strings); }
  size_t operator()(const bson::Value& value) const { return bson::Hash(value, strings); }
};

struct ValueEqual {
  using is_transparent = void;
  const bson::StringComparator* strings = nullptr;
  bool operator()(bson::ValueView a, bson::ValueView b) const { return bson::Equal(a, b, strings); }
};

using ViewSet = absl::flat_hash_set<bson::ValueView, ValueHash, ValueEqual>;
using ValueSet = absl::flat_hash_set<bson::Value, ValueHash, ValueEqual>;

// Empty sets that compare strings by `strings`.
inline ValueSet MakeValueSet(const bson::StringComparator* strings) {
  return ValueSet(0, ValueHash{strings}, ValueEqual{strings});
}

}  // namespace mayfly::engine

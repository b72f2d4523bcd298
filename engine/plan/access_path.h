// How documents of one collection are found: the planner's answer, and what explain shows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/catalog/collection.h"
#include "engine/query/interval.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

// Keys of an index in [start, end).
struct KeyRange {
  std::string start;
  std::string end;
};

struct AccessPath {
  enum class Kind : uint8_t {
    kNothing,         // no document can match
    kCollectionScan,  // in order of record ids
    kIdLookup,        // one document by `_id`
    kIndexScan,       // ranges of one index, then the documents
    kUnion,           // the branches' documents, each once
  };

  Kind kind = Kind::kCollectionScan;
  Direction direction = Direction::kForward;
  // kIdLookup, kIndexScan.
  std::shared_ptr<const Index> index;
  std::vector<KeyRange>
      ranges;  // kIndexScan: disjoint, in key order; kIdLookup: start is the encoded `_id`
  std::vector<Intervals> bounds;     // kIndexScan: what the ranges mean, field by field
  std::vector<AccessPath> branches;  // kUnion
  // kIndexScan of a wildcard index: the key's fields as this query sees them ("$_path" and the path
  // asked for); empty for others, whose fields are those of the index.
  std::vector<IndexField> wildcard_fields;
  // kCollectionScan: only documents with a value at one of these paths; empty: all.
  std::vector<std::string> only_with;
  // Documents come in the order asked for.
  bool sorted = false;
  // Every document found matches the filter, so it need not be evaluated.
  bool exact = false;
};

}  // namespace mayfly::engine

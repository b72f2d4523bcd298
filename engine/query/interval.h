// Sets of BSON values as sorted intervals: what a filter tells the planner about one path.
//
// The values are those that an index on the path would hold as keys: an array contributes each of
// its elements, an empty array `undefined`, a missing field `null`.
#pragma once

#include <vector>

#include "bson/compare.h"
#include "bson/value.h"

namespace mayfly::engine {

// All values v with low <= v <= high in MongoDB's order, an end left out if it is not inclusive.
struct Interval {
  bson::Value low;
  bson::Value high;
  bool low_inclusive = true;
  bool high_inclusive = true;

  static Interval Point(bson::ValueView value);
  static Interval Everything();  // [MinKey, MaxKey]
  bool IsPoint(const bson::StringComparator* strings = nullptr) const;
};

// Sorted by `low`, disjoint. Empty: no value.
using Intervals = std::vector<Interval>;

// Both sort and merge what overlaps or touches. `strings` is the collation under which strings are
// ordered.
Intervals Union(Intervals a, Intervals b, const bson::StringComparator* strings);
Intervals Intersect(const Intervals& a, const Intervals& b, const bson::StringComparator* strings);
Intervals Complement(const Intervals& a, const bson::StringComparator* strings);

// True if the keys inside depend on the collation: a bound is a string, symbol, document or array.
bool DependsOnCollation(const Intervals& intervals);

// The half-open interval of all values of the type bracket of `type` (all numbers, all strings and
// symbols, ...).
Interval TypeBracket(bson::Type type);

// Whether an index holds documents with an array on the path, so more than one key for a document.
enum class Multikey : uint8_t { kNo, kYes };

// Keys of an index, at least one of which every document that fulfils a predicate has.
struct IndexBounds {
  Intervals intervals;
  // A key inside means that the predicate is true, so the document need not be looked at.
  bool exact = false;
};

}  // namespace mayfly::engine

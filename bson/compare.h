// MongoDB's total order over values, and string comparison as a dependency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bson/view.h"

namespace mayfly::bson {

// Compares and encodes strings under a collation. Implementations are immutable and thread-safe.
// A null pointer wherever one is taken means binary comparison of UTF-8 bytes.
class StringComparator {
 public:
  virtual ~StringComparator() = default;
  // < 0, 0, > 0.
  virtual int Compare(std::string_view a, std::string_view b) const = 0;
  // Appends bytes whose memcmp order equals Compare(); may contain NULs.
  virtual void AppendSortKey(std::string_view text, std::string* out) const = 0;
  // Comparators with the same identity compare alike; an empty one is like no other.
  virtual std::string_view identity() const { return {}; }
};

// True if both compare strings alike; null is binary comparison.
bool SameOrder(const StringComparator* a, const StringComparator* b);

// -1, 0 or 1 in MongoDB's order: by CanonicalRank first, then by value. Numbers of all types
// compare by their exact mathematical value; NaN equals NaN and is below every other number; -0.0
// equals 0. Documents compare field by field: type rank, then name, then value. Strings and symbols
// compare as strings, by `strings`.
int Compare(ValueView a, ValueView b, const StringComparator* strings = nullptr);
int CompareDocuments(View a, View b, const StringComparator* strings = nullptr);

inline bool Equal(ValueView a, ValueView b, const StringComparator* strings = nullptr) {
  return Compare(a, b, strings) == 0;
}

// Equal values (in the sense of Compare) have equal hashes.
uint64_t Hash(ValueView value, const StringComparator* strings = nullptr);

// Same type and same bytes: what "the update changed nothing" means.
inline bool IdenticalBytes(ValueView a, ValueView b) {
  return a.type() == b.type() && a.bytes() == b.bytes();
}

}  // namespace mayfly::bson

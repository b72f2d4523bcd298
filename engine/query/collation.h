// Collations: the rules by which one operation, index or collection compares strings.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bson/compare.h"
#include "bson/value.h"

namespace mayfly::engine {

// The version of the rules that MongoDB reports, and the only one a specification may name.
inline constexpr std::string_view kCollationVersion = "57.1";

// A collation that is not the simple one. Immutable, thread-safe, shared by what uses it.
class Collation : public bson::StringComparator {
 public:
  // Every option with its value, those not given with the locale's default, as listIndexes shows
  // it.
  virtual bson::View spec() const = 0;
};

using CollationPtr = std::shared_ptr<const Collation>;

// Parses {locale: "en", strength: 2, ...}. Null for {locale: "simple"}: binary comparison. A field
// that is null counts as left out. Errors: 40414 without locale, 14 TypeMismatch, 2 BadValue for an
// unknown locale or value, 40415 for an unknown field, 161 IncompatibleCollationVersion. Some
// commands take {} for no collation: that is theirs to check.
absl::StatusOr<CollationPtr> ParseCollation(bson::View spec);

// True if both compare strings alike; null is the simple collation.
bool SameCollation(const Collation* a, const Collation* b);

}  // namespace mayfly::engine

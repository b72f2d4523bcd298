// What an index is: its key pattern and options, as createIndexes takes them and listIndexes shows
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "engine/query/collation.h"

namespace mayfly::engine {

enum class IndexKind : uint8_t {
  kAscending,
  kDescending,
  kHashed,
  kText,
  kGeo2d,
  kGeo2dSphere,
  kWildcard
};

struct IndexField {
  std::string path;  // "a.b"; for a wildcard the path before "$**", empty for all
  IndexKind kind = IndexKind::kAscending;
  bool descending = false;  // its number is negative, also that of a wildcard
};

// Immutable once made. `stored` is the canonical specification {v, key, name, options...} in the
// field order that listIndexes shows; everything else is read from it.
struct IndexSpec {
  std::string name;
  bson::Document key;
  std::vector<IndexField> fields;
  bool unique = false;
  bool sparse = false;
  bool hidden = false;
  bool prepare_unique = false;
  bool clustered = false;  // the `_id` index of a clustered collection
  std::optional<int32_t> expire_after_seconds;
  std::optional<bson::Document> partial_filter;
  std::optional<bson::Document> collation;
  std::optional<bson::Document> wildcard_projection;
  bson::Document stored;
  // The kind of the field that makes this more than an index of plain values; kAscending: none.
  IndexKind special = IndexKind::kAscending;

  bool IsId() const { return clustered || name == "_id_"; }
  // The rule of expiry by last write is on this index: {_ts: 1} or {_ts: -1} with
  // expireAfterSeconds.
  bool IsLastWriteTtl() const;
  // Expiry by a date in the field: any other single field with expireAfterSeconds.
  bool IsDateTtl() const { return expire_after_seconds.has_value() && !IsLastWriteTtl(); }
  bool IsWildcard() const { return special == IndexKind::kWildcard; }
  // False for the rule of expiry by last write: `_ts` is in the record's header and found through
  // the expiry index, so entries would only cost. And for text and geospatial indexes, which are
  // listed and checked only: no query can use them.
  bool HasEntries() const {
    return special != IndexKind::kText && special != IndexKind::kGeo2d &&
           special != IndexKind::kGeo2dSphere && !IsLastWriteTtl();
  }
  // Position of the field of kind `special`; 0 if there is none.
  size_t SpecialField() const;
};

// True for {_ts: 1} and {_ts: -1}.
bool IsLastModificationKey(bson::View key);

// Reads a specification that was stored by this program.
IndexSpec IndexSpecFromStored(bson::View stored);

struct IndexDefaults {
  // The collection's default collation, inherited by indexes that name none; null: simple.
  const Collation* collation = nullptr;
};

// Checks and completes one element of createIndexes' `indexes`. Errors are MongoDB's: 67
// CannotCreateIndex, 72 InvalidOptions, 197 InvalidIndexSpecificationOption, 14 TypeMismatch, 9
// FailedToParse and others.
enum class UnknownIndexOptions : uint8_t { kRefuse, kIgnore };
absl::StatusOr<IndexSpec> ParseIndexSpec(
    bson::View requested, const IndexDefaults& defaults,
    UnknownIndexOptions unknown = UnknownIndexOptions::kRefuse);

// The options and kinds there are; for reference.
struct IndexOptionDescription {
  std::string_view name;
  std::string_view help;
  bool ignored;  // accepted, without effect
};
std::vector<IndexOptionDescription> DescribeIndexOptions();
struct IndexKindDescription {
  std::string_view key;
  std::string_view help;
};
absl::Span<const IndexKindDescription> DescribeIndexKinds();

// The `_id` index every collection has.
IndexSpec MakeIdIndexSpec(const Collation* collation);
// The same for a clustered collection, from its options in stored form.
IndexSpec MakeClusteredIdIndexSpec(bson::View options);

// `spec` with one option replaced in `stored`, as collMod does.
IndexSpec WithExpireAfterSeconds(const IndexSpec& spec, std::optional<int32_t> seconds);
IndexSpec WithHidden(const IndexSpec& spec, bool hidden);
IndexSpec WithUnique(const IndexSpec& spec);
IndexSpec WithPrepareUnique(const IndexSpec& spec, bool prepare_unique);

// `expireAfterSeconds` of an index on `key` as createIndexes and collMod take it: cut to an integer
// and checked against the limits of the rule that the key belongs to (TTL.md sections 1 and 6).
// Error 67 CannotCreateIndex.
absl::StatusOr<int32_t> ParseExpireAfterSeconds(bson::View key, bson::ValueView value);

// How two specifications relate when the second is asked for while the first exists.
enum class IndexMatch : uint8_t {
  kDifferent,        // may exist side by side
  kIdentical,        // nothing to do
  kOptionsConflict,  // 85: same name or key, other options
  kKeyConflict,      // 86: same name, other key
};
IndexMatch MatchIndexSpecs(const IndexSpec& existing, const IndexSpec& requested);

}  // namespace mayfly::engine

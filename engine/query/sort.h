// Sort patterns: {a: 1, "b.c": -1, s: {$meta: "textScore"}}, the keys of documents under them, and
// their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/random.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "engine/query/path.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

enum class SortMeta : uint8_t { kNone, kTextScore, kRandom, kGeoNearDistance, kSearchScore };

struct SortField {
  Path path;                // of kNone; otherwise the name the pattern gives it
  bool descending = false;  // metadata sorts descending, except the distance
  SortMeta meta = SortMeta::kNone;
};

// Which metadata the rows to be sorted have.
struct SortContext {
  const bson::StringComparator* strings = nullptr;  // must outlive the pattern
  bool has_text_score = false;
  bool has_geo_distance = false;
};

// A parsed pattern. Immutable, thread-safe.
class SortSpec {
 public:
  // {} gives a pattern without parts, under which all rows are equal. Errors: 15974 a direction
  // that is no number, 15975 one that is not 1 or -1, 17312, 9 and 31138 for objects other than a
  // known {$meta: ...}, 40218 for metadata that is not there, 40352, 40353, 15998, 16410 for bad
  // paths, 15 for one that is too deep, 7472500 for a duplicate, 13103 for more than 32 fields.
  static absl::StatusOr<SortSpec> Parse(bson::View pattern, const SortContext& context);

  const std::vector<SortField>& parts() const { return parts_; }
  bool empty() const { return parts_.empty(); }
  bool NeedsRandom() const;

  // The key of a document: an array with one value for each part. Of the keys that arrays in the
  // document give, the one that sorts first. A missing value counts as null, an empty array as
  // undefined. `row` is for metadata, `random` for
  // {$meta: "randVal"}; both may be null without. Error: 2 BadValue if two parts lead through
  // different arrays.
  absl::StatusOr<bson::Value> KeyOf(bson::View document, const Row* row = nullptr,
                                    base::Random* random = nullptr) const;
  // < 0, 0, > 0 in the order of the pattern; both are results of KeyOf.
  int Compare(bson::ValueView a, bson::ValueView b) const;

 private:
  int CompareKeys(const std::vector<bson::ValueView>& a,
                  const std::vector<bson::ValueView>& b) const;

  std::vector<SortField> parts_;
  const bson::StringComparator* strings_ = nullptr;
};

// For find: 1 or -1 if the pattern is {$natural: 1} or {$natural: -1}, nullopt if it has no
// $natural. Error: 2 BadValue for another direction or if there are other fields.
absl::StatusOr<std::optional<int>> NaturalOrder(bson::View pattern);

}  // namespace mayfly::engine

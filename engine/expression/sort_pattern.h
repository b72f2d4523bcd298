// Sort orders over documents: {a: 1, "b.c": -1}. Used by $sort, $sortArray, $top and window
// functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "engine/expression/path.h"

namespace mayfly::engine {

// A parsed order. Immutable.
class SortPattern {
 public:
  struct Part {
    Path path;  // empty for {$meta: ...}
    std::string dotted;
    bool descending = false;
    enum class Meta { kNone, kTextScore, kRandom, kDistance, kOther } meta = Meta::kNone;
  };

  // Errors: 15976 empty, 15975 not 1 or -1, 15974 not a number, 7472500 a field given twice, 13103
  // more than 32 fields, 31138 unknown {$meta}, 17312 an object that is not {$meta: ...}.
  static absl::StatusOr<SortPattern> Parse(bson::View spec);

  const std::vector<Part>& parts() const { return parts_; }
  // The key of `document`: one value for each part; of the keys that arrays in the document give,
  // the one that sorts first. Missing counts as null, an empty array is below null. Error: 2
  // BadValue if two parts lead through different arrays.
  absl::StatusOr<std::vector<bson::Value>> Key(bson::View document,
                                               const bson::StringComparator* strings) const;
  // Views into the document instead of copies, valid as long as it is.
  absl::Status KeyViews(bson::View document, const bson::StringComparator* strings,
                        std::vector<bson::ValueView>* out) const;
  // < 0, 0, > 0.
  template <typename KeyA, typename KeyB>
  int Compare(const KeyA& a, const KeyB& b, const bson::StringComparator* strings) const {
    for (size_t i = 0; i < parts_.size(); ++i) {
      int order = bson::Compare(a[i], b[i], strings);
      if (order != 0) return parts_[i].descending ? -order : order;
    }
    return 0;
  }

 private:
  absl::Status FirstOfArrayKeys(bson::View document, const bson::StringComparator* strings,
                                std::vector<bson::ValueView>* out) const;

  std::vector<Part> parts_;
};

}  // namespace mayfly::engine

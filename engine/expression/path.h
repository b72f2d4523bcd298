// Dotted paths of filters and sorts, and how they are walked through a document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "bson/view.h"

namespace mayfly::engine {

// "a.0.b" split at the dots. Any text is a path; components may be empty. Immutable, movable.
class Path {
 public:
  Path() = default;
  explicit Path(std::string_view text);

  const std::string& text() const { return text_; }
  size_t size() const { return parts_.size(); }
  std::string_view part(size_t i) const {
    return std::string_view(text_).substr(parts_[i].begin, parts_[i].size);
  }
  // The array position that component `i` names; -1 if it is not a decimal number as arrays have
  // for keys.
  int64_t index(size_t i) const { return parts_[i].index; }

 private:
  struct Part {
    uint32_t begin;
    uint32_t size;
    int64_t index;
  };
  std::string text_;
  std::vector<Part> parts_;
};

// What happens to an array at the end of the path.
enum class LeafArray : uint8_t {
  kTraverse,  // its elements are visited, then the array itself
  kWhole,     // only the array itself
};

// `array_index`: position in the outermost array that was walked through without being named in the
// path; -1 if none. Returns true to stop.
using PathVisitor = absl::FunctionRef<bool(bson::ValueView value, int64_t array_index)>;

// Visits every value that `path` leads to under MongoDB's rules for filters: documents are entered
// by name; arrays on the way are entered element by element where elements are documents, and by
// position where the component is a number; a path that ends early in documents or scalars gives
// one missing value. An array on the way without documents gives nothing. Returns true if the
// visitor stopped. Recursion is bounded by the number of components.
bool VisitPath(const Path& path, bson::View document, LeafArray leaf, PathVisitor visitor);

// Checks the path of a sort or a projection: the errors of ParseFieldPath, but 15 Overflow if it is
// too deep.
absl::Status CheckFieldPath(std::string_view path);

// The order in which new fields of one update are created: numbers by value, then names bytewise.
bool CreatedBefore(std::string_view a, std::string_view b);

}  // namespace mayfly::engine

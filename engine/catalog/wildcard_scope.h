// Which paths of documents a wildcard index holds: those below its root ("a.$**"), or those that
// its wildcardProjection leaves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/catalog/index_spec.h"

namespace mayfly::engine {

// Immutable.
class WildcardScope {
 public:
  // `spec` must be of a wildcard index.
  explicit WildcardScope(const IndexSpec& spec);

  // A value at `path` itself is held.
  bool HoldsValueAt(std::string_view path) const;
  // Everything at and below `path` is held.
  bool HoldsSubtree(std::string_view path) const;
  // Something at or below `path` may be held.
  bool MayHoldBelow(std::string_view path) const;

 private:
  bool inclusive_ = false;          // `paths_` are held; otherwise all but `paths_`
  bool holds_id_ = false;           // `_id` is held: the projection says so
  std::vector<std::string> paths_;  // without `_id` itself
};

// True if `path` is `above` or lies below it: "a.b" is below "a".
bool IsAtOrBelow(std::string_view path, std::string_view above);

}  // namespace mayfly::engine

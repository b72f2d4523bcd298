// A filter's top-level conjunction as predicates on paths, for the planner.
#pragma once

#include <string>
#include <vector>

#include "engine/query/filter.h"
#include "engine/query/interval.h"

namespace mayfly::engine {

// One condition every matching document fulfils.
struct Predicate {
  std::string path;
  const FilterNode* node = nullptr;  // gives the bounds
  // Predicates of the same $elemMatch hold for one and the same array element; null: none.
  const FilterNode* element = nullptr;
  // A document without the path cannot match.
  bool needs_path = false;
};

struct Predicates {
  std::vector<Predicate> all;
  std::vector<const FilterNode*> disjunctions;  // $or nodes of the conjunction
  bool impossible = false;                      // nothing can match
  // True if `all` says everything the filter says, so bounds that are exact can stand for it.
  bool complete = true;
};

Predicates CollectPredicates(const FilterNode& filter);

}  // namespace mayfly::engine

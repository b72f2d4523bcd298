// What one index can do for a query.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/error_code.h"
#include "engine/plan/access_path.h"
#include "engine/plan/planner.h"
#include "engine/plan/predicates.h"

namespace mayfly::engine {

struct IndexPlan {
  AccessPath path;
  int equality_fields = 0;    // leading fields bounded by points
  int bounded_fields = 0;     // leading fields bounded at all
  bool single_points = true;  // every equality field has just one point
  bool unique_point = false;  // at most one document
};

// nullopt if the index cannot be used, or gives neither bounds nor order (unless `forced` by a
// hint).
enum class Forced : uint8_t { kNo, kYes };
std::optional<IndexPlan> PlanWithIndex(const PlanRequest& request, const Predicates& predicates,
                                       const std::shared_ptr<const Index>& index, Forced forced);

// The same for a wildcard index, which can serve any one of the paths that have predicates: a plan
// for each.
std::vector<IndexPlan> PlansWithWildcard(const PlanRequest& request, const Predicates& predicates,
                                         const std::shared_ptr<const Index>& index);

// Ranges for min() and max() of a query on `index`. Error: 51176 and the like if their fields do
// not fit the index, kEmptyKeyRange if no key can be between them.
inline constexpr auto kEmptyKeyRange = static_cast<base::ErrorCode>(51175);
absl::StatusOr<IndexPlan> PlanWithMinMax(const PlanRequest& request,
                                         const std::shared_ptr<const Index>& index);

}  // namespace mayfly::engine

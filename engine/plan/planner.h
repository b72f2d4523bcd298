// Chooses how to find the documents of a query. Knows no operators: it asks the filter's nodes for
// bounds.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "engine/plan/access_path.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

// One field of a sort that an index can give.
struct OrderField {
  std::string path;
  bool descending = false;
};

struct PlanRequest {
  const Collection& collection;
  const FilterNode& filter;
  // The order asked for; empty: none, or one that no index gives ({$meta: ...}).
  std::vector<OrderField> order;
  const bson::StringComparator* strings = nullptr;  // the operation's collation
  bson::ValueView hint;  // an index name, a key pattern, {$natural: 1 or -1}, or missing
  bson::View min;        // with hint: keys from here on
  bson::View max;        // with hint: keys before this
  // Only these indexes may be used, and no hint counts; null: all.
  const IndexFilter* index_filter = nullptr;
};

// The collection's index filter for queries of that shape; null if there is none.
const IndexFilter* FindIndexFilter(const Collection& collection, std::string_view shape);

// Errors: 2 BadValue for a hint that names no index or does not fit min and max, 291
// NoQueryExecutionPlans where a hinted index cannot be used.
absl::StatusOr<AccessPath> ChoosePlan(const PlanRequest& request);

// The same and, in order of preference, the other index plans that were weighed (for explain).
struct PlanChoice {
  AccessPath winner;
  std::vector<AccessPath> rejected;
};
absl::StatusOr<PlanChoice> ChoosePlanWithAlternatives(const PlanRequest& request);

}  // namespace mayfly::engine

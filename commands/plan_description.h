// Plans as explain shows them, in MongoDB's terms: COLLSCAN, IXSCAN, FETCH, SORT ...
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bson/builder.h"
#include "engine/catalog/collection.h"
#include "engine/exec/find_query.h"
#include "engine/plan/access_path.h"

namespace mayfly::commands {

// What running a plan came to; shown in every stage.
struct PlanCounts {
  int64_t returned = 0;
  int64_t keys = 0;
  int64_t documents = 0;
  int64_t millis = 0;
};

struct PlanDescription {
  const engine::Collection& collection;
  const engine::FilterNode& filter;
  const engine::FindRequest& request;  // sort, skip, limit, projection
  const engine::AccessPath& path;
  std::optional<PlanCounts> counts;  // only in executionStats
};

// The stages as the open document `field`, outermost first.
void AppendPlan(std::string_view field, const PlanDescription& plan, bson::Builder& out);

// The name of what is done on top: "UPDATE", "DELETE", "COUNT"; wraps the plan of the search.
void AppendPlanUnder(std::string_view field, std::string_view stage, const PlanDescription& plan,
                     bson::Builder& out);

}  // namespace mayfly::commands

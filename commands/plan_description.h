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

// What running a plan came to.
struct PlanCounts {
  int64_t returned = 0;
  int64_t keys = 0;
  int64_t documents = 0;
  int64_t millis = 0;
  int64_t modified = 0;  // by an update, had it been one
  int64_t inserted = 0;  // by its upsert
};

// What a command does with the documents it finds.
enum class Purpose : uint8_t { kRead, kCount, kDistinct, kUpdate, kDelete };

struct PlanDescription {
  const engine::Collection& collection;
  const engine::FilterNode& filter;
  const engine::FindRequest& request;  // sort, skip, limit, projection
  const engine::AccessPath& path;
  Purpose purpose = Purpose::kRead;
  bool entries_only = false;         // nothing is fetched
  std::string_view key = {};         // of a distinct
  std::optional<PlanCounts> counts;  // only in executionStats
};

// The stages as the open document `field`, outermost first.
void AppendPlan(std::string_view field, const PlanDescription& plan, bson::Builder& out);
// The same with `isCached`, as the winning plan is shown.
void AppendWinningPlan(const PlanDescription& plan, bson::Builder& out);

}  // namespace mayfly::commands

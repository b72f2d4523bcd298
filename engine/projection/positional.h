// The positional operator of projections: {"a.b.$": 1}.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bson/builder.h"
#include "bson/view.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

struct Positional {
  const FilterNode& filter;
  const std::vector<std::string>& path;
  MatchContext& context;
};

// The element at `index`; missing if there are not so many.
bson::ValueView ElementAt(bson::View array, int64_t index);

// Writes `projected` into the open document, of the first array on the path only the element by
// which `document` matches the filter. Errors: 51246 if the filter walked through no array, 51247
// if the array has no such element.
absl::Status WritePositional(bson::View projected, bson::View document,
                             const Positional& positional, bson::Builder* out);

}  // namespace mayfly::engine

// Shapes of queries: what remains of a query when its constants are taken out. Queries of one shape
// have one index filter and one hash in explain.
#pragma once

#include <string>
#include <string_view>

#include "bson/view.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

// What a query asks for besides its filter.
struct ShapeParts {
  bson::View sort;
  bson::View projection;
  bson::View collation;
};

// The shape that decides about plans: operators and paths of the parsed filter in a fixed order,
// sort, projection, collation.
std::string PlanShape(const FilterNode& filter, const ShapeParts& parts);

// The shape of a command as it was written: clauses stay in order, constants become their types.
std::string FindShape(bson::View filter, const ShapeParts& parts);
// `pipeline` is an array.
std::string PipelineShape(bson::View pipeline, bson::View collation);
// The shape of one stage or expression.
std::string ExpressionShape(bson::ValueView value);

// 8 and 64 upper-case hexadecimal digits.
std::string ShortHash(std::string_view shape);
std::string LongHash(std::string_view shape);

}  // namespace mayfly::engine

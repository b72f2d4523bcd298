// The list of all families of filter operators.
#pragma once

#include "absl/types/span.h"
#include "engine/query/filter_parser.h"

namespace mayfly::engine {

absl::Span<const FilterFamily> FilterFamilies();

// One function for each family, defined at the end of its file.
FilterFamily ComparisonFilters();
FilterFamily MembershipFilters();
FilterFamily LogicalFilters();
FilterFamily ElementFilters();
FilterFamily ArrayFilters();
FilterFamily ArithmeticFilters();
FilterFamily BitFilters();
FilterFamily RegexFilters();
FilterFamily EvaluationFilters();
FilterFamily SchemaFilters();
FilterFamily GeoFilters();
FilterFamily NearFilters();
FilterFamily TextFilters();
FilterFamily UnsupportedFilters();

}  // namespace mayfly::engine

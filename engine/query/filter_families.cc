#include "engine/query/filter_families.h"

#include <array>

namespace mayfly::engine {

absl::Span<const FilterFamily> FilterFamilies() {
  static const std::array kFamilies = {
      ComparisonFilters(), MembershipFilters(),  LogicalFilters(), ElementFilters(),
      ArrayFilters(),      ArithmeticFilters(),  BitFilters(),     RegexFilters(),
      EvaluationFilters(), SchemaFilters(),      GeoFilters(),     NearFilters(),
      TextFilters(),       UnsupportedFilters(),
  };
  return kFamilies;
}

}  // namespace mayfly::engine

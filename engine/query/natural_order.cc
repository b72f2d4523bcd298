#include "engine/query/natural_order.h"

#include "base/status.h"
#include "bson/number.h"

namespace mayfly::engine {

absl::StatusOr<std::optional<int>> NaturalOrder(bson::View pattern) {
  const bson::ValueView natural = pattern.Find("$natural");
  if (natural.IsMissing()) return std::nullopt;
  const std::optional<int64_t> direction =
      natural.IsNumber() ? bson::ToInt64Exact(natural) : std::nullopt;
  if (direction != 1 && direction != -1) {
    return base::Error(base::ErrorCode::kBadValue,
                       "$natural sort cannot be set to a value other than -1 or 1.");
  }
  if (pattern.Count() > 1) {
    return base::Error(base::ErrorCode::kBadValue,
                       "Cannot combine $natural sort with other sort keys");
  }
  return static_cast<int>(*direction);
}

}  // namespace mayfly::engine

// The order in which documents are stored, as a sort asks for it.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "bson/view.h"

namespace mayfly::engine {

// For find: 1 or -1 if the pattern is {$natural: 1} or {$natural: -1}, nullopt if it has no
// $natural. Error: 2 BadValue for another direction or if there are other fields.
absl::StatusOr<std::optional<int>> NaturalOrder(bson::View pattern);

}  // namespace mayfly::engine

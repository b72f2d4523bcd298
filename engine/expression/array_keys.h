// The keys that arrays in a document give for a list of paths: each array on the way is taken
// apart, element by element.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "bson/view.h"
#include "engine/expression/path.h"

namespace mayfly::engine {

// Calls `visit` with one value for each path, for every combination that the document's arrays
// give. Missing is missing; an empty array at the end of a path is undefined. A component that is a
// number names a position where the array has no document with such a field. Views point into the
// document. Error: 2 BadValue if two paths lead through different arrays.
absl::Status VisitArrayKeys(bson::View document, const std::vector<const Path*>& paths,
                            absl::FunctionRef<void(const std::vector<bson::ValueView>&)> visit);

}  // namespace mayfly::engine

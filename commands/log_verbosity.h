// logComponentVerbosity: the tree of the log's components, each with a verbosity or -1 to take its
// parent's.
#pragma once

#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::commands {

// Every component at -1, and the default of all at 0.
bson::Document DefaultLogVerbosity();
// `now` with the members of `change` set. A member is {verbosity: n} or n itself. Error: 2 BadValue
// for an unknown component or what is no 32-bit number; nothing is changed then.
absl::StatusOr<bson::Document> ChangeLogVerbosity(bson::View now, bson::View change);
// `now` with the default of all set to `level`.
bson::Document WithLogLevel(bson::View now, int32_t level);

}  // namespace mayfly::commands

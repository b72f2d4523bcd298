// The `timeseries` option of `create`: checked as MongoDB does, although what passes is refused.
#pragma once

#include "absl/status/status.h"
#include "bson/view.h"

namespace mayfly::commands {

// Errors: 14, 40414, 40415, 2 BadValue, 72 InvalidOptions; 115 CommandNotSupported for what is
// right: there are no time-series collections here.
absl::Status CheckTimeSeries(bson::View options);

}  // namespace mayfly::commands

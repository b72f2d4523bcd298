// Results as a table for people, as JSON for later, and two such files side by side.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "tools/bench/runner.h"

namespace mayfly::bench {

// One line for each result, with its share of `ping` by as many clients on the same target and of
// the raw tables' documents a second in the same run, where there are such.
std::string Table(const std::vector<Result>& results);

std::string ToJson(const std::vector<Result>& results);
absl::StatusOr<std::vector<Result>> FromJsonFile(const std::string& path);

// The medians of both and their ratio; differences within the spread of either run are marked as
// noise.
std::string Compare(const std::vector<Result>& before, const std::vector<Result>& after);

}  // namespace mayfly::bench

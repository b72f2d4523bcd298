// What the server has to reach, as ratios within one run.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/runner.h"

namespace mayfly::bench {

// The workloads with their numbers of clients that the bars need.
std::set<std::pair<std::string, int>> WorkloadsOfBars();

// One line for each bar that the results allow to check. `*failed` is how many are missed.
std::string BarTable(const std::vector<Result>& results, int* failed);

}  // namespace mayfly::bench

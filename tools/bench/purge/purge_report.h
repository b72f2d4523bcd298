// The results of the benchmark of expiry, as a table for people and as JSON for later.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/purge/lag.h"
#include "tools/bench/purge/raw_purge.h"
#include "tools/bench/purge/removal.h"
#include "tools/bench/purge/rules.h"

namespace mayfly::bench {

struct PurgePair {
  ForegroundResult without;
  Removal during;
};

// One size with one number of indexes.
struct PurgeResult {
  int64_t documents = 0;
  int indexes = 0;
  RawPurge raw;
  Removal alone;
  std::vector<PurgePair> pairs;
};

struct PurgeReport {
  double peak = 0;  // requests a second of the foreground
  double rate = 0;  // at which it runs
  std::vector<PurgeResult> results;
  Lag lag;
  RuleCosts rules;
};

std::string Table(const PurgeReport& report);
std::string ToJson(const PurgeReport& report);

}  // namespace mayfly::bench

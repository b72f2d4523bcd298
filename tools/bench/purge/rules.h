// What the rules themselves cost: a change of the default lifetime, and inserts into a collection
// that has a rule.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace mayfly::bench {

struct RuleCosts {
  // collMod of the default lifetime, medians in microseconds.
  double change_few_us = 0;   // with ten documents
  double change_many_us = 0;  // with as many as were asked for
  // Documents a second by one client in batches of a thousand, medians of rounds that take turns.
  double insert_plain = 0;  // no rule
  double insert_rule = 0;   // an index on _ts with a default lifetime
  double insert_own = 0;    // and a `ttl` in each document
};

absl::StatusOr<RuleCosts> MeasureRuleCosts(const std::string& uri, int64_t documents, int rounds);

}  // namespace mayfly::bench

// What a whole collection looks like to its expiry rules: how much is due, what comes next, and
// which documents the rules cannot use. For `ttlStatus`.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "ttl/lifetime.h"

namespace mayfly::ttl {

struct Survey {
  // Documents that clients see, and of those:
  int64_t visible = 0;
  int64_t own_ttl = 0;      // with a valid `ttl` of 1 or more
  int64_t never = 0;        // with `ttl` -1
  int64_t from_future = 0;  // last modified after now: written under a wrong clock
  int64_t without_end = 0;  // that no rule ever removes
  // Invalid values of `ttl` by what is wrong: the name of a wrong type, "fraction" or "range".
  std::map<std::string, int64_t, std::less<>> invalid_ttl;

  // Expired and not yet removed: hidden from clients, or by a rule that leaves them visible.
  int64_t hidden = 0;
  int64_t due = 0;
  std::optional<int64_t> oldest_due_ms;

  // What is still to come. Each span contains the shorter ones.
  std::optional<int64_t> next_due_ms;
  Rule next_rule = Rule::kLastWrite;
  int64_t next_minute = 0;
  int64_t next_hour = 0;
  int64_t next_day = 0;
};

// Reads every document, at the one moment context.now_ms and by `rules`; lets others run meanwhile,
// and ends with the error of the interrupt (maxTimeMS, killOp) or 175 if the collection is dropped.
absl::StatusOr<Survey> SurveyCollection(engine::ExecutionContext& context,
                                        const std::shared_ptr<engine::Collection>& collection,
                                        const RuleSet& rules);

}  // namespace mayfly::ttl

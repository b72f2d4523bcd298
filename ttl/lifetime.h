// When one document expires, by which of its collection's rules, and if never, why. For reports:
// what hides and removes documents decides by the same pure rules, but without reasons.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/catalog/record.h"
#include "engine/expression/context.h"

namespace mayfly::ttl {

enum class Rule : uint8_t { kLastWrite, kDate, kEpoch };
// "lastWrite", "date", "epoch": as replies and logs name them.
std::string_view RuleName(Rule rule);

// The rules of a collection. A copy: stays as it is while others change the collection.
struct RuleSet {
  std::shared_ptr<const engine::Index> last_write;  // the `_ts` index; null: no rule
  engine::LastWriteRule last_write_rule;
  std::vector<std::shared_ptr<const engine::Index>> dates;
  std::string epoch_attribute;  // empty: no rule

  bool empty() const { return last_write == nullptr && dates.empty() && epoch_attribute.empty(); }
};
RuleSet RulesOf(const engine::Collection& collection);

// What a rule finds in a document.
enum class Finding : uint8_t {
  kExpires,  // at `due_ms`
  // Never, because:
  kTtlIsNever,  // its own ttl is -1
  kNoDefault,   // it has no ttl of its own, and the rule no default
  kNoField,     // the field of the rule is missing
  kNoDate,      // the field holds no date
  kNotCovered,  // it does not match the partial filter
  kNoNumber,    // the attribute is no number
  kNoMoment,    // the attribute is a number that names no moment: negative, NaN, beyond all clocks
  kLongAgo,     // the attribute is more than five years in the past
};

struct RuleFinding {
  Rule rule = Rule::kLastWrite;
  Finding finding = Finding::kExpires;
  int64_t due_ms = 0;
  const engine::Index* index = nullptr;  // of the rule set; null for kEpoch
};

// One finding for each rule, in the order of the set. `evaluation` is for partial filters; its
// now_ms is the moment by which "long ago" is meant.
absl::Status FindExpiry(const RuleSet& rules, const engine::RecordView& record,
                        const engine::EvaluationContext& evaluation,
                        std::vector<RuleFinding>* findings);

// The finding that comes first, or null if none expires.
const RuleFinding* Earliest(const std::vector<RuleFinding>& findings);

// What a document with these findings is for clients at `now_ms`.
enum class Visibility : uint8_t {
  kVisible,
  kDue,     // expired by a rule that leaves it visible until it is removed
  kHidden,  // expired by last write: gone for everybody, not yet removed
};
Visibility VisibilityAt(const std::vector<RuleFinding>& findings, int64_t now_ms);
// "visible", "due", "hidden"
std::string_view VisibilityName(Visibility visibility);

// The finding as a sentence for whoever wonders: "its own ttl: 20 s after its last modification".
std::string Describe(const RuleSet& rules, const RuleFinding& finding, bson::View document);

// Why a document's `ttl` has no effect, as a sentence; empty if it has one, or is absent.
std::string DescribeUnusedTtl(const RuleSet& rules, bson::View document);

}  // namespace mayfly::ttl

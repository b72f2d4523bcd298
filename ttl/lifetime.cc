#include "ttl/lifetime.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/index/key_values.h"

namespace mayfly::ttl {
namespace {

using base::StrCat;
using bson::ValueView;

RuleFinding FindLastWrite(const RuleSet& rules, const engine::RecordHeader& header) {
  RuleFinding result{.rule = Rule::kLastWrite, .index = rules.last_write.get()};
  if (const auto due_ms = header.ExpiresAtMs(rules.last_write_rule); due_ms.has_value()) {
    result.due_ms = *due_ms;
  } else {
    result.finding = header.own_ttl.has_value() ? Finding::kTtlIsNever : Finding::kNoDefault;
  }
  return result;
}

absl::StatusOr<RuleFinding> FindDate(const engine::Index& index, bson::View document,
                                     const engine::EvaluationContext& evaluation) {
  RuleFinding result{.rule = Rule::kDate, .index = &index};
  if (index.partial_filter != nullptr) {
    engine::MatchContext match(evaluation);
    MAYFLY_ASSIGN_OR_RETURN(const bool covered, index.partial_filter->Matches(document, match));
    if (!covered) {
      result.finding = Finding::kNotCovered;
      return result;
    }
  }
  std::optional<int64_t> earliest;
  MAYFLY_ASSIGN_OR_RETURN(
      const engine::DocumentKeysInfo info,
      engine::ForEachKey(index.spec.fields, document, [&](std::span<const ValueView> key) {
        if (key.front().type() != bson::Type::kDate) return;
        const int64_t date = key.front().AsDate();
        earliest = std::min(earliest.value_or(date), date);
      }));
  if (earliest.has_value()) {
    result.due_ms = engine::DateDueMs(*earliest, *index.spec.expire_after_seconds);
  } else {
    result.finding = info.any_field_exists ? Finding::kNoDate : Finding::kNoField;
  }
  return result;
}

RuleFinding FindEpoch(ValueView value, int64_t now_ms) {
  RuleFinding result{.rule = Rule::kEpoch};
  if (const auto moment_ms = engine::EpochMomentMs(value); moment_ms.has_value()) {
    result.due_ms = *moment_ms;
    if (now_ms - *moment_ms > engine::kEpochGuardMs) result.finding = Finding::kLongAgo;
  } else if (value.IsMissing()) {
    result.finding = Finding::kNoField;
  } else {
    result.finding = value.IsNumber() ? Finding::kNoMoment : Finding::kNoNumber;
  }
  return result;
}

std::string IndexText(const RuleFinding& finding) {
  return StrCat("index ", finding.index->spec.name, " on ", finding.index->spec.fields[0].path);
}

std::string DescribeLastWrite(const RuleSet& rules, const RuleFinding& finding,
                              bson::View document) {
  if (finding.finding == Finding::kTtlIsNever) return "its own ttl is -1: never";
  if (finding.finding == Finding::kNoDefault) {
    return StrCat("it has no ttl of its own, and ", IndexText(finding),
                  " gives no default (expireAfterSeconds: -1)");
  }
  if (const auto own = engine::OwnTtl(document); own.has_value()) {
    return StrCat("its own ttl: ", *own, " s after its last modification");
  }
  return StrCat(IndexText(finding), ": ", rules.last_write_rule.seconds,
                " s after its last modification");
}

std::string DescribeDate(const RuleFinding& finding) {
  const std::string index = IndexText(finding);
  if (finding.finding == Finding::kNoField) return StrCat(index, ": the field is missing");
  if (finding.finding == Finding::kNoDate) return StrCat(index, ": the field holds no date");
  if (finding.finding == Finding::kNotCovered) {
    return StrCat(index, ": the document does not match its partialFilterExpression");
  }
  return StrCat(index, ": ", *finding.index->spec.expire_after_seconds, " s after that date");
}

std::string DescribeEpoch(const RuleSet& rules, const RuleFinding& finding, bson::View document) {
  const std::string attribute = StrCat("attribute ", rules.epoch_attribute);
  const ValueView value = document.Find(rules.epoch_attribute);
  if (finding.finding == Finding::kNoField) return StrCat(attribute, ": the field is missing");
  if (finding.finding == Finding::kNoNumber) {
    return StrCat(attribute, ": of type ", bson::TypeName(value.type()), ", not a number");
  }
  if (finding.finding == Finding::kNoMoment) {
    return StrCat(attribute, ": ", bson::ToShellText(value), " is no Unix time");
  }
  if (finding.finding == Finding::kLongAgo) {
    return StrCat(attribute, ": more than five years in the past, so taken for a mistake");
  }
  const bool milliseconds = engine::LooksLikeMilliseconds(value);
  return StrCat(attribute, ": the Unix time in it",
                milliseconds ? ", which looks like milliseconds where seconds are meant" : "");
}

std::string DescribeTtlRange(ValueView ttl) {
  const bool finite = !ttl.IsNumber() || std::isfinite(bson::ToDouble(ttl));
  return StrCat(
      "its ttl is ignored: ", bson::ToShellText(ttl),
      finite ? " is neither -1 nor between 1 and 2147483647" : " is no number of seconds");
}

// Hashed, geographic and text indexes may have a lifetime and do nothing with it, as in MongoDB.
bool OrdersValues(const engine::IndexSpec& spec) {
  const engine::IndexKind kind = spec.fields.front().kind;
  return kind == engine::IndexKind::kAscending || kind == engine::IndexKind::kDescending;
}

}  // namespace

std::string_view RuleName(Rule rule) {
  switch (rule) {
    case Rule::kLastWrite:
      return "lastWrite";
    case Rule::kDate:
      return "date";
    case Rule::kEpoch:
      return "epoch";
  }
  return "";
}

std::string_view VisibilityName(Visibility visibility) {
  switch (visibility) {
    case Visibility::kVisible:
      return "visible";
    case Visibility::kDue:
      return "due";
    case Visibility::kHidden:
      return "hidden";
  }
  return "";
}

RuleSet RulesOf(const engine::Collection& collection) {
  RuleSet rules;
  for (const auto& index : collection.indexes()) {
    if (index->spec.IsLastWriteTtl()) {
      rules.last_write = index;
      rules.last_write_rule = collection.last_write_rule();
    } else if (index->spec.IsDateTtl() && OrdersValues(index->spec)) {
      rules.dates.push_back(index);
    }
  }
  rules.epoch_attribute = collection.epoch_rule().attribute;
  return rules;
}

absl::Status FindExpiry(const RuleSet& rules, const engine::RecordView& record,
                        const engine::EvaluationContext& evaluation,
                        std::vector<RuleFinding>* findings) {
  findings->clear();
  if (rules.last_write != nullptr) findings->push_back(FindLastWrite(rules, record.header));
  for (const auto& index : rules.dates) {
    MAYFLY_ASSIGN_OR_RETURN(const RuleFinding finding,
                            FindDate(*index, record.document, evaluation));
    findings->push_back(finding);
  }
  if (!rules.epoch_attribute.empty()) {
    const ValueView value = record.document.Find(rules.epoch_attribute);
    findings->push_back(FindEpoch(value, evaluation.now_ms));
  }
  return absl::OkStatus();
}

const RuleFinding* Earliest(const std::vector<RuleFinding>& findings) {
  const RuleFinding* earliest = nullptr;
  for (const RuleFinding& finding : findings) {
    if (finding.finding != Finding::kExpires) continue;
    if (earliest == nullptr || finding.due_ms < earliest->due_ms) earliest = &finding;
  }
  return earliest;
}

Visibility VisibilityAt(const std::vector<RuleFinding>& findings, int64_t now_ms) {
  Visibility visibility = Visibility::kVisible;
  for (const RuleFinding& finding : findings) {
    if (finding.finding != Finding::kExpires || finding.due_ms > now_ms) continue;
    if (finding.rule == Rule::kLastWrite) return Visibility::kHidden;
    visibility = Visibility::kDue;
  }
  return visibility;
}

std::string Describe(const RuleSet& rules, const RuleFinding& finding, bson::View document) {
  switch (finding.rule) {
    case Rule::kLastWrite:
      return DescribeLastWrite(rules, finding, document);
    case Rule::kDate:
      return DescribeDate(finding);
    case Rule::kEpoch:
      return DescribeEpoch(rules, finding, document);
  }
  return "";
}

std::string DescribeUnusedTtl(const RuleSet& rules, bson::View document) {
  const ValueView ttl = document.Find("ttl");
  switch (engine::ClassifyTtl(ttl)) {
    case engine::TtlDefect::kAbsent:
      return "";
    case engine::TtlDefect::kNone:
      if (rules.last_write != nullptr) return "";
      return "its ttl has no effect: no index on _ts with expireAfterSeconds";
    case engine::TtlDefect::kType:
      return StrCat("its ttl is ignored: of type ", bson::TypeName(ttl.type()),
                    ", not int, long or double");
    case engine::TtlDefect::kFraction:
      return StrCat("its ttl is ignored: ", bson::ToShellText(ttl), " is no whole number");
    case engine::TtlDefect::kRange:
      return DescribeTtlRange(ttl);
  }
  return "";
}

}  // namespace mayfly::ttl

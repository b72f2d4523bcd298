#include "ttl/survey.h"

#include <algorithm>

#include "base/status.h"
#include "engine/exec/scan_streams.h"

namespace mayfly::ttl {
namespace {

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHourMs = 60 * kMinuteMs;
constexpr int64_t kDayMs = 24 * kHourMs;

std::string DefectName(engine::TtlDefect defect, bson::Type type) {
  switch (defect) {
    case engine::TtlDefect::kType:
      return std::string(bson::TypeName(type));
    case engine::TtlDefect::kFraction:
      return "fraction";
    case engine::TtlDefect::kRange:
      return "range";
    case engine::TtlDefect::kNone:
    case engine::TtlDefect::kAbsent:
      break;
  }
  return "";
}

class Surveyor {
 public:
  Surveyor(const engine::ExecutionContext& context, const RuleSet& rules)
      : evaluation_(context.evaluation), rules_(rules), now_ms_(context.now_ms) {}

  absl::Status Add(const engine::RecordView& record) {
    MAYFLY_RETURN_IF_ERROR(FindExpiry(rules_, record, evaluation_, &findings_));
    const RuleFinding* earliest = Earliest(findings_);
    const Visibility visibility = VisibilityAt(findings_, now_ms_);
    if (visibility != Visibility::kVisible) {
      ++(visibility == Visibility::kHidden ? survey_.hidden : survey_.due);
      survey_.oldest_due_ms = std::min(survey_.oldest_due_ms.value_or(now_ms_), earliest->due_ms);
    } else if (earliest == nullptr) {
      ++survey_.without_end;
    } else {
      AddComing(*earliest);
    }
    if (visibility != Visibility::kHidden) AddVisible(record);
    return absl::OkStatus();
  }

  const Survey& survey() const { return survey_; }

 private:
  void AddComing(const RuleFinding& finding) {
    if (!survey_.next_due_ms.has_value() || finding.due_ms < *survey_.next_due_ms) {
      survey_.next_due_ms = finding.due_ms;
      survey_.next_rule = finding.rule;
    }
    const int64_t left_ms = finding.due_ms - now_ms_;
    if (left_ms <= kMinuteMs) ++survey_.next_minute;
    if (left_ms <= kHourMs) ++survey_.next_hour;
    if (left_ms <= kDayMs) ++survey_.next_day;
  }

  void AddVisible(const engine::RecordView& record) {
    ++survey_.visible;
    if (record.header.modified_ms > now_ms_) ++survey_.from_future;
    if (record.header.own_ttl.has_value()) {
      ++(*record.header.own_ttl == engine::kNeverExpires ? survey_.never : survey_.own_ttl);
      return;
    }
    const bson::ValueView ttl = record.document.Find("ttl");
    if (ttl.IsMissing()) return;
    ++survey_.invalid_ttl[DefectName(engine::ClassifyTtl(ttl), ttl.type())];
  }

  const engine::EvaluationContext& evaluation_;
  const RuleSet& rules_;
  const int64_t now_ms_;
  std::vector<RuleFinding> findings_;  // scratch
  Survey survey_;
};

}  // namespace

absl::StatusOr<Survey> SurveyCollection(engine::ExecutionContext& context,
                                        const std::shared_ptr<engine::Collection>& collection,
                                        const RuleSet& rules) {
  Surveyor surveyor(context, rules);
  auto cursor = context.transaction->NewRecordCursor(collection->state().records,
                                                     engine::Direction::kForward);
  while (true) {
    MAYFLY_RETURN_IF_ERROR(engine::LetOthersRun(context));
    if (collection->dropped()) return engine::CollectionDropped(*collection);
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) return surveyor.survey();
    MAYFLY_RETURN_IF_ERROR(surveyor.Add(engine::ReadRecord(cursor->value())));
  }
}

}  // namespace mayfly::ttl

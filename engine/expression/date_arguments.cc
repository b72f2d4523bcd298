#include "engine/expression/date_arguments.h"

#include "base/strings.h"
#include "engine/expression/values.h"

namespace mayfly::engine {

absl::StatusOr<std::optional<TimeZone>> EvaluateTimeZone(const ExpressionPtr& zone, Frame& frame,
                                                         std::string_view name) {
  if (!zone) return std::optional<TimeZone>(TimeZone());
  bson::Value scratch;
  MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, zone->View(frame, &scratch));
  if (value.IsNullish()) return std::optional<TimeZone>();
  if (!value.IsString()) {
    return base::Error(40517, base::StrCat("timezone must evaluate to a string, found ",
                                           bson::TypeName(value.type())));
  }
  MAYFLY_ASSIGN_OR_RETURN(TimeZone parsed, ParseTimeZone(value.AsString()));
  return std::optional<TimeZone>(parsed);
}

absl::StatusOr<std::optional<DateUnit>> ToDateUnit(bson::ValueView unit, std::string_view name,
                                                   int type_code) {
  if (unit.IsNullish()) return std::optional<DateUnit>();
  if (!unit.IsString()) {
    return base::Error(type_code, base::StrCat(name, " requires 'unit' to be a string, but got ",
                                               bson::TypeName(unit.type())));
  }
  std::optional<DateUnit> parsed = ParseDateUnit(unit.AsString());
  if (!parsed) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("unknown time unit value: ", unit.AsString()));
  }
  return parsed;
}

absl::StatusOr<std::optional<int>> EvaluateWeekStart(const ExpressionPtr& start, Frame& frame,
                                                     std::string_view name) {
  constexpr int kSunday = 6;
  if (!start) return std::optional<int>(kSunday);
  bson::Value scratch;
  MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, start->View(frame, &scratch));
  if (value.IsNullish()) return std::optional<int>();
  if (!value.IsString()) {
    return base::Error(5439015,
                       base::StrCat(name, " requires 'startOfWeek' to be a string, but got ",
                                    bson::TypeName(value.type())));
  }
  std::optional<int> day = ParseWeekday(value.AsString());
  if (!day) {
    return base::Error(
        5439016, base::StrCat(name,
                              " parameter 'startOfWeek' value cannot be recognized as a day of a "
                              "week: ",
                              value.AsString()));
  }
  return day;
}

}  // namespace mayfly::engine

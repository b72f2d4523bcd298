// Arguments that the date operators share.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/expression/date_time.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

// The zone that an evaluated argument names: UTC if it is missing because it was not given; nullopt
// if it evaluates to null or missing. Errors: 40517 not a string, 40485 unknown.
absl::StatusOr<std::optional<TimeZone>> EvaluateTimeZone(const ExpressionPtr& zone, Frame& frame,
                                                         std::string_view name);

// A unit; nullopt if nullish. Errors: `type_code` not a string, 9 unknown.
absl::StatusOr<std::optional<DateUnit>> ToDateUnit(bson::ValueView unit, std::string_view name,
                                                   int type_code);

// A day on which weeks begin, 6 (Sunday) if not given; nullopt if nullish. Errors: 5439015 not a
// string, 5439016 unknown.
absl::StatusOr<std::optional<int>> EvaluateWeekStart(const ExpressionPtr& start, Frame& frame,
                                                     std::string_view name);

}  // namespace mayfly::engine

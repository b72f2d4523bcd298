// Arithmetic with dates in units of the calendar: $dateAdd, $dateSubtract, $dateDiff, $dateTrunc.
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/arguments.h"
#include "engine/expression/date_arguments.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

bool IsDateLike(ValueView v) {
  return v.type() == bson::Type::kDate || v.type() == bson::Type::kTimestamp ||
         v.type() == bson::Type::kObjectId;
}

// The four operators take up to six arguments each.
struct DateArguments {
  ExpressionPtr date;
  ExpressionPtr second;  // amount, end date or bin size
  ExpressionPtr unit;
  ExpressionPtr zone;
  ExpressionPtr week_start;

  void AddDependencies(Dependencies* out) const {
    for (const ExpressionPtr* node : {&date, &second, &unit, &zone, &week_start}) {
      if (*node) (*node)->AddDependencies(out);
    }
  }
  bool IsConstant() const {
    for (const ExpressionPtr* node : {&date, &second, &unit, &zone, &week_start}) {
      if (*node && !(*node)->IsConstant()) return false;
    }
    return true;
  }
};

class AddExpression final : public Expression {
 public:
  AddExpression(DateArguments arguments, bool subtract, std::string_view name)
      : arguments_(std::move(arguments)), subtract_(subtract), name_(name) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value date_scratch, amount_scratch, unit_scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView date, arguments_.date->View(frame, &date_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView unit_value, arguments_.unit->View(frame, &unit_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView amount, arguments_.second->View(frame, &amount_scratch));
    if (date.IsNullish() || unit_value.IsNullish() || amount.IsNullish()) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(std::optional<DateUnit> unit, ToDateUnit(unit_value, name_, 5439013));
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone,
                            EvaluateTimeZone(arguments_.zone, frame, name_));
    if (!zone) return Value::Null();
    if (!IsDateLike(date)) {
      return base::Error(5166403,
                         base::StrCat(name_, " requires startDate to be convertible to a date"));
    }
    if (!IsIntegral64(amount)) {
      return base::Error(5166405, base::StrCat(name_, " expects integer amount of time units"));
    }
    int64_t count = bson::ToInt64Truncated(amount);
    if (subtract_ && count == INT64_MIN) {
      return base::Error(6045000,
                         base::StrCat("invalid ", name_, " 'amount' parameter value: ", count));
    }
    if (subtract_) count = -count;
    MAYFLY_ASSIGN_OR_RETURN(int64_t ms, CoerceToDate(date));
    constexpr int64_t kMaxAmount[] = {584'942'417, 1'754'827'251LL, 7'019'309'004LL,
                                      30'500'568'904LL, 213'503'982'334LL};
    const size_t index = static_cast<size_t>(*unit);
    if (index < std::size(kMaxAmount) && std::abs(count) > kMaxAmount[index == 2 ? 2 : index]) {
      return base::Error(5976500,
                         base::StrCat("invalid ", name_, " 'amount' parameter value: ", count));
    }
    std::optional<int64_t> result = AddUnits(ms, *unit, count, *zone);
    if (!result) return base::Error(5166406, base::StrCat(name_, " overflowed"));
    return Value::Date(*result);
  }
  void AddDependencies(Dependencies* out) const override { arguments_.AddDependencies(out); }

 private:
  const DateArguments arguments_;
  const bool subtract_;
  const std::string_view name_;
};

absl::StatusOr<ExpressionPtr> ParseAdd(ValueView operand, const OperatorRow& row,
                                       const ParseContext& context) {
  DateArguments a;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 5166400, 5166401},
                                             {{"startDate", &a.date, 5166402},
                                              {"unit", &a.unit, 5166402},
                                              {"amount", &a.second, 5166402},
                                              {"timezone", &a.zone}},
                                             context));
  bool constant = a.IsConstant();
  return Fold(ExpressionPtr(new AddExpression(std::move(a), row.name == "$dateSubtract", row.name)),
              constant, context);
}

class DiffExpression final : public Expression {
 public:
  explicit DiffExpression(DateArguments arguments) : arguments_(std::move(arguments)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    constexpr std::string_view kName = "$dateDiff";
    Value from_scratch, to_scratch, unit_scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView from, arguments_.date->View(frame, &from_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView to, arguments_.second->View(frame, &to_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView unit_value, arguments_.unit->View(frame, &unit_scratch));
    if (from.IsNullish() || to.IsNullish() || unit_value.IsNullish()) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone,
                            EvaluateTimeZone(arguments_.zone, frame, kName));
    if (!zone) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(std::optional<DateUnit> unit, ToDateUnit(unit_value, kName, 5439013));
    std::optional<int> week_start = 6;
    if (*unit == DateUnit::kWeek) {
      MAYFLY_ASSIGN_OR_RETURN(week_start, EvaluateWeekStart(arguments_.week_start, frame, kName));
      if (!week_start) return Value::Null();
    }
    for (ValueView date : {from, to}) {
      if (IsDateLike(date)) continue;
      return base::Error(5166307,
                         base::StrCat("$dateDiff requires '", "startDate' and 'endDate",
                                      "' to be a date, but got ", bson::TypeName(date.type())));
    }
    MAYFLY_ASSIGN_OR_RETURN(int64_t from_ms, CoerceToDate(from));
    MAYFLY_ASSIGN_OR_RETURN(int64_t to_ms, CoerceToDate(to));
    return Value::Int64(CountUnits(from_ms, to_ms, *unit, *zone, *week_start));
  }
  void AddDependencies(Dependencies* out) const override { arguments_.AddDependencies(out); }

 private:
  const DateArguments arguments_;
};

absl::StatusOr<ExpressionPtr> ParseDiff(ValueView operand, const OperatorRow& row,
                                        const ParseContext& context) {
  DateArguments a;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 5166301, 5166302},
                                             {{"startDate", &a.date, 5166303},
                                              {"endDate", &a.second, 5166304},
                                              {"unit", &a.unit, 5166305},
                                              {"timezone", &a.zone},
                                              {"startOfWeek", &a.week_start}},
                                             context));
  bool constant = a.IsConstant();
  return Fold(ExpressionPtr(new DiffExpression(std::move(a))), constant, context);
}

class TruncExpression final : public Expression {
 public:
  explicit TruncExpression(DateArguments arguments) : arguments_(std::move(arguments)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    constexpr std::string_view kName = "$dateTrunc";
    Value date_scratch, size_scratch, unit_scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView date, arguments_.date->View(frame, &date_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView unit_value, arguments_.unit->View(frame, &unit_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView size_value,
                            ViewOrMissing(arguments_.second, frame, &size_scratch));
    if (date.IsNullish() || unit_value.IsNullish()) return Value::Null();
    if (arguments_.second && size_value.IsNullish()) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone,
                            EvaluateTimeZone(arguments_.zone, frame, kName));
    if (!zone) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(std::optional<DateUnit> unit, ToDateUnit(unit_value, kName, 5439013));
    MAYFLY_ASSIGN_OR_RETURN(std::optional<int> week_start, WeekStart(*unit, frame));
    if (!week_start) return Value::Null();
    int64_t size = 1;
    if (arguments_.second) {
      if (!IsIntegral64(size_value)) {
        return base::Error(
            5439017,
            base::StrCat("$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '",
                         ValueText(size_value), "' of type ", bson::TypeName(size_value.type())));
      }
      size = bson::ToInt64Truncated(size_value);
      if (size <= 0) {
        return base::Error(
            5439018,
            base::StrCat("$dateTrunc requires 'binSize' to be greater than 0, but got value ",
                         size));
      }
    }
    if (!IsDateLike(date)) {
      return base::Error(5166307, base::StrCat("$dateTrunc requires 'date' to be a date, but got ",
                                               bson::TypeName(date.type())));
    }
    MAYFLY_ASSIGN_OR_RETURN(int64_t ms, CoerceToDate(date));
    return Truncate(ms, *unit, size, *zone, *week_start);
  }
  void AddDependencies(Dependencies* out) const override { arguments_.AddDependencies(out); }

 private:
  // For units other than weeks only a null counts, and only if the date is not a constant.
  absl::StatusOr<std::optional<int>> WeekStart(DateUnit unit, Frame& frame) const {
    if (unit == DateUnit::kWeek)
      return EvaluateWeekStart(arguments_.week_start, frame, "$dateTrunc");
    constexpr int kSunday = 6;
    if (!arguments_.week_start || arguments_.date->IsConstant()) return std::optional<int>(kSunday);
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView value, arguments_.week_start->View(frame, &scratch));
    return value.IsNullish() ? std::optional<int>() : std::optional<int>(kSunday);
  }

  static absl::StatusOr<Value> Truncate(int64_t ms, DateUnit unit, int64_t size,
                                        const TimeZone& zone, int week_start) {
    constexpr int64_t kMaxBin = 100'000'000'000;
    const bool by_months =
        unit == DateUnit::kYear || unit == DateUnit::kQuarter || unit == DateUnit::kMonth;
    if (by_months && size > kMaxBin)
      return base::Error(5439006, "$dateTrunc unsupported binSize value");
    std::optional<int64_t> begin = TruncateToBin(ms, unit, size, zone, week_start);
    if (begin) return Value::Date(*begin);
    return base::Error(by_months ? 5439006 : 5439002, "$dateTrunc overflowed");
  }

  const DateArguments arguments_;
};

absl::StatusOr<ExpressionPtr> ParseTrunc(ValueView operand, const OperatorRow& row,
                                         const ParseContext& context) {
  DateArguments a;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 5439007, 5439008},
                                             {{"date", &a.date, 5439009},
                                              {"unit", &a.unit, 5439010},
                                              {"binSize", &a.second},
                                              {"timezone", &a.zone},
                                              {"startOfWeek", &a.week_start}},
                                             context));
  bool constant = a.IsConstant();
  return Fold(ExpressionPtr(new TruncExpression(std::move(a))), constant, context);
}

constexpr OperatorRow kRows[] = {
    {"$dateAdd", 1, 1, nullptr, ParseAdd, "a date moved by a number of units"},
    {"$dateDiff", 1, 1, nullptr, ParseDiff, "the number of unit boundaries between two dates"},
    {"$dateSubtract", 1, 1, nullptr, ParseAdd, "a date moved back by a number of units"},
    {"$dateTrunc", 1, 1, nullptr, ParseTrunc,
     "the begin of the unit, or bin of units, that a date is in"},
};

}  // namespace

absl::Span<const OperatorRow> DateArithmeticOperators() { return kRows; }

}  // namespace mayfly::engine

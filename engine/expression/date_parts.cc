// Parts of dates: $year ... $millisecond, the week operators, $dateToParts, $dateFromParts,
// $tsSecond, $tsIncrement.
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

using PartFunction = Value (*)(const DateParts&);

Value Year(const DateParts& p) { return Value::Int32(static_cast<int32_t>(p.second.year())); }
Value Month(const DateParts& p) { return Value::Int32(p.second.month()); }
Value DayOfMonth(const DateParts& p) { return Value::Int32(p.second.day()); }
Value Hour(const DateParts& p) { return Value::Int32(p.second.hour()); }
Value Minute(const DateParts& p) { return Value::Int32(p.second.minute()); }
Value Second(const DateParts& p) { return Value::Int32(p.second.second()); }
Value Millisecond(const DateParts& p) { return Value::Int32(p.millisecond); }
Value DayOfYear(const DateParts& p) {
  return Value::Int32(absl::GetYearDay(absl::CivilDay(p.second)));
}
Value WeekDay(const DateParts& p) { return Value::Int32(DayOfWeek(absl::CivilDay(p.second))); }
Value Week(const DateParts& p) { return Value::Int32(WeekOfYear(absl::CivilDay(p.second))); }
Value IsoWeekNumber(const DateParts& p) {
  return Value::Int32(ToIsoWeek(absl::CivilDay(p.second)).week);
}
Value IsoWeekYear(const DateParts& p) {
  return Value::Int64(ToIsoWeek(absl::CivilDay(p.second)).year);
}
Value IsoDayOfWeek(const DateParts& p) {
  return Value::Int32(ToIsoWeek(absl::CivilDay(p.second)).day);
}

class PartExpression final : public Expression {
 public:
  PartExpression(PartFunction part, ExpressionPtr date, ExpressionPtr zone, std::string_view name)
      : part_(part), date_(std::move(date)), zone_(std::move(zone)), name_(name) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView date, date_->View(frame, &scratch));
    if (date.IsNullish()) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone, EvaluateTimeZone(zone_, frame, name_));
    if (!zone) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(int64_t ms, CoerceToDate(date));
    return part_(ToParts(ms, *zone));
  }
  void AddDependencies(Dependencies* out) const override {
    date_->AddDependencies(out);
    if (zone_) zone_->AddDependencies(out);
  }

 private:
  const PartFunction part_;
  const ExpressionPtr date_;
  const ExpressionPtr zone_;
  const std::string_view name_;
};

bool IsOperatorObject(ValueView value) {
  std::string_view key = value.AsDocument().First().key;
  return !key.empty() && key[0] == '$';
}

template <PartFunction kPart>
absl::StatusOr<ExpressionPtr> ParsePart(ValueView operand, const OperatorRow& row,
                                        const ParseContext& context) {
  ExpressionPtr date, zone;
  if (operand.IsDocument() && !IsOperatorObject(operand)) {
    MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
        operand, {row.name, 40535, 40535}, {{"date", &date, 40539}, {"timezone", &zone}}, context));
  } else if (operand.IsArray()) {
    if (operand.AsDocument().Count() != 1) {
      return base::Error(
          40536,
          base::StrCat(row.name, " accepts exactly one argument if given an array, but was given ",
                       operand.AsDocument().Count()));
    }
    MAYFLY_ASSIGN_OR_RETURN(date, ParseExpression(operand.AsDocument().First().value, context));
  } else {
    MAYFLY_ASSIGN_OR_RETURN(date, ParseExpression(operand, context));
  }
  bool constant = date->IsConstant() && (!zone || zone->IsConstant());
  return Fold(ExpressionPtr(new PartExpression(kPart, std::move(date), std::move(zone), row.name)),
              constant, context);
}

class ToPartsExpression final : public Expression {
 public:
  ToPartsExpression(ExpressionPtr date, ExpressionPtr zone, ExpressionPtr iso)
      : date_(std::move(date)), zone_(std::move(zone)), iso_(std::move(iso)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch, iso_scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView date, date_->View(frame, &scratch));
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone,
                            EvaluateTimeZone(zone_, frame, "$dateToParts"));
    if (!zone) return Value::Null();
    bool iso = false;
    if (iso_) {
      MAYFLY_ASSIGN_OR_RETURN(ValueView value, iso_->View(frame, &iso_scratch));
      if (value.IsNullish()) return Value::Null();
      if (!value.IsBool()) {
        return base::Error(40521, base::StrCat("iso8601 must evaluate to a bool, found ",
                                               bson::TypeName(value.type())));
      }
      iso = value.AsBool();
    }
    if (date.IsNullish()) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(int64_t ms, CoerceToDate(date));
    return MakeDocument(ToParts(ms, *zone), iso);
  }
  void AddDependencies(Dependencies* out) const override {
    for (const ExpressionPtr* node : {&date_, &zone_, &iso_}) {
      if (*node) (*node)->AddDependencies(out);
    }
  }

 private:
  static Value MakeDocument(const DateParts& p, bool iso) {
    bson::Builder out;
    if (iso) {
      const IsoWeek week = ToIsoWeek(absl::CivilDay(p.second));
      out.Int32("isoWeekYear", static_cast<int32_t>(week.year)).Int32("isoWeek", week.week);
      out.Int32("isoDayOfWeek", week.day);
    } else {
      out.Int32("year", static_cast<int32_t>(p.second.year())).Int32("month", p.second.month());
      out.Int32("day", p.second.day());
    }
    out.Int32("hour", p.second.hour())
        .Int32("minute", p.second.minute())
        .Int32("second", p.second.second());
    out.Int32("millisecond", p.millisecond);
    return Value::FromDocument(out.Finish());
  }

  const ExpressionPtr date_;
  const ExpressionPtr zone_;
  const ExpressionPtr iso_;
};

absl::StatusOr<ExpressionPtr> ParseToParts(ValueView operand, const OperatorRow& row,
                                           const ParseContext& context) {
  ExpressionPtr date, zone, iso;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
      operand, {row.name, 40524, 40520},
      {{"date", &date, 40522}, {"timezone", &zone}, {"iso8601", &iso}}, context));
  bool constant =
      date->IsConstant() && (!zone || zone->IsConstant()) && (!iso || iso->IsConstant());
  return Fold(
      ExpressionPtr(new ToPartsExpression(std::move(date), std::move(zone), std::move(iso))),
      constant, context);
}

class FromPartsExpression final : public Expression {
 public:
  // Year or ISO year, month or ISO week, day or ISO day, hour, minute, second, millisecond.
  static constexpr int kParts = 7;
  struct Parts {
    bool iso = false;
    ExpressionPtr values[kParts];
    ExpressionPtr zone;
  };
  explicit FromPartsExpression(Parts parts) : parts_(std::move(parts)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    constexpr std::string_view kNames[] = {"year",   "month",  "day",        "hour",
                                           "minute", "second", "millisecond"};
    int64_t v[kParts] = {0, 1, 1, 0, 0, 0, 0};
    for (int i = 0; i < kParts; ++i) {
      if (!parts_.values[i]) continue;
      Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(ValueView value, parts_.values[i]->View(frame, &scratch));
      if (value.IsNullish()) return Value::Null();
      if (!IsIntegral64(value)) {
        return base::Error(
            40515, base::StrCat("'", kNames[i], "' must evaluate to an integer, found ",
                                bson::TypeName(value.type()), " with value ", ValueText(value)));
      }
      v[i] = bson::ToInt64Truncated(value);
    }
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone,
                            EvaluateTimeZone(parts_.zone, frame, "$dateFromParts"));
    if (!zone) return Value::Null();
    return MakeDate(v, *zone);
  }
  void AddDependencies(Dependencies* out) const override {
    for (const ExpressionPtr& value : parts_.values) {
      if (value) value->AddDependencies(out);
    }
    if (parts_.zone) parts_.zone->AddDependencies(out);
  }

 private:
  absl::StatusOr<Value> MakeDate(const int64_t* v, const TimeZone& zone) const {
    constexpr int64_t kMaxYear = 9999, kMaxPart = INT64_C(1) << 40;
    if (v[0] < 1 || v[0] > kMaxYear) {
      return base::Error(
          40523, base::StrCat("'", parts_.iso ? "isoWeekYear" : "year",
                              "' must evaluate to a value in the range 1 to 9999; value ", v[0],
                              " is not in range"));
    }
    for (int i = 1; i < kParts; ++i) {
      constexpr int64_t kMaxCalendarPart = 32767;
      if (std::abs(v[i]) <= (i < 3 || i < 5 ? kMaxCalendarPart : kMaxPart)) continue;
      return base::Error(31034, base::StrCat("a part is out of the supported range: ", v[i]));
    }
    absl::CivilDay day;
    if (parts_.iso) {
      day = FromIsoWeek(v[0], v[1], v[2]);
    } else {
      day = absl::CivilDay(absl::CivilMonth(v[0], 1) + (v[1] - 1)) + (v[2] - 1);
    }
    // Carried by hand, so that values beyond a part's range move the next one.
    const int64_t whole_seconds = v[6] >= 0 ? v[6] / 1000 : (v[6] - 999) / 1000;
    const absl::CivilSecond second =
        absl::CivilSecond(day) + (v[3] * 3600 + v[4] * 60 + v[5] + whole_seconds);
    std::optional<int64_t> ms =
        FromCivil(second, static_cast<int>(v[6] - whole_seconds * 1000), zone);
    if (!ms) return base::Error(base::ErrorCode::kOverflow, "date is out of range");
    return Value::Date(*ms);
  }

  const Parts parts_;
};

absl::StatusOr<ExpressionPtr> ParseFromParts(ValueView operand, const OperatorRow& row,
                                             const ParseContext& context) {
  FromPartsExpression::Parts p;
  ExpressionPtr iso[3];
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 40519, 40518},
                                             {{"year", &p.values[0]},
                                              {"month", &p.values[1]},
                                              {"day", &p.values[2]},
                                              {"hour", &p.values[3]},
                                              {"minute", &p.values[4]},
                                              {"second", &p.values[5]},
                                              {"millisecond", &p.values[6]},
                                              {"isoWeekYear", &iso[0]},
                                              {"isoWeek", &iso[1]},
                                              {"isoDayOfWeek", &iso[2]},
                                              {"timezone", &p.zone}},
                                             context));
  if (!p.values[0] && !iso[0])
    return base::Error(40516,
                       "$dateFromParts requires either 'year' or 'isoWeekYear' to be present");
  if (p.values[0] && (iso[0] || iso[1] || iso[2])) {
    return base::Error(40489, "$dateFromParts does not allow mixing natural dates with ISO dates");
  }
  if (iso[0] && (p.values[1] || p.values[2])) {
    return base::Error(40525, "$dateFromParts does not allow mixing ISO dates with natural dates");
  }
  if (iso[0]) {
    p.iso = true;
    for (int i = 0; i < 3; ++i) p.values[i] = std::move(iso[i]);
  }
  bool constant = !p.zone || p.zone->IsConstant();
  for (const ExpressionPtr& value : p.values)
    constant = constant && (!value || value->IsConstant());
  return Fold(ExpressionPtr(new FromPartsExpression(std::move(p))), constant, context);
}

absl::StatusOr<Value> TsSecond(Arguments a, const Call&) {
  if (a[0].IsNullish()) return Value::Null();
  if (a[0].type() == bson::Type::kTimestamp) return Value::Int64(a[0].AsTimestamp().seconds);
  return base::Error(5687301, base::StrCat("Argument to $tsSecond must be a timestamp, but is ",
                                           bson::TypeName(a[0].type())));
}

absl::StatusOr<Value> TsIncrement(Arguments a, const Call&) {
  if (a[0].IsNullish()) return Value::Null();
  if (a[0].type() == bson::Type::kTimestamp) return Value::Int64(a[0].AsTimestamp().increment);
  return base::Error(5687302, base::StrCat("Argument to $tsIncrement must be a timestamp, but is ",
                                           bson::TypeName(a[0].type())));
}

constexpr OperatorRow kRows[] = {
    {"$dateFromParts", 1, 1, nullptr, ParseFromParts, "a date from its parts"},
    {"$dateToParts", 1, 1, nullptr, ParseToParts, "the parts of a date as a document"},
    {"$dayOfMonth", 1, 1, nullptr, ParsePart<DayOfMonth>, "the day of the month, 1 to 31"},
    {"$dayOfWeek", 1, 1, nullptr, ParsePart<WeekDay>, "the day of the week, 1 (Sunday) to 7"},
    {"$dayOfYear", 1, 1, nullptr, ParsePart<DayOfYear>, "the day of the year, 1 to 366"},
    {"$hour", 1, 1, nullptr, ParsePart<Hour>, "the hour, 0 to 23"},
    {"$isoDayOfWeek", 1, 1, nullptr, ParsePart<IsoDayOfWeek>,
     "the day of the week, 1 (Monday) to 7"},
    {"$isoWeek", 1, 1, nullptr, ParsePart<IsoWeekNumber>, "the ISO week, 1 to 53"},
    {"$isoWeekYear", 1, 1, nullptr, ParsePart<IsoWeekYear>, "the year of the ISO week"},
    {"$millisecond", 1, 1, nullptr, ParsePart<Millisecond>, "the millisecond, 0 to 999"},
    {"$minute", 1, 1, nullptr, ParsePart<Minute>, "the minute, 0 to 59"},
    {"$month", 1, 1, nullptr, ParsePart<Month>, "the month, 1 to 12"},
    {"$second", 1, 1, nullptr, ParsePart<Second>, "the second, 0 to 60"},
    {"$tsIncrement", 1, 1, TsIncrement, nullptr, "the increment of a timestamp"},
    {"$tsSecond", 1, 1, TsSecond, nullptr, "the seconds of a timestamp"},
    {"$week", 1, 1, nullptr, ParsePart<Week>, "the week of the year, 0 to 53"},
    {"$year", 1, 1, nullptr, ParsePart<Year>, "the year"},
};

}  // namespace

absl::Span<const OperatorRow> DatePartOperators() { return kRows; }

}  // namespace mayfly::engine

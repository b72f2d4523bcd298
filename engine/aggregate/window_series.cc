// Window functions over series of numbers: $expMovingAvg, $derivative, $integral, $linearFill,
// $locf.
#include <cmath>

#include "base/strings.h"
#include "bson/number.h"
#include "engine/aggregate/window.h"
#include "engine/expression/arguments.h"
#include "engine/expression/numeric.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

absl::StatusOr<std::vector<Value>> EvaluateAll(const Partition& partition,
                                               const Expression& expression) {
  std::vector<Value> out;
  for (size_t i = 0; i < partition.rows.size(); ++i) {
    MAYFLY_ASSIGN_OR_RETURN(Value value, expression.Evaluate(partition.At(i)));
    out.push_back(std::move(value));
  }
  return out;
}

// The value of the partition's one sort field as a number: dates as milliseconds.
absl::StatusOr<double> SortNumber(const Partition& partition, size_t i) {
  MAYFLY_ASSIGN_OR_RETURN(const Value value, SortValue(partition, i));
  if (value.type() == bson::Type::kDate) return static_cast<double>(value.view().AsDate());
  if (value.IsNumber()) return bson::ToDouble(value);
  return base::Error(5429414, base::StrCat("Expected the sortBy field to be a number, but it was ",
                                           bson::TypeName(value.type())));
}

class MovingAverage final : public WindowFunction {
 public:
  MovingAverage(ExpressionPtr input, double alpha) : input_(std::move(input)), alpha_(alpha) {}

  absl::StatusOr<std::vector<Value>> Compute(const Partition& partition) const override {
    MAYFLY_ASSIGN_OR_RETURN(std::vector<Value> values, EvaluateAll(partition, *input_));
    std::optional<double> average;
    bool decimal = false;
    for (Value& value : values) {
      if (!value.IsNumber()) {
        value = Value::Null();
        continue;
      }
      decimal = decimal || value.type() == bson::Type::kDecimal128;
      const double number = bson::ToDouble(value);
      average = average ? number * alpha_ + *average * (1 - alpha_) : number;
      value = decimal ? Value::FromDecimal128(bson::DecimalFromDouble(*average))
                      : Value::Double(*average);
    }
    return values;
  }
  void AddDependencies(Dependencies* out) const override { input_->AddDependencies(out); }

 private:
  const ExpressionPtr input_;
  const double alpha_;
};

absl::StatusOr<WindowFunctionPtr> ParseMovingAverage(ValueView operand, const WindowRow& row,
                                                     const WindowContext& context) {
  constexpr int kFailedToParse = static_cast<int>(base::ErrorCode::kFailedToParse);
  if (context.bounds) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "$expMovingAvg does not accept a 'window' field");
  }
  if (!context.sort)
    return base::Error(base::ErrorCode::kFailedToParse,
                       "$expMovingAvg requires an explicit 'sortBy'");
  ExpressionPtr input, n, alpha;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
      operand, {row.name, kFailedToParse, kFailedToParse},
      {{"input", &input, kFailedToParse}, {"N", &n}, {"alpha", &alpha}}, context.expressions));
  if (!n == !alpha) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "$expMovingAvg must have exactly one of 'N' and 'alpha'");
  }
  const Value* number = (n ? n : alpha)->Constant();
  if (!number || !number->IsNumber()) {
    return base::Error(base::ErrorCode::kFailedToParse, "'N' or 'alpha' must be a constant number");
  }
  const double v = bson::ToDouble(*number);
  if (n && (!IsIntegral64(*number) || v <= 0)) {
    return base::Error(base::ErrorCode::kFailedToParse, "'N' must be an integer greater than zero");
  }
  if (alpha && !(v > 0 && v < 1)) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "'alpha' must be between 0 and 1 (exclusive)");
  }
  return WindowFunctionPtr(new MovingAverage(std::move(input), n ? 2 / (v + 1) : v));
}

enum class Slope { kDerivative, kIntegral };

// Per unit of time, or per unit of the sort field.
class SlopeFunction final : public WindowFunction {
 public:
  SlopeFunction(Slope slope, ExpressionPtr input, double unit, WindowBounds bounds)
      : slope_(slope), input_(std::move(input)), unit_(unit), bounds_(std::move(bounds)) {}

  absl::StatusOr<std::vector<Value>> Compute(const Partition& partition) const override {
    MAYFLY_ASSIGN_OR_RETURN(std::vector<Value> values, EvaluateAll(partition, *input_));
    std::vector<double> x;
    for (size_t i = 0; i < values.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(double at, SortNumber(partition, i));
      x.push_back(at / unit_);
    }
    std::vector<Value> out;
    for (size_t i = 0; i < values.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(WindowRange range, FindWindow(partition, bounds_, i));
      out.push_back(slope_ == Slope::kDerivative ? Derivative(values, x, range)
                                                 : Integral(values, x, range));
    }
    return out;
  }
  void AddDependencies(Dependencies* out) const override { input_->AddDependencies(out); }

 private:
  static Value Derivative(const std::vector<Value>& y, const std::vector<double>& x,
                          const WindowRange& range) {
    if (range.end - range.begin < 2) return Value::Null();
    const size_t last = range.end - 1;
    if (!y[range.begin].IsNumber() || !y[last].IsNumber() || x[last] == x[range.begin])
      return Value::Null();
    const double rise = bson::ToDouble(y[last]) - bson::ToDouble(y[range.begin]);
    return Value::Double(rise / (x[last] - x[range.begin]));
  }
  static Value Integral(const std::vector<Value>& y, const std::vector<double>& x,
                        const WindowRange& range) {
    if (range.begin == range.end) return Value::Null();
    double sum = 0;
    for (size_t i = range.begin; i < range.end; ++i) {
      if (!y[i].IsNumber()) return Value::Null();
      if (i > range.begin)
        sum += (bson::ToDouble(y[i]) + bson::ToDouble(y[i - 1])) / 2 * (x[i] - x[i - 1]);
    }
    return Value::Double(sum);
  }

  const Slope slope_;
  const ExpressionPtr input_;
  const double unit_;
  const WindowBounds bounds_;
};

absl::StatusOr<double> ParseSlopeUnit(ValueView unit) {
  if (unit.IsMissing()) return 1.0;
  std::optional<DateUnit> parsed;
  if (unit.IsString()) parsed = ParseDateUnit(unit.AsString());
  if (parsed) {
    switch (*parsed) {
      case DateUnit::kWeek:
        return 7 * 86'400'000.0;
      case DateUnit::kDay:
        return 86'400'000.0;
      case DateUnit::kHour:
        return 3'600'000.0;
      case DateUnit::kMinute:
        return 60'000.0;
      case DateUnit::kSecond:
        return 1000.0;
      case DateUnit::kMillisecond:
        return 1.0;
      case DateUnit::kYear:
      case DateUnit::kQuarter:
      case DateUnit::kMonth:
        break;
    }
  }
  return base::Error(5490704, "unit must be 'week' or smaller");
}

template <Slope kSlope>
absl::StatusOr<WindowFunctionPtr> ParseSlope(ValueView operand, const WindowRow& row,
                                             const WindowContext& context) {
  constexpr int kFailedToParse = static_cast<int>(base::ErrorCode::kFailedToParse);
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ValueView> arguments,
                          FindNamedArguments(operand, {row.name, kFailedToParse, kFailedToParse},
                                             {{"input", kFailedToParse}, {"unit", 0}}));
  if (!context.sort || context.sort->parts().size() != 1 || context.sort->parts()[0].descending) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat(row.name, " requires a sortBy with one ascending field"));
  }
  if (kSlope == Slope::kDerivative && !context.bounds) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "$derivative requires explicit window bounds");
  }
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input, ParseExpression(arguments[0], context.expressions));
  MAYFLY_ASSIGN_OR_RETURN(double unit, ParseSlopeUnit(arguments[1]));
  return WindowFunctionPtr(
      new SlopeFunction(kSlope, std::move(input), unit, context.bounds.value_or(WindowBounds())));
}

// $locf: nulls take the last value before them. $linearFill: nulls between two numbers take values
// on a line.
enum class Filling { kLast, kLinear };

class FillFunction final : public WindowFunction {
 public:
  FillFunction(Filling filling, ExpressionPtr input)
      : filling_(filling), input_(std::move(input)) {}

  absl::StatusOr<std::vector<Value>> Compute(const Partition& partition) const override {
    MAYFLY_ASSIGN_OR_RETURN(std::vector<Value> values, EvaluateAll(partition, *input_));
    if (filling_ == Filling::kLinear) return Linear(partition, std::move(values));
    Value last = Value::Null();
    for (Value& value : values) {
      if (value.IsNullish()) value = last;
      last = value;
    }
    return values;
  }
  void AddDependencies(Dependencies* out) const override { input_->AddDependencies(out); }

 private:
  static absl::StatusOr<std::vector<Value>> Linear(const Partition& partition,
                                                   std::vector<Value> values) {
    std::optional<size_t> before;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].IsNullish()) {
        values[i] = Value::Null();
        continue;
      }
      if (!values[i].IsNumber()) {
        return base::Error(base::ErrorCode::kTypeMismatch,
                           base::StrCat("Value to be filled must be numeric or nullish, but found ",
                                        bson::TypeName(values[i].type())));
      }
      if (before && i - *before > 1)
        MAYFLY_RETURN_IF_ERROR(FillBetween(partition, *before, i, &values));
      before = i;
    }
    return values;
  }

  static absl::Status FillBetween(const Partition& partition, size_t from, size_t to,
                                  std::vector<Value>* values) {
    MAYFLY_ASSIGN_OR_RETURN(double x0, SortNumber(partition, from));
    MAYFLY_ASSIGN_OR_RETURN(double x1, SortNumber(partition, to));
    if (x0 == x1) {
      return base::Error(6050106, "There can be no repeated values in the sort field");
    }
    const double y0 = bson::ToDouble((*values)[from]), y1 = bson::ToDouble((*values)[to]);
    for (size_t i = from + 1; i < to; ++i) {
      MAYFLY_ASSIGN_OR_RETURN(double x, SortNumber(partition, i));
      (*values)[i] = Value::Double(y0 + (x - x0) * ((y1 - y0) / (x1 - x0)));
    }
    return absl::OkStatus();
  }

  const Filling filling_;
  const ExpressionPtr input_;
};

template <Filling kFilling>
absl::StatusOr<WindowFunctionPtr> ParseFill(ValueView operand, const WindowRow& row,
                                            const WindowContext& context) {
  if (context.bounds) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("'window' field is not allowed in ", row.name));
  }
  if (kFilling == Filling::kLinear && (!context.sort || context.sort->parts().size() != 1)) {
    return base::Error(605001,
                       "$linearFill must be specified with a top level sortBy expression with "
                       "exactly one element");
  }
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input, ParseExpression(operand, context.expressions));
  return WindowFunctionPtr(new FillFunction(kFilling, std::move(input)));
}

constexpr WindowRow kRows[] = {
    {"$derivative", ParseSlope<Slope::kDerivative>, "the average rate of change over the window"},
    {"$expMovingAvg", ParseMovingAverage, "the exponential moving average"},
    {"$integral", ParseSlope<Slope::kIntegral>, "the area below the curve over the window"},
    {"$linearFill", ParseFill<Filling::kLinear>, "nulls between numbers filled along a line"},
    {"$locf", ParseFill<Filling::kLast>, "nulls filled with the last value before them"},
};

}  // namespace

absl::Span<const WindowRow> SeriesFunctions() { return kRows; }

}  // namespace mayfly::engine

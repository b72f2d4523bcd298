// Second moments over windows: $stdDevPop, $stdDevSamp, $covariancePop, $covarianceSamp. Windows
// that slide forget what leaves them instead of being computed anew, in MongoDB's order of
// operations, which shows in the last digits.
#include <cmath>
#include <limits>

#include "base/strings.h"
#include "bson/number.h"
#include "engine/aggregate/window.h"
#include "engine/expression/number_sum.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Population : uint8_t { kWhole, kSample };
enum class Change : int8_t { kEnters = 1, kLeaves = -1 };

int64_t Sign(Change change) { return static_cast<int64_t>(change); }

bool IsFinite(ValueView number) { return !bson::IsNaN(number) && !bson::IsInfinite(number); }
bool IsDecimal(ValueView number) { return number.type() == bson::Type::kDecimal128; }

// A sum from which numbers can be taken away again; infinities and NaN are counted instead.
class RemovableSum {
 public:
  void Update(ValueView number, Change change) {
    const int64_t sign = Sign(change);
    if (IsDecimal(number)) decimals_ += sign;
    if (number.type() == bson::Type::kDouble) doubles_ += sign;
    if (bson::IsNaN(number)) {
      nan_ += sign;
    } else if (bson::IsInfinite(number)) {
      (bson::ToDouble(number) > 0 ? positive_ : negative_) += sign;
    } else if (change == Change::kEnters) {
      sum_.Add(number);
    } else {
      sum_.Add(bson::Multiply(number, Value::Int32(-1)));
    }
  }

  Value Result() const {
    if (nan_ > 0 || (positive_ > 0 && negative_ > 0)) return Special(kNaN);
    if (positive_ > 0) return Special(kInfinity);
    if (negative_ > 0) return Special(-kInfinity);
    Value sum = sum_.Result();
    if (IsDecimal(sum) && decimals_ == 0) sum = Value::Double(bson::ToDouble(sum));
    if (sum.type() == bson::Type::kDouble && doubles_ == 0) {
      if (const auto whole = bson::ToInt64Exact(sum); whole.has_value()) {
        return Value::IntFitting(*whole);
      }
    }
    return sum;
  }

 private:
  Value Special(double value) const {
    return decimals_ > 0 ? Value::FromDecimal128(bson::DecimalFromDouble(value))
                         : Value::Double(value);
  }

  NumberSum sum_;
  int64_t nan_ = 0, positive_ = 0, negative_ = 0, decimals_ = 0, doubles_ = 0;
};

// A decimal by a whole number that came as a double, hence with a double's digits.
Value DividedBy(const Value& value, int64_t count) {
  if (IsDecimal(value)) {
    return Value::FromDecimal128(bson::DecimalDivide(
        value.view().AsDecimal128(), bson::DecimalFromDouble(static_cast<double>(count))));
  }
  return Value::Double(bson::ToDouble(value) / static_cast<double>(count));
}

class RemovableMean {
 public:
  void Update(ValueView number, Change change) {
    count_ += Sign(change);
    sum_.Update(number, change);
  }
  // Of no numbers: 0.
  Value Result() const {
    if (count_ == 0) return Value::Int32(0);
    const Value sum = sum_.Result();
    if (!IsDecimal(sum)) return Value::Double(bson::ToDouble(sum) / static_cast<double>(count_));
    return Value::FromDecimal128(
        bson::DecimalDivide(sum.view().AsDecimal128(), bson::DecimalFromInt64(count_)));
  }

 private:
  RemovableSum sum_;
  int64_t count_ = 0;
};

// States: Update() with every value that enters or leaves the window, in order; Result() of what
// is in it.

// The value is an array of two numbers; others do not count.
class CovarianceState {
 public:
  CovarianceState(Population population, bool) : population_(population) {}

  void Update(ValueView value, Change change) {
    if (!value.IsArray() || value.AsDocument().Count() != 2) return;
    const ValueView x = value.AsDocument().Find("0"), y = value.AsDocument().Find("1");
    if (!x.IsNumber() || !y.IsNumber()) return;
    if (!IsFinite(x) || !IsFinite(y)) {
      products_.Update(Combined(x, y), change);
    } else if (change == Change::kEnters) {
      Enter(x, y);
    } else {
      Leave(x, y);
    }
  }

  Value Result() const {
    if (count_ == 1 && population_ == Population::kWhole) return Value::Double(0);
    const int64_t divisor = population_ == Population::kWhole ? count_ : count_ - 1;
    return divisor <= 0 ? Value::Null() : DividedBy(products_.Result(), divisor);
  }

 private:
  // What a pair that is not finite adds to the products.
  static Value Combined(ValueView x, ValueView y) {
    const bool nan = bson::IsNaN(x) || bson::IsNaN(y);
    double sum = kNaN;
    if (!nan) {
      sum = (bson::IsInfinite(x) ? bson::ToDouble(x) : 0) +
            (bson::IsInfinite(y) ? bson::ToDouble(y) : 0);
    }
    return IsDecimal(x) || IsDecimal(y) ? Value::FromDecimal128(bson::DecimalFromDouble(sum))
                                        : Value::Double(sum);
  }

  void Enter(ValueView x, ValueView y) {
    ++count_;
    const bool first = count_ == 1;
    const Value dx = bson::Subtract(x, mean_x_.Result());
    mean_x_.Update(x, Change::kEnters);
    mean_y_.Update(y, Change::kEnters);
    if (first) return;
    const Value dy = bson::Subtract(y, mean_y_.Result());
    products_.Update(bson::Multiply(dx, dy), Change::kEnters);
  }

  void Leave(ValueView x, ValueView y) {
    if (--count_ == 0) {
      *this = CovarianceState(population_, true);
      return;
    }
    mean_x_.Update(x, Change::kLeaves);
    const Value dx = bson::Subtract(x, mean_x_.Result());
    const Value dy = bson::Subtract(y, mean_y_.Result());
    products_.Update(bson::Multiply(dx, dy), Change::kLeaves);
    mean_y_.Update(y, Change::kLeaves);
  }

  Population population_;
  RemovableMean mean_x_, mean_y_;
  RemovableSum products_;
  int64_t count_ = 0;
};

class DeviationState {
 public:
  DeviationState(Population population, bool slides) : population_(population), slides_(slides) {}

  void Update(ValueView value, Change change) {
    if (!value.IsNumber()) return;
    if (!slides_) {
      Welford(bson::ToDouble(value));
      return;
    }
    const int64_t sign = Sign(change);
    if (!IsFinite(value)) {
      special_ += sign;
      return;
    }
    if (count_ == 0) {
      ++count_;
      sum_.Add(value);
      return;
    }
    if (count_ + sign == 0) {
      *this = DeviationState(population_, slides_);
      return;
    }
    const double number = bson::ToDouble(value);
    const double distance = static_cast<double>(count_) * number - sum_.AsDouble();
    const double before = static_cast<double>(count_);
    count_ += sign;
    const double after = static_cast<double>(count_);
    sum_.AddDouble(number * static_cast<double>(sign));
    squares_.AddDouble(distance * distance * static_cast<double>(sign) / (after * before));
  }

  Value Result() const {
    const int64_t divisor = population_ == Population::kWhole ? count_ : count_ - 1;
    if (divisor <= 0 || special_ > 0) return Value::Null();
    const double squares = squares_.AsDouble();
    if (!slides_ && !std::isfinite(squares)) return Value::Double(kNaN);
    if (!slides_) return Value::Double(std::sqrt(squares / static_cast<double>(divisor)));
    // Rounding may leave a little less than nothing.
    if (squares < 0 || (population_ == Population::kWhole && count_ == 1)) return Value::Int32(0);
    return Value::Double(std::sqrt(squares / static_cast<double>(divisor)));
  }

 private:
  void Welford(double number) {
    ++count_;
    const double delta = number - mean_;
    if (delta == 0) return;
    mean_ += delta / static_cast<double>(count_);
    plain_squares_ += delta * (number - mean_);
    squares_ = NumberSum();
    squares_.AddDouble(plain_squares_);
  }

  Population population_;
  bool slides_;
  double mean_ = 0;           // of windows that only grow
  double plain_squares_ = 0;  // the same
  NumberSum sum_, squares_;
  int64_t count_ = 0;
  int64_t special_ = 0;  // infinite or NaN
};

template <typename State>
class MomentFunction final : public WindowFunction {
 public:
  MomentFunction(Population population, ExpressionPtr input, WindowBounds bounds)
      : population_(population), input_(std::move(input)), bounds_(std::move(bounds)) {}

  absl::StatusOr<std::vector<Value>> Compute(const Partition& partition) const override {
    const bool slides = bounds_.kind == WindowBounds::Kind::kRange ? bounds_.range_low.has_value()
                                                                   : bounds_.low.has_value();
    std::vector<Value> values;
    for (size_t i = 0; i < partition.rows.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(Value value, input_->Evaluate(partition.At(i)));
      values.push_back(std::move(value));
    }
    State state(population_, slides);
    std::vector<Value> out;
    size_t begin = 0, end = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(const WindowRange range, FindWindow(partition, bounds_, i));
      for (; end < range.end; ++end) state.Update(values[end], Change::kEnters);
      for (; begin < range.begin && begin < end; ++begin) {
        state.Update(values[begin], Change::kLeaves);
      }
      out.push_back(state.Result());
    }
    return out;
  }
  void AddDependencies(Dependencies* out) const override { input_->AddDependencies(out); }

 private:
  const Population population_;
  const ExpressionPtr input_;
  const WindowBounds bounds_;
};

template <typename State, Population kPopulation>
absl::StatusOr<WindowFunctionPtr> ParseMoment(ValueView operand, const WindowRow&,
                                              const WindowContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input, ParseExpression(operand, context.expressions));
  return WindowFunctionPtr(new MomentFunction<State>(kPopulation, std::move(input),
                                                     context.bounds.value_or(WindowBounds())));
}

constexpr WindowRow kRows[] = {
    {"$covariancePop", ParseMoment<CovarianceState, Population::kWhole>,
     "the covariance of two numbers, for a whole population"},
    {"$covarianceSamp", ParseMoment<CovarianceState, Population::kSample>,
     "the covariance of two numbers, for a sample"},
    {"$stdDevPop", ParseMoment<DeviationState, Population::kWhole>,
     "the standard deviation of a whole population"},
    {"$stdDevSamp", ParseMoment<DeviationState, Population::kSample>,
     "the standard deviation of a sample"},
};

}  // namespace

absl::Span<const WindowRow> MomentFunctions() { return kRows; }

}  // namespace mayfly::engine

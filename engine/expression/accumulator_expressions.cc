// Accumulators as expressions: $sum, $avg, $min, $max, $stdDevPop, $stdDevSamp over operands, or
// over the elements of a single array operand.
#include <cmath>

#include "bson/compare.h"
#include "bson/number.h"
#include "engine/expression/number_sum.h"
#include "engine/expression/operator.h"
#include "engine/expression/std_dev.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// With one operand that is an array its elements are the inputs.
std::vector<ValueView> Inputs(Arguments a) {
  if (a.size() == 1 && a[0].IsArray()) return Elements(a[0]);
  return {a.begin(), a.end()};
}

absl::StatusOr<Value> Sum(Arguments a, const Call&) {
  NumberSum sum;
  for (ValueView v : Inputs(a)) {
    if (v.IsNumber()) sum.Add(v);
  }
  return sum.Result();
}

absl::StatusOr<Value> Avg(Arguments a, const Call&) {
  NumberSum sum;
  int64_t count = 0;
  for (ValueView v : Inputs(a)) {
    if (!v.IsNumber()) continue;
    sum.AddAsDouble(v);
    ++count;
  }
  return count == 0 ? Value::Null() : sum.Average(count);
}

template <int kSign>
absl::StatusOr<Value> Extreme(Arguments a, const Call& call) {
  ValueView best;
  for (ValueView v : Inputs(a)) {
    if (v.IsNullish()) continue;
    if (best.IsMissing() || kSign * bson::Compare(v, best, call.context.strings) > 0) best = v;
  }
  return best.IsMissing() ? Value::Null() : Value(best);
}

template <StdDev::Kind kKind>
absl::StatusOr<Value> Deviation(Arguments a, const Call&) {
  StdDev deviation;
  for (ValueView v : Inputs(a)) {
    if (v.IsNumber()) deviation.Add(bson::ToDouble(v));
  }
  return deviation.Result(kKind);
}

constexpr OperatorRow kRows[] = {
    {"$avg", 0, kAnyNumber, Avg, nullptr, "the average of the numbers"},
    {"$max", 0, kAnyNumber, Extreme<1>, nullptr, "the highest value"},
    {"$min", 0, kAnyNumber, Extreme<-1>, nullptr, "the lowest value"},
    {"$stdDevPop", 0, kAnyNumber, Deviation<StdDev::Kind::kPopulation>, nullptr,
     "the deviation of a whole population"},
    {"$stdDevSamp", 0, kAnyNumber, Deviation<StdDev::Kind::kSample>, nullptr,
     "the deviation estimated from a sample"},
    {"$sum", 0, kAnyNumber, Sum, nullptr, "the sum of the numbers; others are ignored"},
};

}  // namespace

absl::Span<const OperatorRow> AccumulatorOperators() { return kRows; }

}  // namespace mayfly::engine

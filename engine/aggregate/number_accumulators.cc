// Numbers and extremes: $sum, $avg, $count, $min, $max, $stdDevPop, $stdDevSamp.
#include "base/strings.h"
#include "bson/compare.h"
#include "bson/number.h"
#include "engine/aggregate/accumulator.h"
#include "engine/expression/number_sum.h"
#include "engine/expression/std_dev.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

class SumState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    if (value.IsNumber()) sum_.Add(value);
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return sum_.Result(); }

 private:
  NumberSum sum_;
};

class AvgState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    if (!value.IsNumber()) return absl::OkStatus();
    sum_.Add(value);
    ++count_;
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override {
    return count_ == 0 ? Value::Null() : sum_.Average(count_);
  }

 private:
  NumberSum sum_;
  int64_t count_ = 0;
};

class CountState final : public Accumulator {
 public:
  absl::Status Add(ValueView) override {
    ++count_;
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return Value::IntFitting(count_); }

 private:
  int64_t count_ = 0;
};

template <int kSign>
class ExtremeState final : public Accumulator {
 public:
  explicit ExtremeState(const bson::StringComparator* strings) : strings_(strings) {}
  absl::Status Add(ValueView value) override {
    if (value.IsNullish()) return absl::OkStatus();
    if (best_.IsMissing() || kSign * bson::Compare(value, best_, strings_) > 0)
      best_ = Value(value);
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return best_.IsMissing() ? Value::Null() : best_; }
  int64_t MemoryBytes() const override { return best_.view().size(); }

 private:
  const bson::StringComparator* strings_;
  Value best_;
};

template <StdDev::Kind kKind>
class StdDevState final : public Accumulator {
 public:
  absl::Status Add(ValueView value) override {
    if (value.IsNumber()) deviation_.Add(bson::ToDouble(value));
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return deviation_.Result(kKind); }

 private:
  StdDev deviation_;
};

absl::StatusOr<AccumulatorSpecPtr> ParseCount(ValueView operand, const AccumulatorRow&,
                                              const ParseContext&) {
  if (!operand.IsDocument() || !operand.AsDocument().empty()) {
    return base::Error(base::ErrorCode::kTypeMismatch, "$count takes no arguments, i.e. $count:{}");
  }
  return AccumulatorSpecPtr(new SimpleAccumulatorSpec<CountState>(nullptr));
}

constexpr AccumulatorRow kRows[] = {
    {"$avg", ParseUnary<AvgState>, "the average of the numbers"},
    {"$count", ParseCount, "the number of documents"},
    {"$max", ParseUnary<ExtremeState<1>>, "the highest value"},
    {"$min", ParseUnary<ExtremeState<-1>>, "the lowest value"},
    {"$stdDevPop", ParseUnary<StdDevState<StdDev::Kind::kPopulation>>,
     "the deviation of a whole population"},
    {"$stdDevSamp", ParseUnary<StdDevState<StdDev::Kind::kSample>>,
     "the deviation estimated from a sample"},
    {"$sum", ParseUnary<SumState>, "the sum of the numbers"},
};

}  // namespace

absl::Span<const AccumulatorRow> NumberAccumulators() { return kRows; }

}  // namespace mayfly::engine

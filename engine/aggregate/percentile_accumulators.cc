// $percentile and $median: discrete percentiles over all numbers, kept and sorted.
#include "base/strings.h"
#include "engine/aggregate/accumulator.h"
#include "engine/expression/arguments.h"
#include "engine/expression/percentile.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

class PercentileState final : public Accumulator {
 public:
  explicit PercentileState(const PercentileArguments& arguments) : arguments_(arguments) {}
  absl::Status Add(ValueView value) override {
    percentiles_.Add(value);
    return absl::OkStatus();
  }
  absl::StatusOr<Value> Result() override { return percentiles_.Result(arguments_); }
  int64_t MemoryBytes() const override { return percentiles_.MemoryBytes(); }

 private:
  const PercentileArguments& arguments_;
  Percentiles percentiles_;
};

class PercentileSpec final : public AccumulatorSpec {
 public:
  PercentileSpec(ExpressionPtr input, PercentileArguments arguments)
      : AccumulatorSpec(std::move(input)), arguments_(std::move(arguments)) {}
  absl::StatusOr<std::unique_ptr<Accumulator>> New(Frame&) const override {
    return std::make_unique<PercentileState>(arguments_);
  }

 private:
  const PercentileArguments arguments_;
};

absl::StatusOr<AccumulatorSpecPtr> Parse(ValueView operand, const AccumulatorRow& row,
                                         const ParseContext& context) {
  PercentileArguments arguments;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input,
                          ParsePercentile(operand, row.name, context, &arguments));
  return AccumulatorSpecPtr(new PercentileSpec(std::move(input), std::move(arguments)));
}

constexpr AccumulatorRow kRows[] = {
    {"$median", Parse, "the middle value"},
    {"$percentile", Parse, "the values below which given parts of all values lie"},
};

}  // namespace

absl::Span<const AccumulatorRow> PercentileAccumulators() { return kRows; }

}  // namespace mayfly::engine

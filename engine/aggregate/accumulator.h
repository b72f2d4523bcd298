// Accumulators: what $group, $bucket, $bucketAuto and $setWindowFields compute from many documents.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/support.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

// The state of one accumulator for one group. Single-threaded.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  // Takes the value of the argument for one document; the view is valid during the call only.
  virtual absl::Status Add(bson::ValueView value) = 0;
  virtual absl::StatusOr<bson::Value> Result() = 0;
  // Bytes held beyond the object itself.
  virtual int64_t MemoryBytes() const { return 0; }
};

struct AccumulatorRow;

// A parsed accumulator: its argument, and how to make states. Immutable.
class AccumulatorSpec {
 public:
  explicit AccumulatorSpec(ExpressionPtr argument) : argument_(std::move(argument)) {}
  virtual ~AccumulatorSpec() = default;
  // Evaluated for every document; null if there is no argument ($count).
  const Expression* argument() const { return argument_.get(); }
  // `frame` gives what constants of the group may read ($firstN's n reads the group's _id as its
  // root).
  virtual absl::StatusOr<std::unique_ptr<Accumulator>> New(Frame& frame) const = 0;
  virtual void AddDependencies(Dependencies* out) const {
    if (argument_) argument_->AddDependencies(out);
  }

 private:
  const ExpressionPtr argument_;
};
using AccumulatorSpecPtr = std::unique_ptr<const AccumulatorSpec>;

using AccumulatorParser = absl::StatusOr<AccumulatorSpecPtr> (*)(bson::ValueView operand,
                                                                 const AccumulatorRow& row,
                                                                 const ParseContext& context);

// One accumulator.
struct AccumulatorRow {
  std::string_view name;
  AccumulatorParser parse;
  std::string_view help;
  base::Support support = base::Support::kFull;
};

// The families, each with its rows; see accumulators.cc.
absl::Span<const absl::Span<const AccumulatorRow>> AccumulatorFamilies();
// Null if there is no accumulator of that name.
const AccumulatorRow* FindAccumulator(std::string_view name);

absl::Span<const AccumulatorRow> ArrayAccumulators();
absl::Span<const AccumulatorRow> NumberAccumulators();
absl::Span<const AccumulatorRow> OrderAccumulators();
absl::Span<const AccumulatorRow> PercentileAccumulators();

// {name: {$accumulator: argument}, ...} as in $group: 40235 and 40236 bad names, 40234 no object,
// 40238 not one key, 15952 unknown accumulator.
struct NamedAccumulator {
  std::string name;
  AccumulatorSpecPtr spec;
};
absl::StatusOr<NamedAccumulator> ParseNamedAccumulator(const bson::Element& field,
                                                       const ParseContext& context);

// The one argument of a unary accumulator. Error: 40237 for an array, unless in a window.
absl::StatusOr<ExpressionPtr> ParseUnaryArgument(bson::ValueView operand, std::string_view name,
                                                 const ParseContext& context);

// A spec whose states are default-constructed or take the collation.
template <typename State>
class SimpleAccumulatorSpec final : public AccumulatorSpec {
 public:
  using AccumulatorSpec::AccumulatorSpec;
  absl::StatusOr<std::unique_ptr<Accumulator>> New(Frame& frame) const override {
    if constexpr (std::is_constructible_v<State, const bson::StringComparator*>) {
      return std::make_unique<State>(frame.context().strings);
    } else {
      return std::make_unique<State>();
    }
  }
};

template <typename State>
absl::StatusOr<AccumulatorSpecPtr> ParseUnary(bson::ValueView operand, const AccumulatorRow& row,
                                              const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr argument, ParseUnaryArgument(operand, row.name, context));
  return AccumulatorSpecPtr(new SimpleAccumulatorSpec<State>(std::move(argument)));
}

}  // namespace mayfly::engine

// Operators that evaluate an expression for every element of an array: $filter, $map, $reduce.
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/arguments.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// The name after `as`, "this" if it is left out.
absl::StatusOr<std::string> LoopVariable(ValueView as) {
  if (as.IsMissing()) return std::string("this");
  std::string_view name = as.IsString() ? as.AsString() : std::string_view();
  MAYFLY_RETURN_IF_ERROR(CheckVariableNameForWrite(name));
  return std::string(name);
}

class MapExpression final : public Expression {
 public:
  MapExpression(ExpressionPtr input, Slot slot, ExpressionPtr in)
      : input_(std::move(input)), slot_(slot), in_(std::move(in)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView input, input_->View(frame, &scratch));
    if (input.IsNullish()) return Value::Null();
    if (!input.IsArray()) {
      return base::Error(
          16883, base::StrCat("input to $map must be an array not ", bson::TypeName(input.type())));
    }
    ArrayBuilder out;
    for (const bson::Element& element : input.AsDocument()) {
      frame.Set(slot_, element.value);
      Value item;
      MAYFLY_ASSIGN_OR_RETURN(ValueView mapped, in_->View(frame, &item));
      out.Push(mapped);
    }
    return out.Finish();
  }
  void AddDependencies(Dependencies* out) const override {
    input_->AddDependencies(out);
    in_->AddDependencies(out);
  }

 private:
  const ExpressionPtr input_;
  const Slot slot_;
  const ExpressionPtr in_;
};

absl::StatusOr<ExpressionPtr> ParseMap(ValueView operand, const OperatorRow& row,
                                       const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ValueView> arguments,
                          FindNamedArguments(operand, {row.name, 16878, 16879},
                                             {{"input", 16880}, {"as", 0}, {"in", 16882}}));
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input, ParseExpression(arguments[0], context));
  MAYFLY_ASSIGN_OR_RETURN(std::string name, LoopVariable(arguments[1]));
  Variables inner(context.variables);
  Slot slot = inner.Define(name);
  ParseContext scope = context;
  scope.variables = &inner;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr in, ParseExpression(arguments[2], scope));
  return ExpressionPtr(new MapExpression(std::move(input), slot, std::move(in)));
}

class FilterExpression final : public Expression {
 public:
  FilterExpression(ExpressionPtr input, Slot slot, ExpressionPtr condition, ExpressionPtr limit)
      : input_(std::move(input)),
        slot_(slot),
        condition_(std::move(condition)),
        limit_(std::move(limit)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView input, input_->View(frame, &scratch));
    if (input.IsNullish()) return Value::Null();
    if (!input.IsArray()) {
      return base::Error(28651, base::StrCat("input to $filter must be an array not ",
                                             bson::TypeName(input.type())));
    }
    MAYFLY_ASSIGN_OR_RETURN(int64_t left, Limit(frame));
    ArrayBuilder out;
    for (const bson::Element& element : input.AsDocument()) {
      frame.Set(slot_, element.value);
      Value item;
      MAYFLY_ASSIGN_OR_RETURN(ValueView condition, condition_->View(frame, &item));
      if (!IsTrue(condition)) continue;
      out.Push(element.value);
      if (--left == 0) break;
    }
    return out.Finish();
  }
  void AddDependencies(Dependencies* out) const override {
    input_->AddDependencies(out);
    condition_->AddDependencies(out);
    if (limit_) limit_->AddDependencies(out);
  }

 private:
  absl::StatusOr<int64_t> Limit(Frame& frame) const {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView limit, ViewOrMissing(limit_, frame, &scratch));
    if (limit.IsNullish()) return INT64_MAX;
    if (!IsIntegral32(limit)) {
      return base::Error(
          327391, base::StrCat("$filter: limit must be represented as a 32-bit integral value: ",
                               ValueText(limit)));
    }
    int64_t count = bson::ToInt64Truncated(limit);
    if (count < 1)
      return base::Error(327392, base::StrCat("$filter: limit must be greater than 0: ", count));
    return count;
  }

  const ExpressionPtr input_;
  const Slot slot_;
  const ExpressionPtr condition_;
  const ExpressionPtr limit_;
};

absl::StatusOr<ExpressionPtr> ParseFilter(ValueView operand, const OperatorRow& row,
                                          const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(
      std::vector<ValueView> arguments,
      FindNamedArguments(operand, {row.name, 28646, 28647},
                         {{"input", 28648}, {"as", 0}, {"cond", 28650}, {"limit", 0}}));
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input, ParseExpression(arguments[0], context));
  MAYFLY_ASSIGN_OR_RETURN(std::string name, LoopVariable(arguments[1]));
  Variables inner(context.variables);
  Slot slot = inner.Define(name);
  ParseContext scope = context;
  scope.variables = &inner;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr condition, ParseExpression(arguments[2], scope));
  ExpressionPtr limit;
  if (!arguments[3].IsMissing()) {
    MAYFLY_ASSIGN_OR_RETURN(limit, ParseExpression(arguments[3], context));
  }
  return ExpressionPtr(
      new FilterExpression(std::move(input), slot, std::move(condition), std::move(limit)));
}

class ReduceExpression final : public Expression {
 public:
  struct Parts {
    ExpressionPtr input;
    ExpressionPtr initial;
    Slot this_slot;
    Slot value_slot;
    ExpressionPtr in;
  };
  explicit ReduceExpression(Parts parts) : parts_(std::move(parts)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView input, parts_.input->View(frame, &scratch));
    if (input.IsNullish()) return Value::Null();
    if (!input.IsArray()) {
      return base::Error(40080, base::StrCat("$reduce requires that 'input' be an array, found: ",
                                             ValueText(input)));
    }
    MAYFLY_ASSIGN_OR_RETURN(Value value, parts_.initial->Evaluate(frame));
    for (const bson::Element& element : input.AsDocument()) {
      frame.Set(parts_.this_slot, element.value);
      frame.Set(parts_.value_slot, value);
      MAYFLY_ASSIGN_OR_RETURN(Value next, parts_.in->Evaluate(frame));
      value = std::move(next);
    }
    return value;
  }
  void AddDependencies(Dependencies* out) const override {
    parts_.input->AddDependencies(out);
    parts_.initial->AddDependencies(out);
    parts_.in->AddDependencies(out);
  }

 private:
  const Parts parts_;
};

absl::StatusOr<ExpressionPtr> ParseReduce(ValueView operand, const OperatorRow& row,
                                          const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(
      std::vector<ValueView> arguments,
      FindNamedArguments(operand, {row.name, 40075, 40076},
                         {{"input", 40077}, {"initialValue", 40078}, {"in", 40079}}));
  ReduceExpression::Parts parts;
  MAYFLY_ASSIGN_OR_RETURN(parts.input, ParseExpression(arguments[0], context));
  MAYFLY_ASSIGN_OR_RETURN(parts.initial, ParseExpression(arguments[1], context));
  Variables inner(context.variables);
  parts.this_slot = inner.Define("this");
  parts.value_slot = inner.Define("value");
  ParseContext scope = context;
  scope.variables = &inner;
  MAYFLY_ASSIGN_OR_RETURN(parts.in, ParseExpression(arguments[2], scope));
  return ExpressionPtr(new ReduceExpression(std::move(parts)));
}

constexpr OperatorRow kRows[] = {
    {"$filter", 1, 1, nullptr, ParseFilter, "the elements for which a condition is true"},
    {"$map", 1, 1, nullptr, ParseMap, "the values of an expression for every element"},
    {"$reduce", 1, 1, nullptr, ParseReduce, "one value made by combining all elements in order"},
};

}  // namespace

absl::Span<const OperatorRow> ArrayIterationOperators() { return kRows; }

}  // namespace mayfly::engine

// Rows of the operator tables and what the families need to make nodes from them.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/support.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

using Arguments = absl::Span<const bson::ValueView>;

// What a function operator knows besides its evaluated arguments.
struct Call {
  const EvaluationContext& context;
  std::string_view name;  // "$add"
};

// Computes from evaluated arguments. Views are valid during the call only.
using OperatorFunction = absl::StatusOr<bson::Value> (*)(Arguments arguments, const Call& call);

struct OperatorRow;
// Makes a node from the operand, which is anything: {<name>: operand}.
using OperatorParser = absl::StatusOr<ExpressionPtr> (*)(bson::ValueView operand,
                                                         const OperatorRow& row,
                                                         const ParseContext& context);

inline constexpr int kAnyNumber = -1;

// One operator. Exactly one of `function` and `parse` is set; the arity is checked for functions
// only.
struct OperatorRow {
  std::string_view name;
  int arguments_min;
  int arguments_max;  // kAnyNumber: no limit
  OperatorFunction function;
  OperatorParser parse;
  std::string_view help;
  Expression::Operator op = Expression::Operator::kOther;
  bool pure = true;          // the same arguments give the same value
  bool commutative = false;  // operands may change places and be combined in any order
  bool stable_api = true;    // part of API version 1
  base::Support support = base::Support::kFull;
};

// The families, each with its rows; see operators.cc.
absl::Span<const absl::Span<const OperatorRow>> OperatorFamilies();
// Null if there is no operator of that name ("$add").
const OperatorRow* FindOperator(std::string_view name);

absl::Span<const OperatorRow> AccumulatorOperators();
absl::Span<const OperatorRow> ArithmeticOperators();
absl::Span<const OperatorRow> ArrayIterationOperators();
absl::Span<const OperatorRow> ArrayOperators();
absl::Span<const OperatorRow> ArrayOrderOperators();
absl::Span<const OperatorRow> BitwiseOperators();
absl::Span<const OperatorRow> BooleanOperators();
absl::Span<const OperatorRow> ComparisonOperators();
absl::Span<const OperatorRow> ConditionalOperators();
absl::Span<const OperatorRow> DateArithmeticOperators();
absl::Span<const OperatorRow> DatePartOperators();
absl::Span<const OperatorRow> DateTextOperators();
absl::Span<const OperatorRow> LiteralOperators();
absl::Span<const OperatorRow> MiscOperators();
absl::Span<const OperatorRow> ObjectOperators();
absl::Span<const OperatorRow> PercentileOperators();
absl::Span<const OperatorRow> RegexOperators();
absl::Span<const OperatorRow> ScriptOperators();
absl::Span<const OperatorRow> SetOperators();
absl::Span<const OperatorRow> StringEditOperators();
absl::Span<const OperatorRow> StringOperators();
absl::Span<const OperatorRow> TrigonometryOperators();
absl::Span<const OperatorRow> TypeOperators();

// Operands as the operators with a list take them: the elements of an array, or the one value
// itself.
absl::StatusOr<std::vector<ExpressionPtr>> ParseOperands(bson::ValueView operand,
                                                         const ParseContext& context);
// Checks the number of operands: 16020 if it must be exact, 28667 if it has bounds.
absl::Status CheckArity(const OperatorRow& row, int count);
// A node that evaluates `operands` and calls row.function; folded if all are constant and the row
// is pure.
absl::StatusOr<ExpressionPtr> MakeFunction(const OperatorRow& row,
                                           std::vector<ExpressionPtr> operands,
                                           const ParseContext& context);
// The constant in place of `node` if `foldable`, else `node`. Fails if evaluating the constant
// does.
absl::StatusOr<ExpressionPtr> Fold(ExpressionPtr node, bool foldable, const ParseContext& context);

inline bool AllConstant(const std::vector<ExpressionPtr>& nodes) {
  for (const ExpressionPtr& node : nodes) {
    if (node && !node->IsConstant()) return false;
  }
  return true;
}

}  // namespace mayfly::engine

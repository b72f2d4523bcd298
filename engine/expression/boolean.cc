// Boolean: $and, $or (both stop at the first operand that decides), $not.
#include "engine/expression/operator.h"

namespace mayfly::engine {
namespace {

class LogicalExpression final : public Expression {
 public:
  LogicalExpression(Operator op, std::vector<ExpressionPtr> operands)
      : op_(op), operands_(std::move(operands)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    const bool deciding = op_ == Operator::kOr;
    for (const ExpressionPtr& operand : operands_) {
      bson::Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, operand->View(frame, &scratch));
      if (IsTrue(value) == deciding) return bson::Value::Bool(deciding);
    }
    return bson::Value::Bool(!deciding);
  }
  void AddDependencies(Dependencies* out) const override {
    for (const ExpressionPtr& operand : operands_) operand->AddDependencies(out);
  }
  Operator op() const override { return op_; }
  std::vector<const Expression*> Operands() const override {
    std::vector<const Expression*> out;
    for (const ExpressionPtr& operand : operands_) out.push_back(operand.get());
    return out;
  }

 private:
  const Operator op_;
  const std::vector<ExpressionPtr> operands_;
};

absl::StatusOr<ExpressionPtr> ParseLogical(bson::ValueView operand, const OperatorRow& row,
                                           const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> operands, ParseOperands(operand, context));
  const bool deciding = row.op == Expression::Operator::kOr;
  for (const ExpressionPtr& node : operands) {
    if (node->IsConstant() && IsTrue(*node->Constant()) == deciding)
      return MakeConstant(bson::Value::Bool(deciding));
  }
  const bool constant = AllConstant(operands);
  return Fold(ExpressionPtr(new LogicalExpression(row.op, std::move(operands))), constant, context);
}

absl::StatusOr<bson::Value> Not(Arguments a, const Call&) {
  return bson::Value::Bool(!IsTrue(a[0]));
}

using Op = Expression::Operator;

constexpr OperatorRow kRows[] = {
    {"$and", 0, kAnyNumber, nullptr, ParseLogical, "true if no operand is false", Op::kAnd},
    {"$not", 1, 1, Not, nullptr, "true if the operand is false", Op::kNot},
    {"$or", 0, kAnyNumber, nullptr, ParseLogical, "true if an operand is true", Op::kOr},
};

}  // namespace

absl::Span<const OperatorRow> BooleanOperators() { return kRows; }

}  // namespace mayfly::engine

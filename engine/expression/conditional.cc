// Conditional: $cond, $ifNull, $switch. Only what is chosen is evaluated.
#include "base/strings.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

struct Branch {
  ExpressionPtr when;
  ExpressionPtr then;
};

// $switch, and $cond as a switch with one branch.
class SwitchExpression final : public Expression {
 public:
  SwitchExpression(std::vector<Branch> branches, ExpressionPtr otherwise)
      : branches_(std::move(branches)), otherwise_(std::move(otherwise)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    MAYFLY_ASSIGN_OR_RETURN(const Expression* chosen, Choose(frame));
    return chosen->Evaluate(frame);
  }
  absl::StatusOr<bson::ValueView> View(Frame& frame, bson::Value* scratch) const override {
    MAYFLY_ASSIGN_OR_RETURN(const Expression* chosen, Choose(frame));
    return chosen->View(frame, scratch);
  }
  void AddDependencies(Dependencies* out) const override {
    for (const Branch& branch : branches_) {
      branch.when->AddDependencies(out);
      branch.then->AddDependencies(out);
    }
    if (otherwise_) otherwise_->AddDependencies(out);
  }

 private:
  absl::StatusOr<const Expression*> Choose(Frame& frame) const {
    for (const Branch& branch : branches_) {
      bson::Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, branch.when->View(frame, &scratch));
      if (IsTrue(value)) return branch.then.get();
    }
    if (otherwise_) return otherwise_.get();
    return base::Error(
        40069,
        "$switch could not find a matching branch for an input, and no default was specified.");
  }

  const std::vector<Branch> branches_;
  const ExpressionPtr otherwise_;
};

absl::StatusOr<ExpressionPtr> MakeSwitch(std::vector<Branch> branches, ExpressionPtr otherwise,
                                         const ParseContext& context) {
  bool constant = !otherwise || otherwise->IsConstant();
  for (const Branch& branch : branches) {
    constant = constant && branch.when->IsConstant() && branch.then->IsConstant();
  }
  return Fold(ExpressionPtr(new SwitchExpression(std::move(branches), std::move(otherwise))),
              constant, context);
}

absl::StatusOr<ExpressionPtr> ParseCondObject(bson::View object, const ParseContext& context) {
  Branch branch;
  ExpressionPtr otherwise;
  for (const bson::Element& element : object) {
    ExpressionPtr* target = element.key == "if"     ? &branch.when
                            : element.key == "then" ? &branch.then
                            : element.key == "else" ? &otherwise
                                                    : nullptr;
    if (!target) {
      return base::Error(17083, base::StrCat("Unrecognized parameter to $cond: ", element.key));
    }
    MAYFLY_ASSIGN_OR_RETURN(*target, ParseExpression(element.value, context));
  }
  if (!branch.when) return base::Error(17080, "Missing 'if' parameter to $cond");
  if (!branch.then) return base::Error(17081, "Missing 'then' parameter to $cond");
  if (!otherwise) return base::Error(17082, "Missing 'else' parameter to $cond");
  std::vector<Branch> branches;
  branches.push_back(std::move(branch));
  return MakeSwitch(std::move(branches), std::move(otherwise), context);
}

absl::StatusOr<ExpressionPtr> ParseCond(bson::ValueView operand, const OperatorRow& row,
                                        const ParseContext& context) {
  if (operand.IsDocument()) return ParseCondObject(operand.AsDocument(), context);
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> operands, ParseOperands(operand, context));
  MAYFLY_RETURN_IF_ERROR(CheckArity(row, static_cast<int>(operands.size())));
  std::vector<Branch> branches;
  branches.push_back({std::move(operands[0]), std::move(operands[1])});
  return MakeSwitch(std::move(branches), std::move(operands[2]), context);
}

class IfNullExpression final : public Expression {
 public:
  explicit IfNullExpression(std::vector<ExpressionPtr> operands) : operands_(std::move(operands)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    bson::Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, View(frame, &scratch));
    return bson::Value(value);
  }
  absl::StatusOr<bson::ValueView> View(Frame& frame, bson::Value* scratch) const override {
    for (size_t i = 0; i + 1 < operands_.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, operands_[i]->View(frame, scratch));
      if (!value.IsNullish()) return value;
    }
    return operands_.back()->View(frame, scratch);
  }
  void AddDependencies(Dependencies* out) const override {
    for (const ExpressionPtr& operand : operands_) operand->AddDependencies(out);
  }

 private:
  const std::vector<ExpressionPtr> operands_;
};

absl::StatusOr<ExpressionPtr> ParseIfNull(bson::ValueView operand, const OperatorRow&,
                                          const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> operands, ParseOperands(operand, context));
  if (operands.size() < 2) {
    return base::Error(
        1257300, base::StrCat("$ifNull needs at least two arguments, had: ", operands.size()));
  }
  bool constant = AllConstant(operands);
  return Fold(ExpressionPtr(new IfNullExpression(std::move(operands))), constant, context);
}

absl::StatusOr<Branch> ParseBranch(bson::ValueView value, const ParseContext& context) {
  if (!value.IsDocument()) {
    return base::Error(40062, base::StrCat("$switch requires each branch to be an object, found: ",
                                           bson::TypeName(value.type())));
  }
  Branch branch;
  for (const bson::Element& element : value.AsDocument()) {
    ExpressionPtr* target = element.key == "case"   ? &branch.when
                            : element.key == "then" ? &branch.then
                                                    : nullptr;
    if (!target) {
      return base::Error(
          40063, base::StrCat("$switch found an unknown argument to a branch: ", element.key));
    }
    MAYFLY_ASSIGN_OR_RETURN(*target, ParseExpression(element.value, context));
  }
  if (!branch.when)
    return base::Error(40064, "$switch requires each branch have a 'case' expression");
  if (!branch.then)
    return base::Error(40065, "$switch requires each branch have a 'then' expression.");
  return branch;
}

absl::StatusOr<ExpressionPtr> ParseSwitch(bson::ValueView operand, const OperatorRow&,
                                          const ParseContext& context) {
  if (!operand.IsDocument()) {
    return base::Error(40060, base::StrCat("$switch requires an object as an argument, found: ",
                                           bson::TypeName(operand.type())));
  }
  std::vector<Branch> branches;
  ExpressionPtr otherwise;
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key == "branches") {
      if (!element.value.IsArray()) {
        return base::Error(40061, base::StrCat("$switch expected an array for 'branches', found: ",
                                               bson::TypeName(element.value.type())));
      }
      for (const bson::Element& item : element.value.AsDocument()) {
        MAYFLY_ASSIGN_OR_RETURN(Branch branch, ParseBranch(item.value, context));
        branches.push_back(std::move(branch));
      }
    } else if (element.key == "default") {
      MAYFLY_ASSIGN_OR_RETURN(otherwise, ParseExpression(element.value, context));
    } else {
      return base::Error(40067, base::StrCat("$switch found an unknown argument: ", element.key));
    }
  }
  if (branches.empty()) return base::Error(40068, "$switch requires at least one branch.");
  return MakeSwitch(std::move(branches), std::move(otherwise), context);
}

constexpr OperatorRow kRows[] = {
    {"$cond", 3, 3, nullptr, ParseCond, "one of two values, depending on a condition"},
    {"$ifNull", 2, kAnyNumber, nullptr, ParseIfNull, "the first value that is not null or missing"},
    {"$switch", 1, 1, nullptr, ParseSwitch, "the value of the first branch whose case is true"},
};

}  // namespace

absl::Span<const OperatorRow> ConditionalOperators() { return kRows; }

}  // namespace mayfly::engine

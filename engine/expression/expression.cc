#include "engine/expression/expression.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "base/limits.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/expression/field_path.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

class ConstantExpression final : public Expression {
 public:
  explicit ConstantExpression(bson::Value value) : value_(std::move(value)) {}
  absl::StatusOr<bson::Value> Evaluate(Frame&) const override { return value_; }
  absl::StatusOr<bson::ValueView> View(Frame&, bson::Value*) const override {
    return value_.view();
  }
  void AddDependencies(Dependencies*) const override {}
  const bson::Value* Constant() const override { return &value_; }

 private:
  const bson::Value value_;
};

// {field: expression, ...}: missing values are left out.
class ObjectExpression final : public Expression {
 public:
  struct Field {
    std::string name;
    ExpressionPtr value;
  };
  explicit ObjectExpression(std::vector<Field> fields) : fields_(std::move(fields)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    bson::Builder out;
    for (const Field& field : fields_) {
      bson::Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, field.value->View(frame, &scratch));
      out.Append(field.name, value);
    }
    return bson::Value::FromDocument(out.Finish());
  }
  void AddDependencies(Dependencies* out) const override {
    for (const Field& field : fields_) field.value->AddDependencies(out);
  }

 private:
  const std::vector<Field> fields_;
};

// [expression, ...]: missing values become null.
class ArrayExpression final : public Expression {
 public:
  explicit ArrayExpression(std::vector<ExpressionPtr> items) : items_(std::move(items)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    ArrayBuilder out;
    for (const ExpressionPtr& item : items_) {
      bson::Value scratch;
      MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, item->View(frame, &scratch));
      out.Push(value);
    }
    return out.Finish();
  }
  void AddDependencies(Dependencies* out) const override {
    for (const ExpressionPtr& item : items_) item->AddDependencies(out);
  }
  std::vector<const Expression*> Operands() const override {
    std::vector<const Expression*> out;
    for (const ExpressionPtr& item : items_) out.push_back(item.get());
    return out;
  }

 private:
  const std::vector<ExpressionPtr> items_;
};

// An operator that is a function of its evaluated operands.
class FunctionExpression final : public Expression {
 public:
  FunctionExpression(const OperatorRow& row, std::vector<ExpressionPtr> operands)
      : row_(row), operands_(std::move(operands)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    constexpr size_t kUsual = 3;
    absl::InlinedVector<bson::Value, kUsual> scratch(operands_.size());
    absl::InlinedVector<bson::ValueView, kUsual> views(operands_.size());
    for (size_t i = 0; i < operands_.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(views[i], operands_[i]->View(frame, &scratch[i]));
    }
    return row_.function(Arguments(views.data(), views.size()), Call{frame.context(), row_.name});
  }
  void AddDependencies(Dependencies* out) const override {
    for (const ExpressionPtr& operand : operands_) operand->AddDependencies(out);
    if (!row_.pure) out->random = true;
  }
  Operator op() const override { return row_.op; }
  std::vector<const Expression*> Operands() const override {
    std::vector<const Expression*> out;
    for (const ExpressionPtr& operand : operands_) out.push_back(operand.get());
    return out;
  }

 private:
  const OperatorRow& row_;
  const std::vector<ExpressionPtr> operands_;
};

// Constants of operators whose operands may change places go to the end, as one. So they are looked
// at last, and errors among them come up while parsing.
absl::Status MergeConstants(const OperatorRow& row, std::vector<ExpressionPtr>* operands,
                            const ParseContext& context) {
  auto first = std::stable_partition(operands->begin(), operands->end(),
                                     [](const ExpressionPtr& node) { return !node->IsConstant(); });
  if (first == operands->begin() || operands->end() - first < 2) return absl::OkStatus();
  std::vector<ExpressionPtr> constants(std::make_move_iterator(first),
                                       std::make_move_iterator(operands->end()));
  operands->erase(first, operands->end());
  MAYFLY_ASSIGN_OR_RETURN(
      ExpressionPtr merged,
      Fold(ExpressionPtr(new FunctionExpression(row, std::move(constants))), true, context));
  operands->push_back(std::move(merged));
  return absl::OkStatus();
}

absl::StatusOr<ParseContext> Deeper(const ParseContext& context) {
  if (context.depth >= kMaxExpressionDepth) {
    return base::Error(base::ErrorCode::kOverflow, "expression is nested too deeply");
  }
  ParseContext inner = context;
  ++inner.depth;
  return inner;
}

absl::StatusOr<ExpressionPtr> ParseOperator(const bson::Element& element,
                                            const ParseContext& context) {
  const OperatorRow* row = FindOperator(element.key);
  if (!row) {
    return base::Error(base::ErrorCode::kInvalidPipelineOperator,
                       base::StrCat("Unrecognized expression '", element.key, "'"));
  }
  if (context.strict_api && !row->stable_api) {
    return base::Error(
        base::ErrorCode::kAPIStrictError,
        base::StrCat(element.key, " is not allowed with 'apiStrict: true' in API Version 1"));
  }
  if (row->parse) return row->parse(element.value, *row, context);
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> operands,
                          ParseOperands(element.value, context));
  MAYFLY_RETURN_IF_ERROR(CheckArity(*row, static_cast<int>(operands.size())));
  return MakeFunction(*row, std::move(operands), context);
}

absl::StatusOr<ExpressionPtr> ParseArray(bson::View array, const ParseContext& context) {
  std::vector<ExpressionPtr> items;
  for (const bson::Element& element : array) {
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr item, ParseExpression(element.value, context));
    items.push_back(std::move(item));
  }
  bool constant = AllConstant(items);
  return Fold(ExpressionPtr(new ArrayExpression(std::move(items))), constant, context);
}

}  // namespace

Frame::Frame(const EvaluationContext& context) : context_(&context) {
  if (!context.variables) return;
  for (const bson::Value& value : *context.variables) slots_.push_back(value.view());
}

absl::StatusOr<bson::ValueView> Expression::View(Frame& frame, bson::Value* scratch) const {
  MAYFLY_ASSIGN_OR_RETURN(*scratch, Evaluate(frame));
  return scratch->view();
}

ExpressionPtr MakeConstant(bson::Value value) {
  return ExpressionPtr(new ConstantExpression(std::move(value)));
}

bool IsTrue(bson::ValueView value) {
  if (value.IsBool()) return value.AsBool();
  if (value.IsNumber()) return bson::IsNonZero(value);
  return !value.IsNullish();
}

absl::StatusOr<std::vector<ExpressionPtr>> ParseOperands(bson::ValueView operand,
                                                         const ParseContext& context) {
  std::vector<ExpressionPtr> out;
  if (!operand.IsArray()) {
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr single, ParseExpression(operand, context));
    out.push_back(std::move(single));
    return out;
  }
  for (const bson::Element& element : operand.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr item, ParseExpression(element.value, context));
    out.push_back(std::move(item));
  }
  return out;
}

absl::Status CheckArity(const OperatorRow& row, int count) {
  if (row.arguments_min == row.arguments_max) {
    if (count == row.arguments_min) return absl::OkStatus();
    return base::Error(16020,
                       base::StrCat("Expression ", row.name, " takes exactly ", row.arguments_min,
                                    " arguments. ", count, " were passed in."));
  }
  if (count >= row.arguments_min &&
      (row.arguments_max == kAnyNumber || count <= row.arguments_max)) {
    return absl::OkStatus();
  }
  return base::Error(28667, base::StrCat("Expression ", row.name, " takes at least ",
                                         row.arguments_min, " arguments, and at most ",
                                         row.arguments_max, ", but ", count, " were passed in."));
}

absl::StatusOr<ExpressionPtr> Fold(ExpressionPtr node, bool foldable, const ParseContext& context) {
  if (!foldable) return node;
  Frame frame(*context.evaluation);
  MAYFLY_ASSIGN_OR_RETURN(bson::Value value, node->Evaluate(frame));
  return MakeConstant(std::move(value));
}

absl::StatusOr<ExpressionPtr> MakeFunction(const OperatorRow& row,
                                           std::vector<ExpressionPtr> operands,
                                           const ParseContext& context) {
  if (row.commutative) MAYFLY_RETURN_IF_ERROR(MergeConstants(row, &operands, context));
  const bool foldable = row.pure && AllConstant(operands);
  return Fold(ExpressionPtr(new FunctionExpression(row, std::move(operands))), foldable, context);
}

absl::StatusOr<ExpressionPtr> ParseExpressionObject(bson::View object, const ParseContext& outer) {
  MAYFLY_ASSIGN_OR_RETURN(ParseContext context, Deeper(outer));
  if (object.empty()) return MakeConstant(bson::Value::FromDocument(object));
  bson::Element first = object.First();
  if (!first.key.empty() && first.key[0] == '$') {
    if (object.Count() != 1) {
      return base::Error(
          15983, base::StrCat("an object representing an expression must have exactly one field: ",
                              bson::ToShellText(object)));
    }
    return ParseOperator(first, context);
  }
  std::vector<ObjectExpression::Field> fields;
  absl::flat_hash_set<std::string> names;
  bool constant = true;
  for (const bson::Element& element : object) {
    MAYFLY_RETURN_IF_ERROR(CheckFieldName(element.key));
    if (!names.insert(std::string(element.key)).second) {
      return base::Error(16406, base::StrCat("duplicate field name specified in object literal: ",
                                             bson::ToShellText(object)));
    }
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr value, ParseExpression(element.value, context));
    constant = constant && value->IsConstant();
    fields.push_back({std::string(element.key), std::move(value)});
  }
  return Fold(ExpressionPtr(new ObjectExpression(std::move(fields))), constant, context);
}

absl::StatusOr<ExpressionPtr> ParseExpression(bson::ValueView value, const ParseContext& context) {
  if (value.IsString() && !value.AsString().empty() && value.AsString()[0] == '$') {
    return ParseFieldPathExpression(value.AsString(), context);
  }
  if (value.IsDocument()) return ParseExpressionObject(value.AsDocument(), context);
  if (value.IsArray()) {
    MAYFLY_ASSIGN_OR_RETURN(ParseContext inner, Deeper(context));
    return ParseArray(value.AsDocument(), inner);
  }
  constexpr size_t kMaxLiteral = base::kMaxBsonObjectSize;
  if (value.IsString() && value.AsString().size() >= kMaxLiteral) {
    return base::Error(16493, "Tried to create string longer than 16MB");
  }
  return MakeConstant(bson::Value(value));
}

}  // namespace mayfly::engine

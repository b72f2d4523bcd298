// Literals, variables and single fields: $literal, $const, $let, $getField, $setField, $unsetField.
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/expression/arguments.h"
#include "engine/expression/operator.h"

namespace mayfly::engine {
namespace {

absl::StatusOr<ExpressionPtr> ParseLiteral(bson::ValueView operand, const OperatorRow&,
                                           const ParseContext&) {
  return MakeConstant(bson::Value(operand));
}

class LetExpression final : public Expression {
 public:
  struct Binding {
    Slot slot;
    ExpressionPtr value;
  };
  LetExpression(std::vector<Binding> bindings, ExpressionPtr in)
      : bindings_(std::move(bindings)), in_(std::move(in)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    std::vector<bson::Value> scratch(bindings_.size());
    std::vector<bson::ValueView> values(bindings_.size());
    for (size_t i = 0; i < bindings_.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(values[i], bindings_[i].value->View(frame, &scratch[i]));
    }
    for (size_t i = 0; i < bindings_.size(); ++i) frame.Set(bindings_[i].slot, values[i]);
    return in_->Evaluate(frame);
  }
  void AddDependencies(Dependencies* out) const override {
    for (const Binding& binding : bindings_) binding.value->AddDependencies(out);
    in_->AddDependencies(out);
  }

 private:
  const std::vector<Binding> bindings_;
  const ExpressionPtr in_;
};

absl::StatusOr<ExpressionPtr> ParseLet(bson::ValueView operand, const OperatorRow& row,
                                       const ParseContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(
      std::vector<bson::ValueView> arguments,
      FindNamedArguments(operand, {row.name, 16874, 16875}, {{"vars", 16876}, {"in", 16877}}));
  if (!arguments[0].IsContainer()) {
    return base::Error(10065, "invalid parameter: expected an object (vars)");
  }
  Variables inner(context.variables);
  std::vector<LetExpression::Binding> bindings;
  bool constant = true;
  for (const bson::Element& element : arguments[0].AsDocument()) {
    MAYFLY_RETURN_IF_ERROR(CheckVariableNameForWrite(element.key));
    MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr value, ParseExpression(element.value, context));
    if (const bson::Value* known = value->Constant()) {
      inner.DefineConstant(element.key, *known);
      continue;
    }
    constant = false;
    bindings.push_back({inner.Define(element.key), std::move(value)});
  }
  ParseContext scope = context;
  scope.variables = &inner;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr in, ParseExpression(arguments[1], scope));
  if (constant) return in;
  return ExpressionPtr(new LetExpression(std::move(bindings), std::move(in)));
}

class GetFieldExpression final : public Expression {
 public:
  GetFieldExpression(ExpressionPtr field, ExpressionPtr input)
      : field_(std::move(field)), input_(std::move(input)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    bson::Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, View(frame, &scratch));
    return bson::Value(value);
  }
  absl::StatusOr<bson::ValueView> View(Frame& frame, bson::Value* scratch) const override {
    bson::Value name_scratch;
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView name, field_->View(frame, &name_scratch));
    if (!name.IsString()) {
      return base::Error(
          3041704, base::StrCat("$getField requires 'field' to evaluate to type String, but got ",
                                bson::TypeName(name.type())));
    }
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView input, input_->View(frame, scratch));
    if (input.IsNullish()) {
      if (input.IsMissing()) return input;
      *scratch = bson::Value::Null();
      return scratch->view();
    }
    if (!input.IsDocument()) return bson::ValueView();
    return input.AsDocument().Find(name.AsString());
  }
  void AddDependencies(Dependencies* out) const override {
    field_->AddDependencies(out);
    input_->AddDependencies(out);
  }

 private:
  const ExpressionPtr field_;
  const ExpressionPtr input_;
};

bool IsOperatorObject(bson::ValueView value) {
  if (!value.IsDocument()) return false;
  std::string_view key = value.AsDocument().First().key;
  return !key.empty() && key[0] == '$';
}

absl::StatusOr<ExpressionPtr> ParseGetField(bson::ValueView operand, const OperatorRow& row,
                                            const ParseContext& context) {
  ExpressionPtr field, input;
  if (!operand.IsDocument() || IsOperatorObject(operand)) {
    MAYFLY_ASSIGN_OR_RETURN(field, ParseExpression(operand, context));
    bson::Value current = bson::Value::String("$$CURRENT");
    MAYFLY_ASSIGN_OR_RETURN(input, ParseExpression(current, context));
  } else {
    MAYFLY_RETURN_IF_ERROR(
        ParseNamedArguments(operand, {row.name, 3041701, 3041701},
                            {{"field", &field, 3041702}, {"input", &input, 3041703}}, context));
  }
  const bson::Value* known = field->Constant();
  if (known && !known->view().IsString()) {
    return base::Error(
        3041704,
        base::StrCat("$getField requires 'field' to evaluate to a constant String, but got ",
                     bson::TypeName(known->type())));
  }
  bool constant = known && input->IsConstant();
  return Fold(ExpressionPtr(new GetFieldExpression(std::move(field), std::move(input))), constant,
              context);
}

// $setField, and $unsetField with a missing value.
class SetFieldExpression final : public Expression {
 public:
  SetFieldExpression(std::string field, ExpressionPtr input, ExpressionPtr value,
                     std::string_view name)
      : field_(std::move(field)), input_(std::move(input)), value_(std::move(value)), name_(name) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    bson::Value input_scratch, value_scratch;
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView input, input_->View(frame, &input_scratch));
    if (input.IsNullish()) return bson::Value::Null();
    if (!input.IsDocument()) {
      return base::Error(4161105,
                         base::StrCat(name_, " requires 'input' to evaluate to type Object"));
    }
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, value_->View(frame, &value_scratch));
    bson::Builder out;
    bool seen = false;
    for (const bson::Element& element : input.AsDocument()) {
      if (element.key != field_) {
        out.Append(element);
      } else if (!seen) {
        seen = true;
        out.Append(field_, value);
      }
    }
    if (!seen) out.Append(field_, value);
    return bson::Value::FromDocument(out.Finish());
  }
  void AddDependencies(Dependencies* out) const override {
    input_->AddDependencies(out);
    value_->AddDependencies(out);
  }

 private:
  const std::string field_;
  const ExpressionPtr input_;
  const ExpressionPtr value_;
  const std::string_view name_;
};

bool IsLiteralObject(bson::ValueView value) {
  if (!IsOperatorObject(value)) return false;
  const std::string_view key = value.AsDocument().First().key;
  return key == "$literal" || key == "$const";
}

// The name from the parsed operand `field`; only plain values and {$literal: ...} are constant
// here.
absl::StatusOr<std::string> ConstantFieldName(bson::ValueView operand, const Expression& field,
                                              const OperatorRow& row) {
  if (operand.IsString() && !operand.AsString().empty() && operand.AsString()[0] == '$') {
    return base::Error(4161108,
                       base::StrCat(row.name,
                                    " requires 'field' to evaluate to a constant, but got a field "
                                    "path; use $literal for names that begin with '$'"));
  }
  const bool filled_object =
      operand.IsDocument() && !operand.AsDocument().empty() && !IsLiteralObject(operand);
  if (operand.IsArray() || filled_object || !field.IsConstant()) {
    return base::Error(4161106,
                       base::StrCat(row.name,
                                    " requires 'field' to evaluate to a constant, but got a "
                                    "non-constant argument"));
  }
  const bson::ValueView name = field.Constant()->view();
  if (!name.IsString()) {
    return base::Error(
        4161107, base::StrCat(row.name, " requires 'field' to evaluate to type String, but got ",
                              bson::TypeName(name.type())));
  }
  if (name.AsString().find('\0') != std::string_view::npos) {
    return base::Error(
        9534700,
        base::StrCat(row.name, " requires 'field' not to contain an embedded null character"));
  }
  return std::string(name.AsString());
}

absl::StatusOr<ExpressionPtr> ParseSetField(bson::ValueView operand, const OperatorRow& row,
                                            const ParseContext& context) {
  const bool unset = row.name == "$unsetField";
  const NamedArgumentErrors errors{row.name, 4161100, 4161101};
  ExpressionPtr field, value, input;
  if (unset) {
    MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
        operand, errors, {{"field", &field, 4161102}, {"input", &input, 4161109}}, context));
    value = MakeConstant(bson::Value());
  } else {
    MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(
        operand, errors,
        {{"field", &field, 4161102}, {"value", &value, 4161103}, {"input", &input, 4161109}},
        context));
  }
  MAYFLY_ASSIGN_OR_RETURN(std::string name,
                          ConstantFieldName(operand.AsDocument().Find("field"), *field, row));
  const bool constant = input->IsConstant() && value->IsConstant();
  return Fold(ExpressionPtr(new SetFieldExpression(std::move(name), std::move(input),
                                                   std::move(value), row.name)),
              constant, context);
}

constexpr OperatorRow kRows[] = {
    {"$const", 1, 1, nullptr, ParseLiteral,
     "the operand itself, not parsed (the old name of $literal)"},
    {"$getField", 1, 1, nullptr, ParseGetField,
     "the value of a field, also if its name has dots or dollars"},
    {"$let", 1, 1, nullptr, ParseLet, "an expression with variables of its own"},
    {"$literal", 1, 1, nullptr, ParseLiteral, "the operand itself, not parsed"},
    {"$setField", 1, 1, nullptr, ParseSetField,
     "a document with one field added, replaced or removed"},
    {"$unsetField", 1, 1, nullptr, ParseSetField, "a document without one field"},
};

}  // namespace

absl::Span<const OperatorRow> LiteralOperators() { return kRows; }

}  // namespace mayfly::engine

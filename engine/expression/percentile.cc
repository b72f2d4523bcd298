// Percentiles, and the operators $percentile and $median over the elements of an array.
#include "engine/expression/percentile.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/arguments.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

absl::Status ParseParts(ValueView p, const ParseContext& context, PercentileArguments* out) {
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(p, context));
  const Value* known = expression->Constant();
  if (!known || !known->view().IsArray() || known->view().AsDocument().empty()) {
    return base::Error(
        7750301,
        "The $percentile 'p' field must be an array of constant values, but found another value");
  }
  for (const bson::Element& element : known->view().AsDocument()) {
    if (!element.value.IsNumber()) {
      return base::Error(
          7750302, base::StrCat("The $percentile 'p' field must be an array of numbers, but found ",
                                ValueText(element.value)));
    }
    double part = bson::ToDouble(element.value);
    if (!(part >= 0 && part <= 1)) {
      return base::Error(
          7750303,
          base::StrCat("The $percentile 'p' field must be an array of numbers from [0.0, 1.0] "
                       "range, but found ",
                       ValueText(element.value)));
    }
    out->parts.push_back(part);
  }
  return absl::OkStatus();
}

absl::Status ParseMethod(ValueView method, std::string_view name) {
  if (!method.IsString()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat("BSON field '", name, ".method' is the wrong type '",
                                    bson::TypeName(method.type()), "', expected type 'string'"));
  }
  std::string_view text = method.AsString();
  if (text == "approximate" || text == "discrete" || text == "continuous") return absl::OkStatus();
  return base::Error(
      base::ErrorCode::kBadValue,
      base::StrCat("Currently only 'approximate' can be used as a percentile 'method'."));
}

class PercentileExpression final : public Expression {
 public:
  PercentileExpression(ExpressionPtr input, PercentileArguments arguments)
      : input_(std::move(input)), arguments_(std::move(arguments)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView input, input_->View(frame, &scratch));
    Percentiles percentiles;
    if (input.IsArray()) {
      for (const bson::Element& element : input.AsDocument()) percentiles.Add(element.value);
    } else {
      percentiles.Add(input);
    }
    return percentiles.Result(arguments_);
  }
  void AddDependencies(Dependencies* out) const override { input_->AddDependencies(out); }

 private:
  const ExpressionPtr input_;
  const PercentileArguments arguments_;
};

absl::StatusOr<ExpressionPtr> Parse(ValueView operand, const OperatorRow& row,
                                    const ParseContext& context) {
  PercentileArguments arguments;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr input,
                          ParsePercentile(operand, row.name, context, &arguments));
  bool constant = input->IsConstant();
  return Fold(ExpressionPtr(new PercentileExpression(std::move(input), std::move(arguments))),
              constant, context);
}

constexpr OperatorRow kRows[] = {
    {"$median", 1, 1, nullptr, Parse, "the middle one of numbers"},
    {"$percentile", 1, 1, nullptr, Parse, "the numbers below which given parts of all numbers lie"},
};

}  // namespace

absl::StatusOr<ExpressionPtr> ParsePercentile(ValueView operand, std::string_view name,
                                              const ParseContext& context,
                                              PercentileArguments* out) {
  out->single = name == "$median";
  NamedArgumentErrors errors{name, out->single ? 7436100 : 7429703, 40415};
  absl::StatusOr<std::vector<ValueView>> found =
      out->single ? FindNamedArguments(operand, errors, {{"input", 40414}, {"method", 40414}})
                  : FindNamedArguments(operand, errors,
                                       {{"input", 40414}, {"method", 40414}, {"p", 40414}});
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ValueView> arguments, std::move(found));
  MAYFLY_RETURN_IF_ERROR(ParseMethod(arguments[1], name));
  if (out->single) {
    constexpr double kMiddle = 0.5;
    out->parts.push_back(kMiddle);
  } else {
    MAYFLY_RETURN_IF_ERROR(ParseParts(arguments[2], context, out));
  }
  return ParseExpression(arguments[0], context);
}

void Percentiles::Add(ValueView value) {
  if (!value.IsNumber() || bson::IsNaN(value)) return;
  values_.push_back(bson::ToDouble(value));
}

Value Percentiles::Result(const PercentileArguments& arguments) {
  std::sort(values_.begin(), values_.end());
  ArrayBuilder out;
  Value last = Value::Null();
  for (double part : arguments.parts) {
    if (!values_.empty()) {
      const double size = static_cast<double>(values_.size());
      const size_t rank = static_cast<size_t>(std::max(1.0, std::ceil(part * size)));
      last = Value::Double(values_[rank - 1]);
    }
    out.Push(last);
  }
  return arguments.single ? last : out.Finish();
}

absl::Span<const OperatorRow> PercentileOperators() { return kRows; }

}  // namespace mayfly::engine

// Dates and text: $dateToString, $dateFromString.
#include "base/strings.h"
#include "engine/expression/arguments.h"
#include "engine/expression/date_arguments.h"
#include "engine/expression/date_format.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/text.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct TextParts {
  ExpressionPtr input;
  ExpressionPtr format;
  ExpressionPtr zone;
  ExpressionPtr on_null;
  ExpressionPtr on_error;

  void AddDependencies(Dependencies* out) const {
    for (const ExpressionPtr* node : {&input, &format, &zone, &on_null, &on_error}) {
      if (*node) (*node)->AddDependencies(out);
    }
  }
  bool IsConstant() const {
    for (const ExpressionPtr* node : {&input, &format, &zone, &on_null, &on_error}) {
      if (*node && !(*node)->IsConstant()) return false;
    }
    return true;
  }
};

// A constant format is checked while parsing.
absl::Status CheckConstantFormat(const ExpressionPtr& format, int type_code,
                                 absl::Status (*check)(std::string_view)) {
  if (!format || !format->IsConstant() || format->Constant()->view().IsNullish())
    return absl::OkStatus();
  ValueView value = format->Constant()->view();
  if (!value.IsString()) {
    return base::Error(
        type_code, base::StrCat("the 'format' of a date must be a string, found: ",
                                bson::TypeName(value.type()), " with value ", ValueText(value)));
  }
  return check(value.AsString());
}

class ToStringExpression final : public Expression {
 public:
  explicit ToStringExpression(TextParts parts) : parts_(std::move(parts)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch, format_scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView format, ViewOrMissing(parts_.format, frame, &format_scratch));
    if (parts_.format && format.IsNullish()) return Value::Null();
    if (parts_.format && !format.IsString()) {
      return base::Error(
          18533, base::StrCat("$dateToString requires that 'format' be a string, found: ",
                              bson::TypeName(format.type()), " with value ", ValueText(format)));
    }
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone,
                            EvaluateTimeZone(parts_.zone, frame, "$dateToString"));
    MAYFLY_ASSIGN_OR_RETURN(ValueView date, parts_.input->View(frame, &scratch));
    if (date.IsNullish()) return parts_.on_null ? parts_.on_null->Evaluate(frame) : Value::Null();
    if (!zone) return Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(int64_t ms, CoerceToDate(date));
    const bool utc = zone->IsUtc();
    std::string_view text = utc ? "%Y-%m-%dT%H:%M:%S.%LZ" : "%Y-%m-%dT%H:%M:%S.%L";
    if (parts_.format) text = format.AsString();
    MAYFLY_ASSIGN_OR_RETURN(std::string out, FormatDate(text, ms, *zone));
    return TextResult(out);
  }
  void AddDependencies(Dependencies* out) const override { parts_.AddDependencies(out); }

 private:
  const TextParts parts_;
};

absl::StatusOr<ExpressionPtr> ParseToString(ValueView operand, const OperatorRow& row,
                                            const ParseContext& context) {
  TextParts parts;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 18629, 18534},
                                             {{"date", &parts.input, 18628},
                                              {"format", &parts.format},
                                              {"timezone", &parts.zone},
                                              {"onNull", &parts.on_null}},
                                             context));
  MAYFLY_RETURN_IF_ERROR(CheckConstantFormat(parts.format, 18533, CheckFormatForWriting));
  bool constant = parts.IsConstant();
  return Fold(ExpressionPtr(new ToStringExpression(std::move(parts))), constant, context);
}

class FromStringExpression final : public Expression {
 public:
  explicit FromStringExpression(TextParts parts) : parts_(std::move(parts)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch, format_scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView text, parts_.input->View(frame, &scratch));
    MAYFLY_ASSIGN_OR_RETURN(std::optional<TimeZone> zone,
                            EvaluateTimeZone(parts_.zone, frame, "$dateFromString"));
    if (text.IsNullish()) return parts_.on_null ? parts_.on_null->Evaluate(frame) : Value::Null();
    absl::StatusOr<Value> date = Read(text, zone, frame);
    if (!date.ok() && parts_.on_error &&
        base::CodeOf(date.status()) == base::ErrorCode::kConversionFailure) {
      return parts_.on_error->Evaluate(frame);
    }
    return date;
  }
  void AddDependencies(Dependencies* out) const override { parts_.AddDependencies(out); }

 private:
  absl::StatusOr<Value> Read(ValueView text, const std::optional<TimeZone>& zone,
                             Frame& frame) const {
    if (!text.IsString()) {
      return base::Error(
          base::ErrorCode::kConversionFailure,
          base::StrCat("$dateFromString requires that 'dateString' be a string, found: ",
                       bson::TypeName(text.type()), " with value ", ValueText(text)));
    }
    if (!zone) return Value::Null();
    ReadZone read{*zone, parts_.zone != nullptr && !zone->IsUtc()};
    if (!parts_.format) {
      MAYFLY_ASSIGN_OR_RETURN(int64_t ms, ReadDate(text.AsString(), read));
      return Value::Date(ms);
    }
    Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView format, parts_.format->View(frame, &scratch));
    if (format.IsNullish()) return Value::Null();
    if (!format.IsString()) {
      return base::Error(
          40684, base::StrCat("$dateFromString requires that 'format' be a string, found: ",
                              bson::TypeName(format.type()), " with value ", ValueText(format)));
    }
    MAYFLY_ASSIGN_OR_RETURN(int64_t ms, ReadDate(text.AsString(), format.AsString(), read));
    return Value::Date(ms);
  }

  const TextParts parts_;
};

absl::StatusOr<ExpressionPtr> ParseFromString(ValueView operand, const OperatorRow& row,
                                              const ParseContext& context) {
  TextParts parts;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, 40540, 40541},
                                             {{"dateString", &parts.input, 40542},
                                              {"format", &parts.format},
                                              {"timezone", &parts.zone},
                                              {"onNull", &parts.on_null},
                                              {"onError", &parts.on_error}},
                                             context));
  MAYFLY_RETURN_IF_ERROR(CheckConstantFormat(parts.format, 40684, CheckFormatForReading));
  bool constant = parts.IsConstant();
  return Fold(ExpressionPtr(new FromStringExpression(std::move(parts))), constant, context);
}

constexpr OperatorRow kRows[] = {
    {"$dateFromString", 1, 1, nullptr, ParseFromString, "the date that a text gives"},
    {"$dateToString", 1, 1, nullptr, ParseToString, "a date as text"},
};

}  // namespace

absl::Span<const OperatorRow> DateTextOperators() { return kRows; }

}  // namespace mayfly::engine

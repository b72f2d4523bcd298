// Operators on numbers: $inc, $mul, $bit.
#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/update/update_operator.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

std::string ShowId(const UpdateTarget& target) {
  return StrCat("{_id: ", bson::ToShellText(target.document.Find("_id")), "}");
}

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('.') + 1); }

class Arithmetic : public UpdateOperator {
 public:
  enum class Kind { kIncrement, kMultiply };
  Arithmetic(Kind kind, bson::ValueView operand) : kind_(kind), operand_(operand) {}

  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kCreate; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    const std::string_view name = kind_ == Kind::kIncrement ? "$inc" : "$mul";
    if (target.value.IsMissing()) {
      if (kind_ == Kind::kIncrement) return UpdateChange::Replace(operand_);
      return UpdateChange::Replace(bson::Multiply(bson::Value::Int32(0), operand_));
    }
    if (!target.value.IsNumber()) {
      return Error(ErrorCode::kTypeMismatch,
                   StrCat("Cannot apply ", name, " to a value of non-numeric type. ",
                          ShowId(target), " has the field '", LastPart(target.path),
                          "' of non-numeric type ", bson::TypeName(target.value.type())));
    }
    std::optional<bson::Value> result = kind_ == Kind::kIncrement
                                            ? bson::AddExact(target.value, operand_)
                                            : bson::MultiplyExact(target.value, operand_);
    if (!result) {
      return Error(ErrorCode::kBadValue,
                   StrCat("Failed to apply ", name, " operations to current value (",
                          bson::ToShellText(target.value), ") for document ", ShowId(target)));
    }
    // Equal by value is no change: 0.0 stays -0.0.
    const bool same =
        result->type() == target.value.type() && bson::CompareNumbers(*result, target.value) == 0;
    return same ? UpdateChange::None() : UpdateChange::Replace(*std::move(result));
  }

 private:
  Kind kind_;
  bson::Value operand_;
};

absl::StatusOr<UpdateOperatorPtr> ParseArithmetic(Arithmetic::Kind kind, std::string_view verb,
                                                  const bson::Element& argument) {
  if (!argument.value.IsNumber()) {
    return Error(ErrorCode::kTypeMismatch,
                 StrCat("Cannot ", verb, " with non-numeric argument: {", argument.key, ": ",
                        bson::ToShellText(argument.value), "}"));
  }
  return std::make_unique<Arithmetic>(kind, argument.value);
}

absl::StatusOr<UpdateOperatorPtr> ParseInc(const bson::Element& argument,
                                           const UpdateParseContext&) {
  return ParseArithmetic(Arithmetic::Kind::kIncrement, "increment", argument);
}

absl::StatusOr<UpdateOperatorPtr> ParseMul(const bson::Element& argument,
                                           const UpdateParseContext&) {
  return ParseArithmetic(Arithmetic::Kind::kMultiply, "multiply", argument);
}

struct BitStep {
  char operation;  // '&', '|', '^'
  bson::Value operand;
};

int64_t ToInteger(bson::ValueView value) {
  return value.type() == bson::Type::kInt32 ? value.AsInt32() : value.AsInt64();
}

class Bit : public UpdateOperator {
 public:
  explicit Bit(std::vector<BitStep> steps) : steps_(std::move(steps)) {}

  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kCreate; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    if (!target.value.IsMissing() && !target.value.IsInteger()) {
      return Error(ErrorCode::kBadValue,
                   StrCat("Cannot apply $bit to a value of non-integral type.", ShowId(target),
                          " has the field ", LastPart(target.path), " of non-integer type ",
                          bson::TypeName(target.value.type())));
    }
    int64_t bits = target.value.IsMissing() ? 0 : ToInteger(target.value);
    bool is_wide = target.value.type() == bson::Type::kInt64;
    for (const BitStep& step : steps_) {
      const int64_t operand = ToInteger(step.operand);
      is_wide |= step.operand.type() == bson::Type::kInt64;
      bits = step.operation == '&'   ? bits & operand
             : step.operation == '|' ? bits | operand
                                     : bits ^ operand;
    }
    return UpdateChange::ReplaceUnlessSame(
        target.value,
        is_wide ? bson::Value::Int64(bits) : bson::Value::Int32(static_cast<int32_t>(bits)));
  }

 private:
  std::vector<BitStep> steps_;
};

absl::StatusOr<UpdateOperatorPtr> ParseBit(const bson::Element& argument,
                                           const UpdateParseContext&) {
  if (!argument.value.IsDocument()) {
    return Error(
        ErrorCode::kBadValue,
        StrCat("The $bit modifier is not compatible with a ", bson::TypeName(argument.value.type()),
               ". You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}"));
  }
  std::vector<BitStep> steps;
  for (const bson::Element& step : argument.value.AsDocument()) {
    const char operation = step.key == "and"   ? '&'
                           : step.key == "or"  ? '|'
                           : step.key == "xor" ? '^'
                                               : '\0';
    if (operation == '\0') {
      return Error(ErrorCode::kBadValue,
                   StrCat("The $bit modifier only supports 'and', 'or', and 'xor', not '", step.key,
                          "' which is an unknown operator: {", step.key, ": ",
                          bson::ToShellText(step.value), "}"));
    }
    if (!step.value.IsInteger()) {
      return Error(ErrorCode::kBadValue,
                   StrCat("The $bit modifier field must be an Integer(32/64 bit); a '",
                          bson::TypeName(step.value.type()), "' is not supported here: {", step.key,
                          ": ", bson::ToShellText(step.value), "}"));
    }
    steps.push_back({operation, bson::Value(step.value)});
  }
  if (steps.empty()) {
    return Error(ErrorCode::kBadValue,
                 StrCat("You must pass in at least one bitwise operation. The format is: ",
                        "{$bit: {field: {and/or/xor: #}}"));
  }
  return std::make_unique<Bit>(std::move(steps));
}

constexpr UpdateOperatorRow kRows[] = {
    {"$inc", ParseInc, "Adds a number to a field."},
    {"$mul", ParseMul, "Multiplies a field by a number; a missing field becomes 0."},
    {"$bit", ParseBit, "Bitwise and, or, xor of an integer field."},
};

}  // namespace

UpdateOperatorFamily NumberUpdateOperators() { return {kRows, std::size(kRows)}; }

}  // namespace mayfly::engine

// Types: $convert, its short forms $toBool ... $toUUID, $type, $isNumber.
#include "base/strings.h"
#include "bson/number.h"
#include "engine/expression/arguments.h"
#include "engine/expression/conversion.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct ConvertParts {
  ExpressionPtr input;
  ExpressionPtr to;
  ExpressionPtr subtype;  // inside `to`
  ExpressionPtr format;
  ExpressionPtr byte_order;
  ExpressionPtr on_null;
  ExpressionPtr on_error;

  std::vector<const Expression*> All() const {
    std::vector<const Expression*> out;
    for (const ExpressionPtr* node :
         {&input, &to, &subtype, &format, &byte_order, &on_null, &on_error}) {
      if (*node) out.push_back(node->get());
    }
    return out;
  }
};

absl::Status SubtypeNotANumber(ValueView subtype) {
  return base::Error(4341108,
                     base::StrCat("$convert's 'subtype' argument must be a number, but is ",
                                  bson::TypeName(subtype.type())));
}

// As fields of an object: null is no type, other than `to: null`.
absl::Status CheckNotNull(ValueView type, ValueView subtype) {
  if (type.IsNull()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "$convert's 'to.type' must be a string or a number, not null");
  }
  return subtype.IsNull() ? SubtypeNotANumber(subtype) : absl::OkStatus();
}

class ConvertExpression final : public Expression {
 public:
  explicit ConvertExpression(ConvertParts parts) : parts_(std::move(parts)) {}

  absl::StatusOr<Value> Evaluate(Frame& frame) const override {
    Value scratch;
    ConversionTarget target;
    MAYFLY_ASSIGN_OR_RETURN(ValueView input, parts_.input->View(frame, &scratch));
    if (input.IsNullish()) return parts_.on_null ? parts_.on_null->Evaluate(frame) : Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(bool has_target, EvaluateTarget(frame, &target));
    if (!has_target) return Value::Null();
    absl::StatusOr<Value> converted = ConvertValue(input, target);
    if (!converted.ok() && parts_.on_error && IsConversionError(base::CodeOf(converted.status()))) {
      return parts_.on_error->Evaluate(frame);
    }
    return converted;
  }
  void AddDependencies(Dependencies* out) const override {
    for (const Expression* node : parts_.All()) node->AddDependencies(out);
  }

 private:
  static bool IsConversionError(base::ErrorCode code) {
    return code == base::ErrorCode::kConversionFailure || code == base::ErrorCode(18537);
  }

  // False if the type is null.
  absl::StatusOr<bool> EvaluateTarget(Frame& frame, ConversionTarget* out) const {
    Value to_scratch, subtype_scratch, format_scratch, order_scratch;
    MAYFLY_ASSIGN_OR_RETURN(ValueView to, parts_.to->View(frame, &to_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView subtype,
                            ViewOrMissing(parts_.subtype, frame, &subtype_scratch));
    if (to.IsDocument()) {
      subtype = to.AsDocument().Find("subtype");
      to = to.AsDocument().Find("type");
      MAYFLY_RETURN_IF_ERROR(CheckNotNull(to, subtype));
    }
    MAYFLY_ASSIGN_OR_RETURN(ValueView format, ViewOrMissing(parts_.format, frame, &format_scratch));
    MAYFLY_ASSIGN_OR_RETURN(ValueView order,
                            ViewOrMissing(parts_.byte_order, frame, &order_scratch));
    if (to.IsNullish()) return false;
    MAYFLY_RETURN_IF_ERROR(ReadSubtype(subtype, out));
    MAYFLY_RETURN_IF_ERROR(ReadFormat(format, out));
    MAYFLY_RETURN_IF_ERROR(ReadByteOrder(order, out));
    MAYFLY_ASSIGN_OR_RETURN(out->type, ParseTargetType(to));
    return true;
  }

  static absl::Status ReadSubtype(ValueView subtype, ConversionTarget* out) {
    if (subtype.IsNullish()) return absl::OkStatus();
    if (!subtype.IsNumber()) return SubtypeNotANumber(subtype);
    std::optional<int64_t> number = bson::ToInt64Exact(subtype);
    if (!number)
      return base::Error(4341106, "In $convert, numeric 'subtype' argument is not an integer");
    constexpr int64_t kLastKnown = 9, kFirstUserDefined = 128, kLast = 255;
    const bool known = (*number >= 0 && *number <= kLastKnown) ||
                       (*number >= kFirstUserDefined && *number <= kLast);
    if (!known) {
      return base::Error(
          4341107, base::StrCat("In $convert, numeric value for 'subtype' does not correspond to a "
                                "BinData type: ",
                                *number));
    }
    out->subtype = static_cast<uint8_t>(*number);
    return absl::OkStatus();
  }

  static absl::Status ReadFormat(ValueView format, ConversionTarget* out) {
    if (format.IsNullish()) return absl::OkStatus();
    if (!format.IsString()) {
      return base::Error(
          4341114, base::StrCat("$convert requires that 'format' be a string, found: ",
                                bson::TypeName(format.type()), " with value ", ValueText(format)));
    }
    std::optional<BinaryFormat> parsed = ParseBinaryFormat(format.AsString());
    if (!parsed) {
      return base::Error(
          4341125, base::StrCat("Invalid 'format' argument for $convert: ", format.AsString()));
    }
    out->format = *parsed;
    return absl::OkStatus();
  }

  static absl::Status ReadByteOrder(ValueView order, ConversionTarget* out) {
    if (order.IsNullish()) return absl::OkStatus();
    if (!order.IsString()) {
      return base::Error(
          9130001, base::StrCat("$convert requires that 'byteOrder' be a string, found: ",
                                bson::TypeName(order.type()), " with value ", ValueText(order)));
    }
    if (order.AsString() != "little" && order.AsString() != "big") {
      return base::Error(
          9130002, base::StrCat("Invalid 'byteOrder' argument for $convert: ", order.AsString()));
    }
    out->big_endian = order.AsString() == "big";
    return absl::OkStatus();
  }

  const ConvertParts parts_;
};

absl::StatusOr<ExpressionPtr> MakeConvert(ConvertParts parts, const ParseContext& context) {
  bool constant = true;
  for (const Expression* node : parts.All()) constant = constant && node->IsConstant();
  return Fold(ExpressionPtr(new ConvertExpression(std::move(parts))), constant, context);
}

bool IsTypeObject(ValueView to) {
  if (!to.IsDocument() || to.AsDocument().empty()) return false;
  const std::string_view key = to.AsDocument().First().key;
  return key.empty() || key[0] != '$';
}

absl::StatusOr<ExpressionPtr> ParseConvert(ValueView operand, const OperatorRow& row,
                                           const ParseContext& context) {
  constexpr int kFailedToParse = static_cast<int>(base::ErrorCode::kFailedToParse);
  ConvertParts parts;
  MAYFLY_RETURN_IF_ERROR(ParseNamedArguments(operand, {row.name, kFailedToParse, kFailedToParse},
                                             {{"input", &parts.input, kFailedToParse},
                                              {"to", &parts.to, kFailedToParse},
                                              {"format", &parts.format},
                                              {"byteOrder", &parts.byte_order},
                                              {"onNull", &parts.on_null},
                                              {"onError", &parts.on_error}},
                                             context));
  const ValueView to = operand.AsDocument().Find("to");
  if (IsTypeObject(to)) {
    const ValueView type = to.AsDocument().Find("type");
    const ValueView subtype = to.AsDocument().Find("subtype");
    if (type.IsMissing()) {
      return base::Error(base::ErrorCode::kFailedToParse,
                         "Missing 'type' parameter to $convert.to");
    }
    MAYFLY_RETURN_IF_ERROR(CheckNotNull(type, subtype));
    // Other fields are ignored.
    MAYFLY_ASSIGN_OR_RETURN(parts.to, ParseExpression(type, context));
    if (!subtype.IsMissing()) {
      MAYFLY_ASSIGN_OR_RETURN(parts.subtype, ParseExpression(subtype, context));
    }
  }
  return MakeConvert(std::move(parts), context);
}

// The short forms take one operand, or an array of one.
absl::StatusOr<ExpressionPtr> ParseShortForm(ValueView operand, const OperatorRow& row,
                                             const ParseContext& context, ConversionTarget target) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> operands, ParseOperands(operand, context));
  if (operands.size() != 1) {
    return base::Error(
        50723, base::StrCat(row.name, " requires a single argument, got ", operands.size()));
  }
  ConvertParts parts;
  parts.input = std::move(operands[0]);
  parts.to = MakeConstant(Value::String(bson::TypeName(target.type)));
  if (target.type == bson::Type::kString) parts.format = MakeConstant(Value::String("auto"));
  if (target.type == bson::Type::kBinary) {
    parts.subtype = MakeConstant(Value::Int32(target.subtype));
    parts.format = MakeConstant(Value::String("uuid"));
  }
  return MakeConvert(std::move(parts), context);
}

template <bson::Type kType>
absl::StatusOr<ExpressionPtr> ParseTo(ValueView operand, const OperatorRow& row,
                                      const ParseContext& context) {
  return ParseShortForm(operand, row, context, {.type = kType});
}

absl::StatusOr<ExpressionPtr> ParseToUuid(ValueView operand, const OperatorRow& row,
                                          const ParseContext& context) {
  return ParseShortForm(operand, row, context,
                        {.type = bson::Type::kBinary, .subtype = bson::kBinaryUuid});
}

absl::StatusOr<Value> TypeOf(Arguments a, const Call&) {
  return Value::String(bson::TypeName(a[0].type()));
}

absl::StatusOr<Value> IsNumber(Arguments a, const Call&) { return Value::Bool(a[0].IsNumber()); }

using T = bson::Type;

constexpr OperatorRow kRows[] = {
    {"$convert", 1, 1, nullptr, ParseConvert, "a value as another type"},
    {"$isNumber", 1, 1, IsNumber, nullptr, "whether the operand is a number"},
    {"$toBool", 1, 1, nullptr, ParseTo<T::kBool>, "a value as a boolean"},
    {"$toDate", 1, 1, nullptr, ParseTo<T::kDate>, "a value as a date"},
    {"$toDecimal", 1, 1, nullptr, ParseTo<T::kDecimal128>, "a value as a decimal"},
    {"$toDouble", 1, 1, nullptr, ParseTo<T::kDouble>, "a value as a double"},
    {"$toInt", 1, 1, nullptr, ParseTo<T::kInt32>, "a value as a 32-bit integer"},
    {"$toLong", 1, 1, nullptr, ParseTo<T::kInt64>, "a value as a 64-bit integer"},
    {"$toObjectId", 1, 1, nullptr, ParseTo<T::kObjectId>, "a value as an ObjectId"},
    {"$toString", 1, 1, nullptr, ParseTo<T::kString>, "a value as text"},
    {"$toUUID", 1, 1, nullptr, ParseToUuid, "a text as a UUID"},
    {"$type", 1, 1, TypeOf, nullptr, "the name of the operand's type"},
};

}  // namespace

absl::Span<const OperatorRow> TypeOperators() { return kRows; }

}  // namespace mayfly::engine

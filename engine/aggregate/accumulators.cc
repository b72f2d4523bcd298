// The list of all accumulator families, the look-up by name, and the parsing that all share.
#include "base/strings.h"
#include "engine/aggregate/accumulator.h"

namespace mayfly::engine {

absl::Span<const absl::Span<const AccumulatorRow>> AccumulatorFamilies() {
  static const auto* const families = new std::vector<absl::Span<const AccumulatorRow>>{
      ArrayAccumulators(),
      NumberAccumulators(),
      OrderAccumulators(),
      PercentileAccumulators(),
  };
  return *families;
}

const AccumulatorRow* FindAccumulator(std::string_view name) {
  for (absl::Span<const AccumulatorRow> family : AccumulatorFamilies()) {
    for (const AccumulatorRow& row : family) {
      if (row.name == name) return &row;
    }
  }
  return nullptr;
}

absl::StatusOr<NamedAccumulator> ParseNamedAccumulator(const bson::Element& field,
                                                       const ParseContext& context) {
  if (field.key.find('.') != std::string_view::npos) {
    return base::Error(40235, base::StrCat("The field name '", field.key, "' cannot contain '.'"));
  }
  if (!field.key.empty() && field.key[0] == '$') {
    return base::Error(40236,
                       base::StrCat("The field name '", field.key, "' cannot be an operator name"));
  }
  if (!field.value.IsDocument() || field.value.AsDocument().empty()) {
    return base::Error(40234,
                       base::StrCat("The field '", field.key, "' must be an accumulator object"));
  }
  if (field.value.AsDocument().Count() != 1) {
    return base::Error(40238,
                       base::StrCat("The field '", field.key, "' must specify one accumulator"));
  }
  const bson::Element accumulator = field.value.AsDocument().First();
  if (accumulator.key.empty() || accumulator.key[0] != '$') {
    return base::Error(40234,
                       base::StrCat("The field '", field.key, "' must be an accumulator object"));
  }
  if (accumulator.value.IsArray() && accumulator.value.AsDocument().Count() != 1) {
    return base::Error(40237,
                       base::StrCat("The ", accumulator.key, " accumulator is a unary operator"));
  }
  const AccumulatorRow* row = FindAccumulator(accumulator.key);
  if (!row)
    return base::Error(15952, base::StrCat("unknown group operator '", accumulator.key, "'"));
  MAYFLY_ASSIGN_OR_RETURN(AccumulatorSpecPtr spec, row->parse(accumulator.value, *row, context));
  return NamedAccumulator{std::string(field.key), std::move(spec)};
}

absl::StatusOr<ExpressionPtr> ParseUnaryArgument(bson::ValueView operand, std::string_view name,
                                                 const ParseContext& context) {
  if (operand.IsArray() && !context.array_operands) {
    return base::Error(40237, base::StrCat("The ", name, " accumulator is a unary operator"));
  }
  return ParseExpression(operand, context);
}

}  // namespace mayfly::engine

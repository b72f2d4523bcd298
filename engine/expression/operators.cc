// The list of all operator families, and the look-up by name.
#include <array>

#include "absl/container/flat_hash_map.h"
#include "base/strings.h"
#include "engine/expression/operator.h"

namespace mayfly::engine {
namespace {

using NameMap = absl::flat_hash_map<absl::string_view, const OperatorRow*>;

NameMap MakeNameMap() {
  NameMap map;
  for (absl::Span<const OperatorRow> family : OperatorFamilies()) {
    for (const OperatorRow& row : family) map.emplace(base::ToAbsl(row.name), &row);
  }
  return map;
}

}  // namespace

absl::Span<const absl::Span<const OperatorRow>> OperatorFamilies() {
  static const auto* const families = new std::vector<absl::Span<const OperatorRow>>{
      AccumulatorOperators(),    ArithmeticOperators(), ArrayIterationOperators(),
      ArrayOperators(),          ArrayOrderOperators(), BitwiseOperators(),
      BooleanOperators(),        ComparisonOperators(), ConditionalOperators(),
      DateArithmeticOperators(), DatePartOperators(),   DateTextOperators(),
      LiteralOperators(),        MiscOperators(),       ObjectOperators(),
      PercentileOperators(),     RegexOperators(),      SetOperators(),
      StringEditOperators(),     StringOperators(),     TrigonometryOperators(),
      ScriptOperators(),         TypeOperators(),
  };
  return *families;
}

const OperatorRow* FindOperator(std::string_view name) {
  static const NameMap* const map = new NameMap(MakeNameMap());
  auto found = map->find(base::ToAbsl(name));
  return found == map->end() ? nullptr : found->second;
}

}  // namespace mayfly::engine

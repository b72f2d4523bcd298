// Operators whose operand is an object of named arguments: {$filter: {input: ..., as: ..., cond:
// ...}}.
#pragma once

#include <initializer_list>
#include <string_view>

#include "absl/status/status.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

// One argument: where its parsed expression goes, and the error if it must be given but is not.
struct NamedArgument {
  std::string_view name;
  ExpressionPtr* target;
  int missing_code = 0;  // 0: may be left out
};

// The errors of an operator's argument object.
struct NamedArgumentErrors {
  std::string_view name;  // "$filter"
  int not_object_code;
  int unknown_code;
};

// Parses every argument in order of appearance, then checks that the needed ones are there, in
// order of the list.
absl::Status ParseNamedArguments(bson::ValueView operand, const NamedArgumentErrors& errors,
                                 std::initializer_list<NamedArgument> arguments,
                                 const ParseContext& context);
// The checks alone, for operators that parse some arguments in a scope of their own. Fills `*found`
// with the values in order of `names`, missing for those not given.
struct ArgumentName {
  std::string_view name;
  int missing_code = 0;
};
absl::StatusOr<std::vector<bson::ValueView>> FindNamedArguments(
    bson::ValueView operand, const NamedArgumentErrors& errors,
    std::initializer_list<ArgumentName> names);

// Evaluates `node`, or gives missing if it is null.
inline absl::StatusOr<bson::ValueView> ViewOrMissing(const ExpressionPtr& node, Frame& frame,
                                                     bson::Value* scratch) {
  if (!node) return bson::ValueView();
  return node->View(frame, scratch);
}

}  // namespace mayfly::engine

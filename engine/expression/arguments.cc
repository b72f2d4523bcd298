#include "engine/expression/arguments.h"

#include <algorithm>

#include "base/strings.h"

namespace mayfly::engine {

absl::StatusOr<std::vector<bson::ValueView>> FindNamedArguments(
    bson::ValueView operand, const NamedArgumentErrors& errors,
    std::initializer_list<ArgumentName> names) {
  if (!operand.IsDocument()) {
    return base::Error(errors.not_object_code,
                       base::StrCat(errors.name, " only supports an object as its argument, found ",
                                    bson::TypeName(operand.type())));
  }
  std::vector<bson::ValueView> found(names.size());
  for (const bson::Element& element : operand.AsDocument()) {
    auto name = std::find_if(names.begin(), names.end(), [&](const ArgumentName& candidate) {
      return candidate.name == element.key;
    });
    if (name == names.end()) {
      return base::Error(errors.unknown_code,
                         base::StrCat("Unrecognized argument to ", errors.name, ": ", element.key));
    }
    found[name - names.begin()] = element.value;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const ArgumentName& name = names.begin()[i];
    if (found[i].IsMissing() && name.missing_code != 0) {
      return base::Error(name.missing_code,
                         base::StrCat("Missing '", name.name, "' parameter to ", errors.name));
    }
  }
  return found;
}

absl::Status ParseNamedArguments(bson::ValueView operand, const NamedArgumentErrors& errors,
                                 std::initializer_list<NamedArgument> arguments,
                                 const ParseContext& context) {
  if (!operand.IsDocument()) {
    return base::Error(errors.not_object_code,
                       base::StrCat(errors.name, " requires an object as an argument, found: ",
                                    bson::TypeName(operand.type())));
  }
  for (const bson::Element& element : operand.AsDocument()) {
    auto argument =
        std::find_if(arguments.begin(), arguments.end(),
                     [&](const NamedArgument& candidate) { return candidate.name == element.key; });
    if (argument == arguments.end()) {
      return base::Error(errors.unknown_code,
                         base::StrCat(errors.name, " found an unknown argument: ", element.key));
    }
    MAYFLY_ASSIGN_OR_RETURN(*argument->target, ParseExpression(element.value, context));
  }
  for (const NamedArgument& argument : arguments) {
    if (argument.missing_code != 0 && !*argument.target) {
      return base::Error(argument.missing_code, base::StrCat(errors.name, " requires '",
                                                             argument.name, "' to be specified"));
    }
  }
  return absl::OkStatus();
}

}  // namespace mayfly::engine

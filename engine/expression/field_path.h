// Parsing of field paths and variables inside expressions.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

inline constexpr size_t kMaxFieldPathDepth = 200;

// `text` begins with '$'. Errors: 16872 "$", 9 bad variable name, 17276 undefined
// variable, and those of ParseFieldPath.
absl::StatusOr<ExpressionPtr> ParseFieldPathExpression(std::string_view text,
                                                       const ParseContext& context);

// One component of a field path: 15998 empty, 16410 leading '$', 16411 NUL byte, 16412 dot.
absl::Status CheckFieldName(std::string_view name);

// The variables that are always there, without "$$"; for reference.
struct SystemVariableName {
  std::string_view name;
  std::string_view help;
};
std::vector<SystemVariableName> SystemVariables();

}  // namespace mayfly::engine

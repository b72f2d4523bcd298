// Evaluates an expression written as JSON against a document written as JSON. For the tests of this
// folder.
#pragma once

#include <string>
#include <string_view>

#include "base/random.h"
#include "base/status.h"
#include "bson/json.h"
#include "bson/value.h"
#include "engine/expression/expression.h"

namespace mayfly::engine {

inline constexpr int64_t kTestNowMs = 1'700'000'000'000;

inline absl::StatusOr<bson::Value> EvaluateJson(std::string_view expression,
                                                std::string_view document = "{}",
                                                const bson::StringComparator* strings = nullptr) {
  std::string wrapped = "{\"e\":" + std::string(expression) + "}";
  MAYFLY_ASSIGN_OR_RETURN(bson::Document parsed, bson::ParseJson(wrapped));
  MAYFLY_ASSIGN_OR_RETURN(bson::Document root, bson::ParseJson(document));
  base::Random random(1);
  EvaluationContext context;
  context.now_ms = kTestNowMs;
  context.random = &random;
  context.strings = strings;
  Variables variables;
  ParseContext parse;
  parse.variables = &variables;
  parse.evaluation = &context;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr node, ParseExpression(parsed.Find("e"), parse));
  Frame frame(context);
  frame.root = root;
  return node->Evaluate(frame);
}

// The value in shell notation, "missing", or "error <code>".
inline std::string Eval(std::string_view expression, std::string_view document = "{}",
                        const bson::StringComparator* strings = nullptr) {
  absl::StatusOr<bson::Value> value = EvaluateJson(expression, document, strings);
  if (!value.ok()) return "error " + std::to_string(static_cast<int>(base::CodeOf(value.status())));
  if (value->IsMissing()) return "missing";
  return bson::ToShellText(*value);
}

}  // namespace mayfly::engine

// Two documents from the bytes: an expression {e: ...} and what it is evaluated for. Nothing may
// crash, both ways of evaluating must agree, and so must a second evaluation.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bson/compare.h"
#include "engine/expression/expression.h"
#include "tests/fuzz/two_documents.h"

namespace mayfly::engine {
namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

void Check(bson::View holder, bson::View document) {
  base::Random random(1);
  EvaluationContext evaluation;
  evaluation.random = &random;
  Variables variables;
  ParseContext context;
  context.variables = &variables;
  context.evaluation = &evaluation;
  for (const bson::Element& element : holder) {
    const absl::StatusOr<ExpressionPtr> node = ParseExpression(element.value, context);
    if (!node.ok()) continue;
    Dependencies dependencies;
    (*node)->AddDependencies(&dependencies);
    Frame frame(evaluation);
    frame.root = document;
    const absl::StatusOr<bson::Value> value = (*node)->Evaluate(frame);
    bson::Value scratch;
    const absl::StatusOr<bson::ValueView> view = (*node)->View(frame, &scratch);
    if (dependencies.random) continue;
    Expect(value.ok() == view.ok());
    if (value.ok()) Expect(bson::Equal(*value, *view));
  }
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = mayfly::fuzz::SplitInput(data, size);
  if (!input.has_value()) return 0;
  mayfly::engine::Check(input->first, input->second);
  return 0;
}

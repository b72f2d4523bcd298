// Two documents from the bytes, a projection and what it is applied to. What comes out must be a
// valid document.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bson/validate.h"
#include "engine/projection/projection.h"
#include "tests/fuzz/two_documents.h"

namespace mayfly::engine {
namespace {

void Check(bson::View spec, bson::View document) {
  base::Random random(1);
  EvaluationContext evaluation;
  evaluation.random = &random;
  FilterParseContext filter_context;
  filter_context.evaluation = &evaluation;
  const absl::StatusOr<FilterPtr> filter = ParseFilter(bson::View(), filter_context);
  ProjectionContext context;
  context.filter = filter->get();
  context.evaluation = &evaluation;
  const absl::StatusOr<Projection> projection = Projection::Parse(spec, context);
  if (!projection.ok()) return;
  projection->CoveredPaths();
  Dependencies dependencies;
  projection->AddDependencies(&dependencies);
  MatchContext match(evaluation);
  const absl::StatusOr<bson::Document> result = projection->Apply(document, match);
  if (!result.ok()) return;
  constexpr int kAnyDepth = 1000;
  if (!bson::ValidateDocument(result->bytes(), kAnyDepth).ok()) std::abort();
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = mayfly::fuzz::SplitInput(data, size);
  if (!input.has_value()) return 0;
  mayfly::engine::Check(input->first, input->second);
  return 0;
}

// Two documents from the bytes, a projection and what it is applied to. What comes out must be a
// valid document.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bson/validate.h"
#include "engine/projection/projection.h"

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
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size < 10) return 0;
  const mayfly::bson::View first(bytes);
  if (first.size() < 5 || first.size() > size - 5) return 0;
  const std::string_view spec = bytes.substr(0, first.size());
  const std::string_view document = bytes.substr(first.size());
  if (!mayfly::bson::ValidateDocument(spec).ok()) return 0;
  if (!mayfly::bson::ValidateDocument(document).ok()) return 0;
  mayfly::engine::Check(mayfly::bson::View(spec), mayfly::bson::View(document));
  return 0;
}

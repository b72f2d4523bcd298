// Two documents from the bytes, a filter and what it is matched against. Neither may crash
// anything, and what the tree says about itself must hold: its serialised form parses and answers
// alike.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/expression/sort_pattern.h"
#include "engine/query/filter.h"
#include "tests/fuzz/two_documents.h"

namespace mayfly::engine {
namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

bool IsRandom(const FilterNode& node) {
  if (node.kind() == FilterKind::kSample || node.kind() == FilterKind::kExpression) return true;
  for (const FilterPtr& child : node.children()) {
    if (IsRandom(*child)) return true;
  }
  return false;
}

void AskForBounds(const FilterNode& node) {
  node.Bounds(Multikey::kNo);
  node.Bounds(Multikey::kYes);
  node.MatchesMissing();
  for (const FilterPtr& child : node.children()) AskForBounds(*child);
}

void Check(bson::View filter, bson::View document) {
  base::Random random(1);
  EvaluationContext evaluation;
  evaluation.random = &random;
  FilterParseContext context;
  context.evaluation = &evaluation;
  const absl::StatusOr<FilterPtr> node = ParseFilter(filter, context);
  if (!node.ok()) return;
  MatchContext match(evaluation);
  match.record_position = true;
  const absl::StatusOr<bool> answer = (*node)->Matches(document, match);
  AskForBounds(**node);
  Expect(IsRandom(**node) || Implies(**node, **node));
  CollectEqualities(**node).IgnoreError();

  const bson::Document again = ToDocument(**node);
  const absl::StatusOr<FilterPtr> reparsed = ParseFilter(again, context);
  if (!answer.ok() || !reparsed.ok() || IsRandom(**node)) return;
  const absl::StatusOr<bool> second = (*reparsed)->Matches(document, match);
  Expect(second.ok() && *second == *answer);
}

void CheckSort(bson::View pattern, bson::View document) {
  const absl::StatusOr<SortPattern> sort = SortPattern::Parse(pattern);
  if (!sort.ok()) return;
  const auto key = sort->Key(document, nullptr);
  if (key.ok()) Expect(sort->Compare(*key, *key, nullptr) == 0);
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = mayfly::fuzz::SplitInput(data, size);
  if (!input.has_value()) return 0;
  mayfly::engine::Check(input->first, input->second);
  mayfly::engine::CheckSort(input->first, input->second);
  return 0;
}

// PathNode: how a predicate about a path is applied to a document and written back as one.
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {

absl::StatusOr<bool> PathNode::Matches(bson::View document, MatchContext& context) const {
  if (path_.size() == 1) {
    const bson::ValueView value = document.Find(path_.text());
    if (!value.IsArray() || leaf_ == LeafArray::kWhole) return Test(value, context);
  }
  return VisitPath(path_, document, leaf_, [&](bson::ValueView value, int64_t array_index) {
    if (!Test(value, context)) return false;
    if (context.record_position && array_index >= 0) context.position = array_index;
    return true;
  });
}

bool PathNode::MatchesMissing() const {
  const EvaluationContext evaluation;
  MatchContext context(evaluation);
  return Test(bson::ValueView(), context);
}

void PathNode::Serialize(bson::Builder* out) const {
  out->OpenDocument(path());
  SerializeOperator(out);
  out->Close();
}

}  // namespace mayfly::engine

#include "engine/plan/predicates.h"

#include "base/strings.h"

namespace mayfly::engine {
namespace {

// $elemMatch inside $elemMatch is followed so deep.
constexpr int kMaxElementDepth = 8;

void Add(const FilterNode& node, const std::string& prefix, const FilterNode* element, int depth,
         Predicates* out) {
  switch (node.kind()) {
    case FilterKind::kAlwaysTrue:
      return;
    case FilterKind::kAlwaysFalse:
      out->impossible = true;
      return;
    case FilterKind::kAnd:
      for (const FilterPtr& child : node.children()) Add(*child, prefix, element, depth, out);
      return;
    case FilterKind::kOr:
      out->complete = false;
      if (element == nullptr) out->disjunctions.push_back(&node);
      return;
    case FilterKind::kElementObject: {
      out->complete = false;
      if (depth >= kMaxElementDepth) return;
      const std::string below = base::StrCat(prefix, node.path(), ".");
      for (const FilterPtr& child : node.children()) {
        Add(*child, below, element == nullptr ? &node : element, depth + 1, out);
      }
      return;
    }
    case FilterKind::kNor:
    case FilterKind::kExpression:
    case FilterKind::kSample:
    case FilterKind::kSchema:
    case FilterKind::kGeo:
    case FilterKind::kNear:
    case FilterKind::kText:
      out->complete = false;
      return;
    case FilterKind::kNot:
    case FilterKind::kEqual:
    case FilterKind::kLess:
    case FilterKind::kLessEqual:
    case FilterKind::kGreater:
    case FilterKind::kGreaterEqual:
    case FilterKind::kIn:
    case FilterKind::kRegex:
    case FilterKind::kMod:
    case FilterKind::kExists:
    case FilterKind::kType:
    case FilterKind::kSize:
    case FilterKind::kBits:
    case FilterKind::kElementValue:
      break;
  }
  if (node.path().empty()) {
    out->complete = false;
    return;
  }
  out->all.push_back({.path = base::StrCat(prefix, node.path()),
                      .node = &node,
                      .element = element,
                      .needs_path = element != nullptr || !node.MatchesMissing()});
}

}  // namespace

Predicates CollectPredicates(const FilterNode& filter) {
  Predicates predicates;
  Add(filter, "", nullptr, 0, &predicates);
  return predicates;
}

}  // namespace mayfly::engine

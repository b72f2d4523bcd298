// Rewrites of a parsed filter that change its shape but not what it matches, as MongoDB does before
// planning.
#include <algorithm>

#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

bool IsBefore(const FilterPtr& a, const FilterPtr& b) {
  if (a->kind() != b->kind()) return a->kind() < b->kind();
  return a->path() < b->path();
}

// The children of nested nodes of the same kind in the place of those nodes.
std::vector<FilterPtr> Flattened(std::vector<FilterPtr> children, FilterKind kind) {
  std::vector<FilterPtr> result;
  for (FilterPtr& child : children) {
    if (child->kind() != kind) {
      result.push_back(std::move(child));
      continue;
    }
    for (FilterPtr& grandchild : std::move(*child).TakeChildren()) {
      result.push_back(std::move(grandchild));
    }
  }
  return result;
}

bool Contains(const std::vector<FilterPtr>& children, FilterKind kind) {
  return std::any_of(children.begin(), children.end(),
                     [kind](const FilterPtr& child) { return child->kind() == kind; });
}

void RemoveAll(std::vector<FilterPtr>* children, FilterKind kind) {
  const auto last = std::remove_if(children->begin(), children->end(),
                                   [kind](const FilterPtr& c) { return c->kind() == kind; });
  children->erase(last, children->end());
}

std::vector<FilterPtr> SimplifiedChildren(FilterNode& node) {
  std::vector<FilterPtr> children = std::move(node).TakeChildren();
  for (FilterPtr& child : children) child = Simplify(std::move(child));
  return children;
}

FilterPtr SimplifyAnd(FilterNode& node) {
  std::vector<FilterPtr> children = Flattened(SimplifiedChildren(node), FilterKind::kAnd);
  if (Contains(children, FilterKind::kAlwaysFalse)) return MakeAlwaysFalse();
  RemoveAll(&children, FilterKind::kAlwaysTrue);
  std::stable_sort(children.begin(), children.end(), IsBefore);
  return MakeAnd(std::move(children));
}

FilterPtr SimplifyOr(FilterNode& node) {
  std::vector<FilterPtr> children = Flattened(SimplifiedChildren(node), FilterKind::kOr);
  if (Contains(children, FilterKind::kAlwaysTrue)) return MakeAlwaysTrue();
  RemoveAll(&children, FilterKind::kAlwaysFalse);
  if (children.empty()) return MakeAlwaysFalse();
  std::stable_sort(children.begin(), children.end(), IsBefore);
  return MakeOr(std::move(children));
}

FilterPtr SimplifyNor(FilterNode& node) {
  std::vector<FilterPtr> children = SimplifiedChildren(node);
  if (Contains(children, FilterKind::kAlwaysTrue)) return MakeAlwaysFalse();
  RemoveAll(&children, FilterKind::kAlwaysFalse);
  if (children.empty()) return MakeAlwaysTrue();
  std::stable_sort(children.begin(), children.end(), IsBefore);
  return MakeNor(std::move(children));
}

FilterPtr SimplifyNot(FilterNode& node) {
  FilterPtr child = std::move(SimplifiedChildren(node)[0]);
  if (child->kind() == FilterKind::kNot) return std::move(std::move(*child).TakeChildren()[0]);
  if (child->kind() == FilterKind::kAlwaysTrue) return MakeAlwaysFalse();
  if (child->kind() == FilterKind::kAlwaysFalse) return MakeAlwaysTrue();
  return MakeNot(std::move(child));
}

}  // namespace

FilterPtr Simplify(FilterPtr root) {
  switch (root->kind()) {
    case FilterKind::kAnd:
      return SimplifyAnd(*root);
    case FilterKind::kOr:
      return SimplifyOr(*root);
    case FilterKind::kNor:
      return SimplifyNor(*root);
    case FilterKind::kNot:
      return SimplifyNot(*root);
    case FilterKind::kElementObject:
    case FilterKind::kElementValue:
    case FilterKind::kSize:
    case FilterKind::kEqual:
    case FilterKind::kLessEqual:
    case FilterKind::kLess:
    case FilterKind::kGreater:
    case FilterKind::kGreaterEqual:
    case FilterKind::kRegex:
    case FilterKind::kMod:
    case FilterKind::kExists:
    case FilterKind::kIn:
    case FilterKind::kBits:
    case FilterKind::kType:
    case FilterKind::kExpression:
    case FilterKind::kAlwaysFalse:
    case FilterKind::kAlwaysTrue:
    case FilterKind::kSample:
    case FilterKind::kSchema:
      return root;
  }
  return root;
}

}  // namespace mayfly::engine

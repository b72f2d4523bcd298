// Rewrites of a parsed filter that change its shape but not what it matches, as MongoDB does before
// planning.
#include <algorithm>
#include <map>
#include <string>

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

std::vector<FilterPtr> SimplifiedChildren(FilterNode& node, const bson::StringComparator* strings) {
  std::vector<FilterPtr> children = std::move(node).TakeChildren();
  for (FilterPtr& child : children) child = Simplify(std::move(child), strings);
  return children;
}

// Equalities and regular expressions of one path, branches of an $or, become one $in.
std::vector<FilterPtr> JoinedByPath(std::vector<FilterPtr> branches,
                                    const bson::StringComparator* strings) {
  struct Group {
    std::vector<bson::Value> values;
    std::vector<FilterPtr> regexes;
  };
  std::map<std::string, Group, std::less<>> groups;
  std::vector<FilterPtr> result;
  for (FilterPtr& branch : branches) {
    if (branch->kind() == FilterKind::kEqual) {
      groups[std::string(branch->path())].values.emplace_back(branch->operand());
    } else if (branch->kind() == FilterKind::kRegex) {
      groups[std::string(branch->path())].regexes.push_back(std::move(branch));
    } else {
      result.push_back(std::move(branch));
    }
  }
  for (auto& [path, group] : groups) {
    result.push_back(MakeIn(path, std::move(group.values), std::move(group.regexes), strings));
  }
  return result;
}

FilterPtr SimplifyAnd(FilterNode& node, const bson::StringComparator* strings) {
  std::vector<FilterPtr> children = Flattened(SimplifiedChildren(node, strings), FilterKind::kAnd);
  if (Contains(children, FilterKind::kAlwaysFalse)) return MakeAlwaysFalse();
  RemoveAll(&children, FilterKind::kAlwaysTrue);
  std::stable_sort(children.begin(), children.end(), IsBefore);
  return MakeAnd(std::move(children));
}

FilterPtr SimplifyOr(FilterNode& node, const bson::StringComparator* strings) {
  std::vector<FilterPtr> children = Flattened(SimplifiedChildren(node, strings), FilterKind::kOr);
  if (Contains(children, FilterKind::kAlwaysTrue)) return MakeAlwaysTrue();
  RemoveAll(&children, FilterKind::kAlwaysFalse);
  if (children.empty()) return MakeAlwaysFalse();
  children = JoinedByPath(std::move(children), strings);
  std::stable_sort(children.begin(), children.end(), IsBefore);
  return MakeOr(std::move(children));
}

FilterPtr SimplifyNor(FilterNode& node, const bson::StringComparator* strings) {
  std::vector<FilterPtr> children = SimplifiedChildren(node, strings);
  if (Contains(children, FilterKind::kAlwaysTrue)) return MakeAlwaysFalse();
  RemoveAll(&children, FilterKind::kAlwaysFalse);
  if (children.empty()) return MakeAlwaysTrue();
  std::stable_sort(children.begin(), children.end(), IsBefore);
  return MakeNor(std::move(children));
}

FilterPtr SimplifyNot(FilterNode& node, const bson::StringComparator* strings) {
  FilterPtr child = std::move(SimplifiedChildren(node, strings)[0]);
  if (child->kind() == FilterKind::kNot) return std::move(std::move(*child).TakeChildren()[0]);
  if (child->kind() == FilterKind::kAlwaysTrue) return MakeAlwaysFalse();
  if (child->kind() == FilterKind::kAlwaysFalse) return MakeAlwaysTrue();
  return MakeNot(std::move(child));
}

}  // namespace

FilterPtr Simplify(FilterPtr root, const bson::StringComparator* strings) {
  switch (root->kind()) {
    case FilterKind::kAnd:
      return SimplifyAnd(*root, strings);
    case FilterKind::kOr:
      return SimplifyOr(*root, strings);
    case FilterKind::kNor:
      return SimplifyNor(*root, strings);
    case FilterKind::kNot:
      return SimplifyNot(*root, strings);
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
    case FilterKind::kGeo:
    case FilterKind::kNear:
    case FilterKind::kText:
      return root;
  }
  return root;
}

}  // namespace mayfly::engine

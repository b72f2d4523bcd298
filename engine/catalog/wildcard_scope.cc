#include "engine/catalog/wildcard_scope.h"

#include <algorithm>

#include "base/limits.h"
#include "base/strings.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

bool IsTrue(bson::ValueView value) {
  return value.IsBool() ? value.AsBool() : value.IsNumber() && bson::IsNonZero(value);
}

struct ProjectedPath {
  std::string path;
  bool included = false;
};

void Collect(bson::View projection, const std::string& prefix, int depth,
             std::vector<ProjectedPath>* out) {
  if (depth > base::kMaxNestingDepth) return;
  for (const bson::Element& element : projection) {
    const std::string path = base::StrCat(prefix, element.key);
    if (element.value.IsDocument()) {
      Collect(element.value.AsDocument(), base::StrCat(path, "."), depth + 1, out);
    } else {
      out->push_back({.path = path, .included = IsTrue(element.value)});
    }
  }
}

}  // namespace

bool IsAtOrBelow(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '.');
}

WildcardScope::WildcardScope(const IndexSpec& spec) {
  const std::string& root = spec.fields[spec.SpecialField()].path;
  if (!root.empty()) {
    inclusive_ = true;
    paths_.push_back(root);
    return;
  }
  if (!spec.wildcard_projection.has_value()) return;
  std::vector<ProjectedPath> projected;
  Collect(*spec.wildcard_projection, "", 0, &projected);
  for (ProjectedPath& one : projected) {
    if (one.path == "_id") {
      holds_id_ = one.included;
      // {_id: 1} alone includes nothing else.
      if (projected.size() == 1) inclusive_ = one.included;
      continue;
    }
    inclusive_ = one.included;
    paths_.push_back(std::move(one.path));
  }
}

bool WildcardScope::HoldsValueAt(std::string_view path) const {
  const bool named = std::any_of(paths_.begin(), paths_.end(),
                                 [&](const auto& p) { return IsAtOrBelow(path, p); });
  if (IsAtOrBelow(path, "_id")) {
    // `_id` follows its own switch unless something below it is named.
    return inclusive_ ? named || holds_id_ : holds_id_ && !named;
  }
  return named == inclusive_;
}

bool WildcardScope::HoldsSubtree(std::string_view path) const {
  if (!HoldsValueAt(path)) return false;
  if (inclusive_) return true;
  return std::none_of(paths_.begin(), paths_.end(),
                      [&](const auto& p) { return IsAtOrBelow(p, path); });
}

bool WildcardScope::MayHoldBelow(std::string_view path) const {
  if (HoldsValueAt(path)) return true;
  return inclusive_ && std::any_of(paths_.begin(), paths_.end(),
                                   [&](const auto& p) { return IsAtOrBelow(p, path); });
}

}  // namespace mayfly::engine

#include "engine/query/filter.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "engine/expression/expression.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {

MatchContext::MatchContext(const EvaluationContext& evaluation) : evaluation_(&evaluation) {}
MatchContext::~MatchContext() = default;

Frame& MatchContext::frame() {
  if (frame_ == nullptr) frame_ = std::make_unique<Frame>(*evaluation_);
  return *frame_;
}

bool FilterNode::DependsOnCollation() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const FilterPtr& child) { return child->DependsOnCollation(); });
}

bson::Document ToDocument(const FilterNode& filter) {
  bson::Builder builder;
  filter.Serialize(&builder);
  return builder.Finish();
}

namespace {

bool IsPointLookUp(bson::ValueView value) {
  return !value.IsNullish() && !value.IsArray() && value.type() != bson::Type::kRegex;
}

void CollectFrom(const FilterNode& node, std::vector<FilterEquality>* out) {
  if (node.kind() == FilterKind::kEqual) {
    out->push_back({node.path(), node.operand()});
  } else if (node.kind() == FilterKind::kAnd ||
             (node.kind() == FilterKind::kOr && node.children().size() == 1)) {
    for (const FilterPtr& child : node.children()) CollectFrom(*child, out);
  }
}

bool IsInside(std::string_view path, std::string_view outer) {
  return path.size() > outer.size() && path.starts_with(outer) && path[outer.size()] == '.';
}

absl::Status NotSingle(std::string_view text) {
  return base::Error(base::ErrorCode::kNotSingleValueField,
                     base::StrCat("cannot infer query fields to set, ", text));
}

}  // namespace

std::optional<bson::ValueView> EqualityOn(const FilterNode& filter, std::string_view path) {
  if (filter.kind() == FilterKind::kEqual && filter.path() == path) {
    if (IsPointLookUp(filter.operand())) return filter.operand();
    return std::nullopt;
  }
  if (filter.kind() != FilterKind::kAnd) return std::nullopt;
  for (const FilterPtr& child : filter.children()) {
    if (auto found = EqualityOn(*child, path)) return found;
  }
  return std::nullopt;
}

bool IsEqualityOnly(const FilterNode& filter, std::string_view path) {
  return filter.kind() == FilterKind::kEqual && EqualityOn(filter, path).has_value();
}

absl::StatusOr<std::vector<FilterEquality>> CollectEqualities(const FilterNode& filter) {
  std::vector<FilterEquality> result;
  CollectFrom(filter, &result);
  std::stable_sort(
      result.begin(), result.end(),
      [](const FilterEquality& a, const FilterEquality& b) { return a.path < b.path; });
  for (size_t i = 1; i < result.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const std::string_view outer = result[j].path;
      const std::string_view path = result[i].path;
      if (path == outer) return NotSingle(base::StrCat("path '", path, "' is matched twice"));
      if (IsInside(path, outer)) {
        return NotSingle(base::StrCat("both paths '", path, "' and '", outer, "' are matched"));
      }
    }
  }
  return result;
}

}  // namespace mayfly::engine

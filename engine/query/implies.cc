// Whether one filter guarantees another: when a partial index may serve a query.
#include <algorithm>

#include "engine/query/filter.h"

namespace mayfly::engine {
namespace {

bool IsComparison(FilterKind kind) {
  return kind == FilterKind::kEqual || kind == FilterKind::kLess ||
         kind == FilterKind::kLessEqual || kind == FilterKind::kGreater ||
         kind == FilterKind::kGreaterEqual;
}

// {$gt: 5} guarantees {$gt: 3}: every value that fulfils the one is in the bounds of the other.
// Only for exact bounds of one value each, so that an array's element that fulfils the query
// fulfils the partial filter too.
bool BoundsInside(const FilterNode& query, const FilterNode& partial,
                  const bson::StringComparator* strings) {
  const auto inner = query.Bounds(Multikey::kYes);
  const auto outer = partial.Bounds(Multikey::kYes);
  if (!inner || !outer || !outer->exact) return false;
  return Intersect(inner->intervals, Complement(outer->intervals, strings), strings).empty();
}

// False if two answers of the same filter may differ.
bool IsDeterministic(const FilterNode& filter) {
  return filter.kind() != FilterKind::kSample && filter.kind() != FilterKind::kExpression &&
         std::all_of(filter.children().begin(), filter.children().end(),
                     [](const FilterPtr& child) { return IsDeterministic(*child); });
}

bool LeafImplies(const FilterNode& query, const FilterNode& partial,
                 const bson::StringComparator* strings) {
  if (query.kind() == partial.kind() && IsDeterministic(query) &&
      ToDocument(query).bytes() == ToDocument(partial).bytes()) {
    return true;
  }
  if (query.path() != partial.path() || query.path().empty()) return false;
  if (query.kind() == FilterKind::kNot || partial.kind() == FilterKind::kNot) return false;
  if (partial.kind() == FilterKind::kExists) return !query.MatchesMissing();
  const bool comparable = IsComparison(query.kind()) || query.kind() == FilterKind::kIn;
  const bool compares = IsComparison(partial.kind()) || partial.kind() == FilterKind::kIn;
  return comparable && compares && BoundsInside(query, partial, strings);
}

}  // namespace

bool Implies(const FilterNode& query, const FilterNode& partial,
             const bson::StringComparator* strings) {
  const auto implied_by_query = [&](const FilterPtr& child) {
    return Implies(query, *child, strings);
  };
  const auto implies_partial = [&](const FilterPtr& child) {
    return Implies(*child, partial, strings);
  };
  if (partial.kind() == FilterKind::kAlwaysTrue) return true;
  if (query.kind() == FilterKind::kAlwaysFalse) return true;
  if (partial.kind() == FilterKind::kAnd) {
    return std::all_of(partial.children().begin(), partial.children().end(), implied_by_query);
  }
  if (query.kind() == FilterKind::kOr) {
    return std::all_of(query.children().begin(), query.children().end(), implies_partial);
  }
  if (query.kind() == FilterKind::kAnd &&
      std::any_of(query.children().begin(), query.children().end(), implies_partial)) {
    return true;
  }
  if (partial.kind() == FilterKind::kOr) {
    return std::any_of(partial.children().begin(), partial.children().end(), implied_by_query);
  }
  return LeafImplies(query, partial, strings);
}

}  // namespace mayfly::engine

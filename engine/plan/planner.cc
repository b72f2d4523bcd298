#include "engine/plan/planner.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/index/index_keys.h"
#include "engine/keys/key_encoder.h"
#include "engine/plan/index_plan.h"
#include "engine/query/text_filter.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;

// True if `a` is to be preferred to `b`.
bool Better(const IndexPlan& a, const IndexPlan& b, bool wants_order) {
  if (a.unique_point != b.unique_point) return a.unique_point;
  if (a.equality_fields != b.equality_fields) return a.equality_fields > b.equality_fields;
  if (wants_order && a.path.sorted != b.path.sorted) return a.path.sorted;
  if (a.bounded_fields != b.bounded_fields) return a.bounded_fields > b.bounded_fields;
  if (a.path.exact != b.path.exact) return a.path.exact;
  return a.path.index->spec.fields.size() < b.path.index->spec.fields.size();
}

AccessPath CollectionScan(Direction direction) {
  AccessPath path;
  path.kind = AccessPath::Kind::kCollectionScan;
  path.direction = direction;
  return path;
}

std::optional<AccessPath> IdLookup(const PlanRequest& request) {
  const auto id = EqualityOn(request.filter, "_id");
  if (!id.has_value()) return std::nullopt;
  const Index& index = request.collection.id_index();
  const Intervals point = {Interval::Point(*id)};
  if (!bson::SameOrder(index.strings.get(), request.strings) && DependsOnCollation(point))
    return std::nullopt;
  AccessPath path;
  path.kind = AccessPath::Kind::kIdLookup;
  path.index = request.collection.indexes().front();
  path.bounds.push_back(point);
  KeyRange range;
  KeyEncoder(Ordering(), index.strings.get()).Append(0, *id, &range.start);
  path.ranges.push_back(std::move(range));
  path.sorted = true;
  path.exact = IsEqualityOnly(request.filter, "_id");
  return path;
}

absl::Status BadHint() {
  return Error(ErrorCode::kBadValue,
               "error processing query: planner returned error :: caused by :: hint provided does "
               "not correspond to an "
               "existing index");
}

absl::StatusOr<std::shared_ptr<const Index>> FindHinted(const PlanRequest& request) {
  if (request.hint.IsString()) {
    auto index = request.collection.FindIndex(request.hint.AsString());
    if (index == nullptr || index->building || index->spec.hidden) return BadHint();
    return index;
  }
  for (const auto& index : request.collection.indexes()) {
    if (index->building || index->spec.hidden) continue;
    if (bson::CompareDocuments(index->spec.key, request.hint.AsDocument()) == 0) return index;
  }
  return BadHint();
}

PlanChoice Nothing() {
  PlanChoice choice;
  choice.winner.kind = AccessPath::Kind::kNothing;
  choice.winner.sorted = true;
  return choice;
}

// {$natural: 1}: a collection scan in that direction; nullopt for other hints.
absl::StatusOr<std::optional<AccessPath>> NaturalHint(const PlanRequest& request) {
  if (!request.hint.IsDocument()) return std::optional<AccessPath>();
  const bson::ValueView natural = request.hint.AsDocument().Find("$natural");
  if (natural.IsMissing()) return std::optional<AccessPath>();
  if (request.hint.AsDocument().Count() > 1) {
    return Error(ErrorCode::kBadValue, "$natural hint must stand alone");
  }
  if (!natural.IsNumber() || (bson::ToDouble(natural) != 1 && bson::ToDouble(natural) != -1)) {
    return Error(ErrorCode::kBadValue, "$natural hint must be 1 or -1");
  }
  return std::optional<AccessPath>(
      CollectionScan(bson::ToDouble(natural) < 0 ? Direction::kBackward : Direction::kForward));
}

PlanRequest BranchOf(const PlanRequest& request, const FilterNode& filter) {
  return {.collection = request.collection,
          .filter = filter,
          .order = {},
          .strings = request.strings,
          .hint = {},
          .min = {},
          .max = {},
          .index_filter = request.index_filter};
}

// An $or all of whose branches are found through one index.
std::optional<AccessPath> HintedUnion(const PlanRequest& request, const FilterNode& disjunction,
                                      const std::shared_ptr<const Index>& index) {
  AccessPath path;
  path.kind = AccessPath::Kind::kUnion;
  for (const FilterPtr& child : disjunction.children()) {
    const PlanRequest branch = BranchOf(request, *child);
    auto plan = PlanWithIndex(branch, CollectPredicates(*child), index, Forced::kNo);
    if (!plan.has_value()) return std::nullopt;
    path.branches.push_back(std::move(plan->path));
  }
  return path;
}

absl::StatusOr<PlanChoice> PlanHinted(const PlanRequest& request, const Predicates& predicates) {
  if (FindText(request.filter) != nullptr) {
    return Error(ErrorCode::kBadValue, "text and hint not allowed in same query");
  }
  MAYFLY_ASSIGN_OR_RETURN(auto natural, NaturalHint(request));
  const bool has_range = !request.min.empty() || !request.max.empty();
  if (natural.has_value()) {
    if (has_range)
      return Error(ErrorCode::kBadValue, "min and max need a hint that names an index");
    return PlanChoice{.winner = *std::move(natural), .rejected = {}};
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto index, FindHinted(request));
  if (!index->spec.HasEntries()) {
    if (has_range) return Error(ErrorCode::kBadValue, "min and max need an index with entries");
    AccessPath scan = CollectionScan(Direction::kForward);
    // What the index would hold: geospatial ones are sparse.
    for (const IndexField& field : index->spec.fields) {
      if (field.kind == IndexKind::kGeo2d || field.kind == IndexKind::kGeo2dSphere) {
        scan.only_with.push_back(field.path);
      }
    }
    return PlanChoice{.winner = std::move(scan), .rejected = {}};
  }
  if (predicates.impossible) return Nothing();
  if (has_range) {
    MAYFLY_ASSIGN_OR_RETURN(IndexPlan plan, PlanWithMinMax(request, index));
    return PlanChoice{.winner = std::move(plan.path), .rejected = {}};
  }
  auto plan = PlanWithIndex(request, predicates, index, Forced::kYes);
  if (plan.has_value()) return PlanChoice{.winner = std::move(plan->path), .rejected = {}};
  for (const FilterNode* disjunction : predicates.disjunctions) {
    if (auto path = HintedUnion(request, *disjunction, index); path.has_value()) {
      return PlanChoice{.winner = *std::move(path), .rejected = {}};
    }
  }
  return Error(ErrorCode::kNoQueryExecutionPlans,
               "error processing query: planner returned error :: caused by :: No query solutions");
}

bool IsAllowed(const IndexFilter& filter, const Index& index) {
  return std::any_of(filter.indexes.begin(), filter.indexes.end(), [&](const bson::Value& value) {
    const bson::ValueView one = value;
    if (one.IsString()) return one.AsString() == index.spec.name;
    return bson::CompareDocuments(one.AsDocument(), index.spec.key) == 0;
  });
}

std::optional<AccessPath> BestIndexPath(const PlanRequest& request, const Predicates& predicates,
                                        std::vector<AccessPath>* rejected) {
  std::vector<IndexPlan> plans;
  for (const auto& index : request.collection.indexes()) {
    if (index->spec.hidden || index->building || !index->spec.HasEntries()) continue;
    if (request.index_filter != nullptr && !IsAllowed(*request.index_filter, *index)) continue;
    if (index->spec.IsWildcard()) {
      for (IndexPlan& plan : PlansWithWildcard(request, predicates, index)) {
        plans.push_back(std::move(plan));
      }
      continue;
    }
    auto plan = PlanWithIndex(request, predicates, index, Forced::kNo);
    if (plan.has_value()) plans.push_back(*std::move(plan));
  }
  if (plans.empty()) return std::nullopt;
  const bool wants_order = !request.order.empty();
  std::stable_sort(plans.begin(), plans.end(), [&](const IndexPlan& a, const IndexPlan& b) {
    return Better(a, b, wants_order);
  });
  if (rejected != nullptr) {
    for (size_t i = 1; i < plans.size(); ++i) rejected->push_back(std::move(plans[i].path));
  }
  return std::move(plans.front().path);
}

// An $or whose every branch has an index.
std::optional<AccessPath> UnionPath(const PlanRequest& request, const FilterNode& disjunction) {
  AccessPath path;
  path.kind = AccessPath::Kind::kUnion;
  for (const FilterPtr& child : disjunction.children()) {
    const PlanRequest branch = BranchOf(request, *child);
    if (auto id = IdLookup(branch); id.has_value()) {
      path.branches.push_back(*std::move(id));
      continue;
    }
    const Predicates predicates = CollectPredicates(*child);
    auto best = BestIndexPath(branch, predicates, nullptr);
    if (!best.has_value()) return std::nullopt;
    path.branches.push_back(*std::move(best));
  }
  return path;
}

}  // namespace

const IndexFilter* FindIndexFilter(const Collection& collection, std::string_view shape) {
  for (const IndexFilter& filter : collection.index_filters()) {
    if (filter.shape == shape) return &filter;
  }
  return nullptr;
}

absl::StatusOr<PlanChoice> ChoosePlanWithAlternatives(const PlanRequest& request) {
  const Predicates predicates = CollectPredicates(request.filter);
  if (!request.hint.IsMissing() && request.index_filter == nullptr) {
    return PlanHinted(request, predicates);
  }
  if (!request.min.empty() || !request.max.empty()) {
    return Error(51173, "When using min()/max() a hint of which index to use must be provided");
  }
  if (predicates.impossible) return Nothing();
  PlanChoice choice;
  if (auto id = IdLookup(request); id.has_value()) {
    choice.winner = *std::move(id);
    return choice;
  }
  auto best = BestIndexPath(request, predicates, &choice.rejected);
  const bool bounded = best.has_value() && best->bounds.size() > 0 && !predicates.all.empty();
  if (!bounded) {
    for (const FilterNode* disjunction : predicates.disjunctions) {
      if (auto path = UnionPath(request, *disjunction); path.has_value()) {
        choice.winner = *std::move(path);
        return choice;
      }
    }
  }
  choice.winner = best.has_value() ? *std::move(best) : CollectionScan(Direction::kForward);
  return choice;
}

absl::StatusOr<AccessPath> ChoosePlan(const PlanRequest& request) {
  if (request.hint.IsMissing() && request.min.empty() && request.max.empty()) {
    if (auto id = IdLookup(request); id.has_value()) return *std::move(id);
  }
  MAYFLY_ASSIGN_OR_RETURN(PlanChoice choice, ChoosePlanWithAlternatives(request));
  return std::move(choice.winner);
}

}  // namespace mayfly::engine

#include "engine/plan/index_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/status.h"
#include "engine/index/index_keys.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::engine {
namespace {

// At most so many ranges are made of $in lists on several fields; the rest is left to the filter.
constexpr size_t kMaxRanges = 4000;

bool CanUseCollation(const Index& index, const PlanRequest& request, const Intervals& intervals) {
  return bson::SameOrder(index.strings.get(), request.strings) || !DependsOnCollation(intervals);
}

// The bounds of one indexed field from the predicates on its path.
struct FieldBounds {
  Intervals intervals;
  bool bounded = false;
  bool exact = true;
  int predicates_used = 0;
};

bool IsMultikey(const Index& index, size_t field) {
  return (index.multikey_fields >> field & 1) != 0;
}

class Builder {
 public:
  Builder(const PlanRequest& request, const Predicates& predicates,
          const std::shared_ptr<const Index>& index)
      : request_(request), predicates_(predicates), index_(index) {}

  std::optional<IndexPlan> Run(Forced forced) {
    // A hint is followed even if the index leaves documents out.
    if (forced == Forced::kNo && !MayUse()) return std::nullopt;
    ComputeBounds();
    plan_.path.kind = AccessPath::Kind::kIndexScan;
    plan_.path.index = index_;
    CheckOrder();
    if (plan_.bounded_fields == 0 && !plan_.path.sorted && forced == Forced::kNo)
      return std::nullopt;
    MakeRanges();
    FinishExactness();
    return std::move(plan_);
  }

 private:
  const std::vector<IndexField>& fields() const { return index_->spec.fields; }

  // Documents that the index leaves out must not match.
  bool MayUse() const {
    const IndexSpec& spec = index_->spec;
    if (spec.partial_filter.has_value() &&
        !Implies(request_.filter, *index_->partial_filter, request_.strings)) {
      return false;
    }
    if (!spec.sparse) return true;
    return std::any_of(predicates_.all.begin(), predicates_.all.end(), [&](const Predicate& p) {
      return p.needs_path && std::any_of(fields().begin(), fields().end(),
                                         [&](const IndexField& f) { return f.path == p.path; });
    });
  }

  // Whether `predicate` may narrow `field` beside those already used: in a multikey index,
  // conditions that may hold for different elements of one array cannot narrow the same key.
  bool MayCombine(size_t field, const Predicate& predicate) const {
    if (!IsMultikey(*index_, field)) return true;
    for (const auto& [other_field, other] : used_) {
      if (!IsMultikey(*index_, other_field)) continue;
      if (predicate.element == nullptr || other->element != predicate.element) return false;
    }
    return true;
  }

  FieldBounds BoundsOf(size_t field) {
    FieldBounds result{.intervals = {Interval::Everything()}};
    for (const Predicate& predicate : predicates_.all) {
      if (predicate.path != fields()[field].path) continue;
      const auto multikey = IsMultikey(*index_, field) ? Multikey::kYes : Multikey::kNo;
      const auto bounds = predicate.node->Bounds(multikey);
      if (!bounds.has_value() || !CanUseCollation(*index_, request_, bounds->intervals) ||
          !MayCombine(field, predicate)) {
        result.exact = false;
        continue;
      }
      result.intervals = Intersect(result.intervals, bounds->intervals, index_->strings.get());
      result.bounded = true;
      result.exact = result.exact && bounds->exact;
      ++result.predicates_used;
      used_.emplace_back(field, &predicate);
    }
    return result;
  }

  static bool AllPoints(const Intervals& intervals, const bson::StringComparator* strings) {
    return std::all_of(intervals.begin(), intervals.end(),
                       [&](const Interval& i) { return i.IsPoint(strings); });
  }

  void ComputeBounds() {
    bool open = true;  // every earlier field has points only
    for (size_t i = 0; i < fields().size(); ++i) {
      FieldBounds bounds = open ? BoundsOf(i) : FieldBounds{.intervals = {Interval::Everything()}};
      if (bounds.bounded) {
        ++plan_.bounded_fields;
        predicates_used_ += bounds.predicates_used;
        exact_ = exact_ && bounds.exact;
        if (AllPoints(bounds.intervals, index_->strings.get())) {
          ++plan_.equality_fields;
          if (bounds.intervals.size() != 1) plan_.single_points = false;
          if (bounds.intervals.size() == 1) single_.insert(i);
        } else {
          open = false;
        }
      } else {
        open = false;
      }
      plan_.path.bounds.push_back(std::move(bounds.intervals));
    }
    plan_.unique_point = index_->spec.unique && plan_.single_points &&
                         plan_.equality_fields == static_cast<int>(fields().size());
  }

  // Whether the scan, forward or backward, gives the order asked for.
  void CheckOrder() {
    const std::vector<OrderField>& order = request_.order;
    if (order.empty() || !bson::SameOrder(index_->strings.get(), request_.strings)) return;
    size_t next = 0;
    std::optional<bool> backward;
    for (size_t i = 0; i < fields().size() && next < order.size(); ++i) {
      const bool matches = order[next].path == fields()[i].path;
      if (!matches) {
        if (single_.contains(i)) continue;  // one value only: it does not disturb the order
        return;
      }
      if (IsMultikey(*index_, i)) return;
      const bool index_descending = fields()[i].kind == IndexKind::kDescending;
      const bool needs_backward = index_descending != order[next].descending;
      if (!single_.contains(i)) {
        if (backward.has_value() && *backward != needs_backward) return;
        backward = needs_backward;
      }
      ++next;
    }
    // Fields of the order that are fixed to one value by the filter need no place in the index.
    while (next < order.size() && FixedByFilter(order[next].path)) ++next;
    if (next < order.size()) return;
    plan_.path.sorted = true;
    plan_.path.direction = backward.value_or(false) ? Direction::kBackward : Direction::kForward;
  }

  bool FixedByFilter(std::string_view path) const {
    for (size_t i = 0; i < fields().size(); ++i) {
      if (fields()[i].path == path && single_.contains(i) && !IsMultikey(*index_, i)) return true;
    }
    return false;
  }

  void MakeRanges() {
    const KeyEncoder encoder(OrderingOf(index_->spec), index_->strings.get());
    std::vector<std::string> prefixes = {std::string()};
    std::vector<KeyRange>& ranges = plan_.path.ranges;
    for (int i = 0; i < plan_.bounded_fields; ++i) {
      const Intervals& intervals = plan_.path.bounds[i];
      if (intervals.empty()) {
        plan_.path.kind = AccessPath::Kind::kNothing;
        return;
      }
      if (prefixes.size() * intervals.size() > kMaxRanges) {
        exact_ = false;
        break;
      }
      if (i < plan_.equality_fields) {
        prefixes = ExtendByPoints(encoder, i, prefixes, intervals);
        continue;
      }
      AddRanges(encoder, i, prefixes, intervals);
      return SortRanges();
    }
    for (std::string& prefix : prefixes) {
      KeyRange range{.start = prefix, .end = std::move(prefix)};
      AppendAfterPrefix(&range.end);
      ranges.push_back(std::move(range));
    }
    SortRanges();
  }

  static std::vector<std::string> ExtendByPoints(const KeyEncoder& encoder, int field,
                                                 const std::vector<std::string>& prefixes,
                                                 const Intervals& points) {
    std::vector<std::string> extended;
    extended.reserve(prefixes.size() * points.size());
    for (const std::string& prefix : prefixes) {
      for (const Interval& point : points) {
        extended.push_back(prefix);
        encoder.Append(field, point.low, &extended.back());
      }
    }
    return extended;
  }

  void AddRanges(const KeyEncoder& encoder, int field, const std::vector<std::string>& prefixes,
                 const Intervals& intervals) {
    for (const std::string& prefix : prefixes) {
      for (const Interval& interval : intervals) {
        KeyRange range{.start = prefix, .end = prefix};
        AppendRange(encoder, field,
                    {.low = interval.low,
                     .high = interval.high,
                     .low_inclusive = interval.low_inclusive,
                     .high_inclusive = interval.high_inclusive},
                    &range.start, &range.end);
        plan_.path.ranges.push_back(std::move(range));
      }
    }
  }

  void SortRanges() {
    auto& ranges = plan_.path.ranges;
    std::sort(ranges.begin(), ranges.end(),
              [](const KeyRange& a, const KeyRange& b) { return a.start < b.start; });
    // Different values may have one key under a collation.
    const auto same = [](const KeyRange& a, const KeyRange& b) {
      return a.start == b.start && a.end == b.end;
    };
    ranges.erase(std::unique(ranges.begin(), ranges.end(), same), ranges.end());
  }

  void FinishExactness() {
    plan_.path.exact = exact_ && predicates_.complete &&
                       predicates_used_ == static_cast<int>(predicates_.all.size()) &&
                       predicates_.disjunctions.empty();
  }

  const PlanRequest& request_;
  const Predicates& predicates_;
  std::shared_ptr<const Index> index_;
  IndexPlan plan_;
  std::vector<std::pair<size_t, const Predicate*>> used_;
  std::set<size_t> single_;  // fields bounded by exactly one point
  int predicates_used_ = 0;
  bool exact_ = true;
};

absl::Status CheckMinMaxFields(const Index& index, bson::View key, std::string_view which) {
  if (key.empty()) return absl::OkStatus();
  size_t i = 0;
  for (const bson::Element& element : key) {
    if (i >= index.spec.fields.size() || index.spec.fields[i].path != element.key) {
      return base::Error(
          51174, std::string(which) + "() must have the fields of the hinted index, in order");
    }
    ++i;
  }
  if (i != index.spec.fields.size()) {
    return base::Error(51174, std::string(which) + "() must have all fields of the hinted index");
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<IndexPlan> PlanWithIndex(const PlanRequest& request, const Predicates& predicates,
                                       const std::shared_ptr<const Index>& index, Forced forced) {
  return Builder(request, predicates, index).Run(forced);
}

absl::StatusOr<IndexPlan> PlanWithMinMax(const PlanRequest& request,
                                         const std::shared_ptr<const Index>& index) {
  MAYFLY_RETURN_IF_ERROR(CheckMinMaxFields(*index, request.min, "min"));
  MAYFLY_RETURN_IF_ERROR(CheckMinMaxFields(*index, request.max, "max"));
  PlanRequest unbounded = request;
  Predicates none;
  none.complete = false;
  auto plan = Builder(unbounded, none, index).Run(Forced::kYes);
  if (!plan.has_value()) {
    return base::Error(base::ErrorCode::kNoQueryExecutionPlans,
                       "the hinted index cannot answer this query");
  }
  const KeyEncoder encoder(OrderingOf(index->spec), index->strings.get());
  KeyRange range = plan->path.ranges.front();
  const auto encode = [&](bson::View key, std::string* out) {
    out->clear();
    int field = 0;
    for (const bson::Element& element : key) encoder.Append(field++, element.value, out);
  };
  if (!request.min.empty()) encode(request.min, &range.start);
  if (!request.max.empty()) encode(request.max, &range.end);
  if (!request.min.empty() && !request.max.empty() && range.start >= range.end) {
    return base::Error(51175, "max() must be greater than min()");
  }
  plan->path.ranges = {std::move(range)};
  plan->path.exact = false;
  return *std::move(plan);
}

}  // namespace mayfly::engine

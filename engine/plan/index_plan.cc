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

// A wildcard index as it looks to a query on one path.
struct WildcardView {
  std::string path;  // empty: only the fields beside the wildcard are asked for
  std::vector<IndexField> fields;
  size_t at = 0;  // position of "$_path" in `fields`; the value comes next
};

bool HasArrayPosition(std::string_view path) {
  size_t start = 0;
  while (start <= path.size()) {
    const size_t dot = std::min(path.find('.', start), path.size());
    const std::string_view part = path.substr(start, dot - start);
    const bool digits = !part.empty() && std::all_of(part.begin(), part.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (digits) return true;
    start = dot + 1;
  }
  return false;
}

// True if documents or arrays are among the values: a wildcard index holds what is inside them.
bool TouchesContainers(const Intervals& intervals, const bson::StringComparator* strings) {
  const Intervals containers = {TypeBracket(bson::Type::kDocument),
                                TypeBracket(bson::Type::kArray)};
  for (const Interval& found : Intersect(intervals, containers, strings)) {
    const bool is_empty_document = found.IsPoint(strings) &&
                                   bson::ValueView(found.low).IsDocument() &&
                                   bson::ValueView(found.low).AsDocument().empty();
    if (!is_empty_document) return true;
  }
  return false;
}

class Builder {
 public:
  Builder(const PlanRequest& request, const Predicates& predicates,
          const std::shared_ptr<const Index>& index, const WildcardView* wildcard = nullptr)
      : request_(request), predicates_(predicates), index_(index), wildcard_(wildcard) {}

  std::optional<IndexPlan> Run(Forced forced) {
    // A hint is followed even if the index leaves documents out.
    if (forced == Forced::kNo && !MayUse()) return std::nullopt;
    if (!ComputeBounds()) return std::nullopt;
    if (wildcard_ != nullptr) plan_.path.wildcard_fields = wildcard_->fields;
    plan_.path.kind = AccessPath::Kind::kIndexScan;
    plan_.path.index = index_;
    CheckOrder();
    if (bounded_ == 0 && !plan_.path.sorted && forced == Forced::kNo) return std::nullopt;
    MakeRanges();
    FinishExactness();
    return std::move(plan_);
  }

 private:
  const std::vector<IndexField>& fields() const {
    return wildcard_ != nullptr ? wildcard_->fields : index_->spec.fields;
  }
  bool IsPathField(size_t field) const { return wildcard_ != nullptr && field == wildcard_->at; }
  bool IsWildcardValue(size_t field) const {
    return wildcard_ != nullptr && field == wildcard_->at + 1;
  }
  bool IsMultikey(size_t field) const {
    if (IsPathField(field)) return false;
    const size_t in_index = wildcard_ != nullptr && field > wildcard_->at ? field - 1 : field;
    return (index_->multikey_fields >> in_index & 1) != 0;
  }

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
    if (!IsMultikey(field)) return true;
    for (const auto& [other_field, other] : used_) {
      if (!IsMultikey(other_field)) continue;
      if (predicate.element == nullptr || other->element != predicate.element) return false;
    }
    return true;
  }

  // The hashes of the values; nothing if they are not single values.
  static FieldBounds HashesOf(const Index& index, const FieldBounds& values) {
    FieldBounds result{.intervals = {Interval::Everything()}, .exact = false};
    if (!values.bounded || !AllPoints(values.intervals, index.strings.get())) return result;
    Intervals hashes;
    for (const Interval& point : values.intervals) {
      hashes.push_back(Interval::Point(HashedFieldValue(index, point.low)));
    }
    result.intervals = Union(std::move(hashes), {}, nullptr);
    result.bounded = true;
    result.predicates_used = values.predicates_used;
    return result;
  }

  // The path itself, or all paths from it downwards where the values are inside documents.
  FieldBounds PathBounds() {
    FieldBounds result{.intervals = {Interval::Everything()}, .bounded = true};
    if (wildcard_->path.empty()) {
      result.bounded = false;
      return result;
    }
    result.intervals = {Interval::Point(bson::Value::String(wildcard_->path))};
    const FieldBounds values = BoundsOf(wildcard_->at + 1);
    used_.clear();
    if (!values.bounded || !TouchesContainers(values.intervals, index_->strings.get())) {
      return result;
    }
    subtree_ = true;
    result.intervals.push_back({.low = bson::Value::String(wildcard_->path + "."),
                                .high = bson::Value::String(wildcard_->path + "/"),
                                .low_inclusive = true,
                                .high_inclusive = false});
    return result;
  }

  FieldBounds FieldBoundsOf(size_t field) {
    if (IsPathField(field)) return PathBounds();
    FieldBounds bounds = BoundsOf(field);
    if (fields()[field].kind == IndexKind::kHashed) return HashesOf(*index_, bounds);
    if (IsWildcardValue(field) && subtree_) {
      bounds.intervals = {Interval::Everything()};
      bounds.exact = false;
    }
    return bounds;
  }

  // {a: {$ne: null}}: below a field of the document there is nothing on the way.
  static bool IsNotNull(const FilterNode& node) {
    if (node.kind() != FilterKind::kNot || node.path().find('.') != std::string_view::npos) {
      return false;
    }
    const FilterNode& child = *node.children().front();
    return child.kind() == FilterKind::kEqual && child.operand().IsNullish();
  }

  // A wildcard index has no keys for documents without the path. A negation also holds where an
  // array on the way has no element with it.
  static bool MayMatchWithoutKeys(const FilterNode& node) {
    if (IsNotNull(node)) return false;
    return node.MatchesMissing() || node.kind() == FilterKind::kNot ||
           node.kind() == FilterKind::kNor;
  }

  FieldBounds BoundsOf(size_t field) {
    FieldBounds result{.intervals = {Interval::Everything()}};
    for (const Predicate& predicate : predicates_.all) {
      if (predicate.path != fields()[field].path) continue;
      if (IsWildcardValue(field) && MayMatchWithoutKeys(*predicate.node)) {
        result.exact = false;
        continue;
      }
      const auto multikey = IsMultikey(field) ? Multikey::kYes : Multikey::kNo;
      const auto bounds = predicate.node->Bounds(multikey);
      if (!bounds.has_value() && IsWildcardValue(field)) {
        // The path is there, whatever its value: one of the keys at or below it.
        result.bounded = true;
        result.exact = false;
        continue;
      }
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

  // False if the query says nothing that the index could be used for.
  bool ComputeBounds() {
    bool open = true;  // every earlier field has points only
    for (size_t i = 0; i < fields().size(); ++i) {
      FieldBounds bounds =
          open ? FieldBoundsOf(i) : FieldBounds{.intervals = {Interval::Everything()}};
      if (IsWildcardValue(i) && !wildcard_->path.empty() && open && !bounds.bounded) return false;
      if (IsWildcardValue(i) && subtree_ && !index_->wildcard->HoldsSubtree(wildcard_->path)) {
        return false;
      }
      if (bounds.bounded) {
        ++bounded_;
        if (!IsPathField(i)) ++plan_.bounded_fields;
        predicates_used_ += bounds.predicates_used;
        exact_ = exact_ && bounds.exact;
        if (AllPoints(bounds.intervals, index_->strings.get())) {
          ++points_;
          if (!IsPathField(i)) ++plan_.equality_fields;
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
    if (wildcard_ != nullptr && wildcard_->path.empty() && bounded_ == 0) return false;
    plan_.unique_point = index_->spec.unique && plan_.single_points &&
                         plan_.equality_fields == static_cast<int>(fields().size());
    return true;
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
      if (IsMultikey(i) || fields()[i].kind == IndexKind::kHashed) return;
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
      if (fields()[i].path == path && single_.contains(i) && !IsMultikey(i)) return true;
    }
    return false;
  }

  // Paths of a wildcard are compared byte by byte under any collation.
  KeyEncoder EncoderFor(int field, const KeyEncoder& encoder) const {
    return IsPathField(field) ? KeyEncoder(encoder.ordering()) : encoder;
  }

  void MakeRanges() {
    const KeyEncoder encoder(OrderingOf(index_->spec), index_->strings.get());
    std::vector<std::string> prefixes = {std::string()};
    std::vector<KeyRange>& ranges = plan_.path.ranges;
    for (int i = 0; i < bounded_; ++i) {
      const Intervals& intervals = plan_.path.bounds[i];
      if (intervals.empty()) {
        plan_.path.kind = AccessPath::Kind::kNothing;
        return;
      }
      if (prefixes.size() * intervals.size() > kMaxRanges) {
        exact_ = false;
        break;
      }
      if (i < points_) {
        prefixes = ExtendByPoints(EncoderFor(i, encoder), i, prefixes, intervals);
        continue;
      }
      AddRanges(EncoderFor(i, encoder), i, prefixes, intervals);
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
  const WildcardView* wildcard_;  // null: not a wildcard index
  bool subtree_ = false;          // of a wildcard, all paths below the one asked for
  IndexPlan plan_;
  int bounded_ = 0;  // leading fields of the key that are bounded, a wildcard's path included
  int points_ = 0;   // leading fields of the key that are bounded by points
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
  if (!index->spec.HasEntries() || index->building) return std::nullopt;
  if (index->spec.IsWildcard()) {
    auto plans = PlansWithWildcard(request, predicates, index);
    if (plans.empty()) return std::nullopt;
    return std::move(plans.front());
  }
  return Builder(request, predicates, index).Run(forced);
}

std::vector<IndexPlan> PlansWithWildcard(const PlanRequest& request, const Predicates& predicates,
                                         const std::shared_ptr<const Index>& index) {
  std::vector<IndexPlan> plans;
  const auto add = [&](const std::string& path) {
    WildcardView view{.path = path, .fields = KeyFieldsOf(index->spec, path)};
    view.at = index->spec.SpecialField();
    if (auto plan = Builder(request, predicates, index, &view).Run(Forced::kNo)) {
      plans.push_back(*std::move(plan));
    }
  };
  std::set<std::string> seen;
  for (const Predicate& predicate : predicates.all) {
    if (!predicate.needs_path || !seen.insert(predicate.path).second) continue;
    if (!index->wildcard->HoldsValueAt(predicate.path)) continue;
    if (index->IsMultikey() && HasArrayPosition(predicate.path)) continue;
    add(predicate.path);
  }
  // Every document has a key if there are other fields.
  if (index->spec.fields.size() > 1 && index->spec.SpecialField() > 0) add("");
  return plans;
}

absl::StatusOr<IndexPlan> PlanWithMinMax(const PlanRequest& request,
                                         const std::shared_ptr<const Index>& index) {
  if (index->spec.special != IndexKind::kAscending) {
    return base::Error(51174, "min() and max() cannot be used with an index of this kind");
  }
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
    return base::Error(kEmptyKeyRange, "max() must be greater than min()");
  }
  plan->path.ranges = {std::move(range)};
  plan->path.exact = false;
  return *std::move(plan);
}

}  // namespace mayfly::engine

// $in and $nin: equality with one of many values, or a match of one of many regular expressions.
#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "bson/compare.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Value;
using bson::ValueView;

class InNode final : public PathNode {
 public:
  // `values` sorted without duplicates; `regexes` are kRegex nodes.
  InNode(std::string_view path, std::vector<Value> values, std::vector<FilterPtr> regexes,
         const bson::StringComparator* strings)
      : PathNode(FilterKind::kIn, path, LeafArray::kTraverse, std::move(regexes)),
        values_(std::move(values)),
        strings_(strings),
        has_null_(std::any_of(values_.begin(), values_.end(),
                              [](const Value& v) { return v.IsNullish(); })) {}

  void SerializeOperator(bson::Builder* out) const override {
    out->OpenArray("$in");
    for (const Value& value : values_) out->Push(value);
    for (const FilterPtr& regex : children()) out->Push(regex->operand());
    out->Close();
  }

  bool DependsOnCollation() const override {
    return std::any_of(values_.begin(), values_.end(), [](const Value& v) {
      return v.view().IsContainer() || v.view().IsString() || v.type() == bson::Type::kSymbol;
    });
  }

  std::optional<IndexBounds> Bounds(Multikey multikey) const override {
    IndexBounds result{{}, true};
    for (const Value& value : values_) {
      const FilterPtr equal = MakeComparison(FilterKind::kEqual, path(), value, strings_);
      if (!Add(*equal, multikey, &result)) return std::nullopt;
    }
    for (const FilterPtr& regex : children()) {
      if (!Add(*regex, multikey, &result)) return std::nullopt;
    }
    result.intervals = Union(std::move(result.intervals), {}, strings_);
    return result;
  }

 private:
  bool Test(ValueView value, MatchContext& context) const override {
    if (value.IsNullish()) return has_null_;
    const auto it = std::lower_bound(
        values_.begin(), values_.end(), value,
        [this](const Value& a, ValueView b) { return bson::Compare(a, b, strings_) < 0; });
    if (it != values_.end() && bson::Equal(*it, value, strings_)) return true;
    for (const FilterPtr& regex : children()) {
      const absl::StatusOr<bool> matches = regex->MatchesValue(value, context);
      if (matches.ok() && *matches) return true;
    }
    return false;
  }

  static bool Add(const FilterNode& node, Multikey multikey, IndexBounds* out) {
    std::optional<IndexBounds> bounds = node.Bounds(multikey);
    if (!bounds) return false;
    out->exact &= bounds->exact;
    for (Interval& interval : bounds->intervals) out->intervals.push_back(std::move(interval));
    return true;
  }

  std::vector<Value> values_;
  const bson::StringComparator* strings_;
  bool has_null_;
};

absl::StatusOr<FilterPtr> ParseList(const FilterOperator& op) {
  if (!op.operand.IsArray()) {
    return Error(ErrorCode::kBadValue, StrCat(op.name, " needs an array"));
  }
  const bson::StringComparator* strings = op.parser.context().strings;
  std::vector<Value> values;
  std::vector<FilterPtr> regexes;
  for (const bson::Element& element : op.operand.AsDocument()) {
    if (IsOperatorDocument(element.value)) {
      return Error(ErrorCode::kBadValue, StrCat("cannot nest $ under ", op.name));
    }
    if (element.value.type() == bson::Type::kUndefined) {
      return Error(ErrorCode::kBadValue, "InMatchExpression equality cannot be undefined");
    }
    if (element.value.type() != bson::Type::kRegex) {
      values.emplace_back(element.value);
      continue;
    }
    MAYFLY_ASSIGN_OR_RETURN(FilterPtr regex, MakeRegex(op.path, element.value.AsRegex(), strings));
    regexes.push_back(std::move(regex));
  }
  return MakeIn(op.path, std::move(values), std::move(regexes), strings);
}

absl::Status ParseIn(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(FilterPtr node, ParseList(op));
  out->push_back(std::move(node));
  return absl::OkStatus();
}

absl::Status ParseNotIn(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(FilterPtr node, ParseList(op));
  out->push_back(MakeNot(std::move(node)));
  return absl::OkStatus();
}

constexpr FilterRow kRows[] = {
    {"$in", ParseIn, nullptr, "The value, or an element of it, equals one of the operands."},
    {"$nin", ParseNotIn, nullptr, "Neither the value nor an element of it equals an operand."},
};

}  // namespace

FilterPtr MakeIn(std::string_view path, std::vector<Value> values, std::vector<FilterPtr> regexes,
                 const bson::StringComparator* strings) {
  if (values.size() + regexes.size() == 1) {
    if (!regexes.empty()) return std::move(regexes[0]);
    return MakeComparison(FilterKind::kEqual, path, values[0], strings);
  }
  std::stable_sort(values.begin(), values.end(), [strings](const Value& a, const Value& b) {
    return bson::Compare(a, b, strings) < 0;
  });
  const auto last =
      std::unique(values.begin(), values.end(),
                  [strings](const Value& a, const Value& b) { return bson::Equal(a, b, strings); });
  values.erase(last, values.end());
  return std::make_unique<InNode>(path, std::move(values), std::move(regexes), strings);
}

FilterFamily MembershipFilters() { return {"membership", kRows}; }

}  // namespace mayfly::engine

// $eq, $ne, $lt, $lte, $gt, $gte: one value against another of the same type bracket.
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/compare.h"
#include "bson/number.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Type;
using bson::Value;
using bson::ValueView;

std::string_view OperatorName(FilterKind kind) {
  if (kind == FilterKind::kLess) return "$lt";
  if (kind == FilterKind::kLessEqual) return "$lte";
  if (kind == FilterKind::kGreater) return "$gt";
  if (kind == FilterKind::kGreaterEqual) return "$gte";
  return "$eq";
}

bool AcceptsEqual(FilterKind kind) {
  return kind != FilterKind::kLess && kind != FilterKind::kGreater;
}

bool IsLess(FilterKind kind) { return kind == FilterKind::kLess || kind == FilterKind::kLessEqual; }

bool IsGreater(FilterKind kind) {
  return kind == FilterKind::kGreater || kind == FilterKind::kGreaterEqual;
}

// True if values of this type are equal exactly if their bytes are.
bool ComparesByBytes(Type type, const bson::StringComparator* strings) {
  switch (type) {
    case Type::kString:
      return strings == nullptr;
    case Type::kInt32:
    case Type::kInt64:
    case Type::kObjectId:
    case Type::kBool:
    case Type::kDate:
    case Type::kTimestamp:
      return true;
    case Type::kMissing:
    case Type::kDouble:
    case Type::kDocument:
    case Type::kArray:
    case Type::kBinary:
    case Type::kUndefined:
    case Type::kNull:
    case Type::kRegex:
    case Type::kDbPointer:
    case Type::kCode:
    case Type::kSymbol:
    case Type::kCodeWithScope:
    case Type::kDecimal128:
    case Type::kMaxKey:
    case Type::kMinKey:
      return false;
  }
  return false;
}

class ComparisonNode final : public PathNode {
 public:
  ComparisonNode(FilterKind kind, std::string_view path, ValueView operand,
                 const bson::StringComparator* strings)
      : PathNode(kind, path),
        operand_(operand),
        strings_(strings),
        by_bytes_(kind == FilterKind::kEqual && ComparesByBytes(operand.type(), strings)),
        is_nan_(operand.IsNumber() && bson::IsNaN(operand)) {}

  ValueView operand() const override { return operand_; }

  void SerializeOperator(bson::Builder* out) const override {
    out->Append(OperatorName(kind()), operand_);
  }

  bool DependsOnCollation() const override {
    return operand_.view().IsContainer() || operand_.view().IsString() ||
           operand_.type() == Type::kSymbol;
  }

  std::optional<IndexBounds> Bounds(Multikey multikey) const override {
    if (operand_.view().IsNullish()) return NullBounds(multikey);
    if (operand_.view().IsArray()) return ArrayBounds();
    if (kind() == FilterKind::kEqual) return IndexBounds{{Interval::Point(operand_)}, true};
    if (is_nan_) {
      if (!AcceptsEqual(kind())) return IndexBounds{{}, true};
      return IndexBounds{{Interval::Point(operand_)}, true};
    }
    return RangeBounds(multikey);
  }

 private:
  bool Test(ValueView value, MatchContext& context) const override {
    const ValueView operand = operand_;
    if (by_bytes_ && value.type() == operand.type()) return value.bytes() == operand.bytes();
    const int value_rank = bson::CanonicalRank(value.type());
    if (value_rank != bson::CanonicalRank(operand.type()) || value.IsMissing()) {
      return TestOtherType(value);
    }
    if (value.IsNumber() && (is_nan_ || bson::IsNaN(value))) {
      return AcceptsEqual(kind()) && is_nan_ && bson::IsNaN(value);
    }
    const int order = bson::Compare(value, operand, strings_);
    if (order == 0) return AcceptsEqual(kind());
    return order < 0 ? IsLess(kind()) : IsGreater(kind());
  }

  bool TestOtherType(ValueView value) const {
    if (value.IsNullish() && operand_.view().IsNullish()) return AcceptsEqual(kind());
    if (operand_.type() == Type::kMaxKey) return IsLess(kind());
    if (operand_.type() == Type::kMinKey) return IsGreater(kind());
    return false;
  }

  IndexBounds NullBounds(Multikey multikey) const {
    if (!AcceptsEqual(kind())) return {{}, true};
    return {{Interval::Point(Value::Undefined()), Interval::Point(Value::Null())},
            multikey == Multikey::kNo};
  }

  // Keys of an array are its elements, or undefined if it has none; inside another array it is a
  // key itself.
  IndexBounds ArrayBounds() const {
    if (kind() != FilterKind::kEqual) return {{Interval::Everything()}, false};
    const ValueView first = operand_.view().AsDocument().First().value;
    Intervals intervals = {Interval::Point(operand_)};
    intervals =
        Union(std::move(intervals),
              {Interval::Point(first.IsMissing() ? Value::Undefined() : Value(first))}, strings_);
    return {std::move(intervals), false};
  }

  IndexBounds RangeBounds(Multikey multikey) const {
    Interval interval = TypeBracket(operand_.type());
    if (operand_.view().IsNumber()) {
      interval.low = Value::Double(-std::numeric_limits<double>::infinity());
    }
    const bool every_type = operand_.type() == Type::kMinKey || operand_.type() == Type::kMaxKey;
    if (every_type) interval = Interval::Everything();
    if (IsLess(kind())) {
      interval.high = operand_;
      interval.high_inclusive = AcceptsEqual(kind());
    } else {
      interval.low = operand_;
      interval.low_inclusive = AcceptsEqual(kind());
    }
    // The brackets of code and regular expressions are wider than the types. A null key may come
    // from an array in which the path leads nowhere.
    const bool wide = operand_.type() == Type::kCode || operand_.type() == Type::kCodeWithScope ||
                      operand_.type() == Type::kDbPointer || operand_.type() == Type::kRegex;
    const bool exact = !wide && (!every_type || multikey == Multikey::kNo);
    return {Union({std::move(interval)}, {}, strings_), exact};
  }

  Value operand_;
  const bson::StringComparator* strings_;
  bool by_bytes_;
  bool is_nan_;
};

absl::Status ParseComparison(FilterKind kind, const FilterOperator& op,
                             std::vector<FilterPtr>* out) {
  if (op.operand.type() == Type::kUndefined) {
    return Error(ErrorCode::kBadValue, "cannot compare to undefined");
  }
  if (op.operand.type() == Type::kRegex && kind != FilterKind::kEqual) {
    return Error(ErrorCode::kBadValue,
                 StrCat("Can't have RegEx as arg to predicate over field '", op.path, "'."));
  }
  out->push_back(MakeComparison(kind, op.path, op.operand, op.parser.context().strings));
  return absl::OkStatus();
}

absl::Status ParseEqual(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseComparison(FilterKind::kEqual, op, out);
}

absl::Status ParseNotEqual(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (op.operand.type() == Type::kRegex) {
    return Error(ErrorCode::kBadValue, "Can't have regex as arg to $ne.");
  }
  std::vector<FilterPtr> equal;
  MAYFLY_RETURN_IF_ERROR(ParseComparison(FilterKind::kEqual, op, &equal));
  out->push_back(MakeNot(std::move(equal[0])));
  return absl::OkStatus();
}

absl::Status ParseLess(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseComparison(FilterKind::kLess, op, out);
}

absl::Status ParseLessEqual(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseComparison(FilterKind::kLessEqual, op, out);
}

absl::Status ParseGreater(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseComparison(FilterKind::kGreater, op, out);
}

absl::Status ParseGreaterEqual(const FilterOperator& op, std::vector<FilterPtr>* out) {
  return ParseComparison(FilterKind::kGreaterEqual, op, out);
}

constexpr FilterRow kRows[] = {
    {"$eq", ParseEqual, nullptr, "The value, or an element of it, equals the operand."},
    {"$ne", ParseNotEqual, nullptr, "Neither the value nor an element of it equals the operand."},
    {"$lt", ParseLess, nullptr, "Less than the operand, within its type."},
    {"$lte", ParseLessEqual, nullptr, "Less than or equal to the operand, within its type."},
    {"$gt", ParseGreater, nullptr, "Greater than the operand, within its type."},
    {"$gte", ParseGreaterEqual, nullptr, "Greater than or equal to the operand, within its type."},
};

}  // namespace

FilterPtr MakeComparison(FilterKind kind, std::string_view path, ValueView operand,
                         const bson::StringComparator* strings) {
  return std::make_unique<ComparisonNode>(kind, path, operand, strings);
}

FilterFamily ComparisonFilters() { return {"comparison", kRows}; }

}  // namespace mayfly::engine

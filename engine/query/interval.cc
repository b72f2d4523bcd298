#include "engine/query/interval.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mayfly::engine {
namespace {

using bson::StringComparator;
using bson::Value;

// -1 if the interval that begins here begins before the other one.
int CompareLow(const Interval& a, const Interval& b, const StringComparator* strings) {
  const int order = bson::Compare(a.low, b.low, strings);
  if (order != 0) return order;
  return static_cast<int>(b.low_inclusive) - static_cast<int>(a.low_inclusive);
}

int CompareHigh(const Interval& a, const Interval& b, const StringComparator* strings) {
  const int order = bson::Compare(a.high, b.high, strings);
  if (order != 0) return order;
  return static_cast<int>(a.high_inclusive) - static_cast<int>(b.high_inclusive);
}

bool IsEmpty(const Interval& i, const StringComparator* strings) {
  const int order = bson::Compare(i.low, i.high, strings);
  return order > 0 || (order == 0 && !(i.low_inclusive && i.high_inclusive));
}

// True if there is no value between the end of `a` and the start of `b`, where a.low <= b.low.
bool Touch(const Interval& a, const Interval& b, const StringComparator* strings) {
  const int order = bson::Compare(b.low, a.high, strings);
  return order < 0 || (order == 0 && (a.high_inclusive || b.low_inclusive));
}

Value EmptyDocument() { return Value::FromDocument(bson::View()); }
Value EmptyArray() { return Value::FromArray(bson::View()); }

}  // namespace

Interval Interval::Point(bson::ValueView value) { return {Value(value), Value(value), true, true}; }

Interval Interval::Everything() { return {Value::MinKey(), Value::MaxKey(), true, true}; }

bool Interval::IsPoint(const StringComparator* strings) const {
  return low_inclusive && high_inclusive && bson::Equal(low, high, strings);
}

Intervals Union(Intervals a, Intervals b, const StringComparator* strings) {
  for (Interval& interval : b) a.push_back(std::move(interval));
  std::sort(a.begin(), a.end(), [strings](const Interval& x, const Interval& y) {
    return CompareLow(x, y, strings) < 0;
  });
  Intervals result;
  for (Interval& interval : a) {
    if (IsEmpty(interval, strings)) continue;
    if (result.empty() || !Touch(result.back(), interval, strings)) {
      result.push_back(std::move(interval));
    } else if (CompareHigh(result.back(), interval, strings) < 0) {
      result.back().high = std::move(interval.high);
      result.back().high_inclusive = interval.high_inclusive;
    }
  }
  return result;
}

Intervals Intersect(const Intervals& a, const Intervals& b, const StringComparator* strings) {
  Intervals result;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    Interval both;
    const Interval& low = CompareLow(a[i], b[j], strings) < 0 ? b[j] : a[i];
    const bool a_ends_first = CompareHigh(a[i], b[j], strings) < 0;
    const Interval& high = a_ends_first ? a[i] : b[j];
    both.low = low.low;
    both.low_inclusive = low.low_inclusive;
    both.high = high.high;
    both.high_inclusive = high.high_inclusive;
    if (!IsEmpty(both, strings)) result.push_back(std::move(both));
    if (a_ends_first) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

Intervals Complement(const Intervals& a, const StringComparator* strings) {
  Intervals result;
  Interval gap = Interval::Everything();
  for (const Interval& interval : a) {
    gap.high = interval.low;
    gap.high_inclusive = !interval.low_inclusive;
    if (!IsEmpty(gap, strings)) result.push_back(gap);
    gap.low = interval.high;
    gap.low_inclusive = !interval.high_inclusive;
  }
  gap.high = Value::MaxKey();
  gap.high_inclusive = true;
  if (!IsEmpty(gap, strings)) result.push_back(std::move(gap));
  return result;
}

bool DependsOnCollation(const Intervals& intervals) {
  const auto depends = [](const Value& value) {
    // The ends of type brackets are the same under every collation.
    if (value.type() == bson::Type::kString) return !value.view().AsString().empty();
    if (value.view().IsContainer()) return !value.view().AsDocument().empty();
    return value.type() == bson::Type::kSymbol;
  };
  return std::any_of(intervals.begin(), intervals.end(), [&](const Interval& interval) {
    return depends(interval.low) || depends(interval.high);
  });
}

Interval TypeBracket(bson::Type type) {
  using bson::Type;
  switch (type) {
    case Type::kDouble:
    case Type::kInt32:
    case Type::kInt64:
    case Type::kDecimal128:
      return {Value::Double(std::numeric_limits<double>::quiet_NaN()),
              Value::Double(std::numeric_limits<double>::infinity()), true, true};
    case Type::kString:
    case Type::kSymbol:
      return {Value::String(""), EmptyDocument(), true, false};
    case Type::kDocument:
      return {EmptyDocument(), EmptyArray(), true, false};
    case Type::kArray:
      return {EmptyArray(), Value::FromBinary(0, ""), true, false};
    case Type::kBinary:
      return {Value::FromBinary(0, ""), Value::FromObjectId({}), true, false};
    case Type::kObjectId:
      return {Value::FromObjectId({}), Value::Bool(false), true, false};
    case Type::kBool:
      return {Value::Bool(false), Value::Bool(true), true, true};
    case Type::kDate:
      return {Value::Date(std::numeric_limits<int64_t>::min()),
              Value::Date(std::numeric_limits<int64_t>::max()), true, true};
    case Type::kTimestamp:
      return {Value::FromTimestamp({}), Value::FromTimestamp({UINT32_MAX, UINT32_MAX}), true, true};
    case Type::kRegex:
      return {Value::FromRegex("", ""), Value::MaxKey(), true, false};
    case Type::kDbPointer:
    case Type::kCode:
    case Type::kCodeWithScope:
      return {Value::FromRegex("", ""), Value::MaxKey(), false, false};
    case Type::kMinKey:
      return Interval::Point(Value::MinKey());
    case Type::kMaxKey:
      return Interval::Point(Value::MaxKey());
    case Type::kUndefined:
      return Interval::Point(Value::Undefined());
    case Type::kMissing:
    case Type::kNull:
      return Interval::Point(Value::Null());
  }
  return Interval::Everything();
}

}  // namespace mayfly::engine

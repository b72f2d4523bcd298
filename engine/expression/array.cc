// Arrays: access, slices, searching and joining.
#include "base/strings.h"
#include "bson/compare.h"
#include "bson/number.h"
#include "engine/expression/numeric.h"
#include "engine/expression/operator.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

// The element at `index`, counted from the end if negative; missing if there is none.
ValueView ElementAt(ValueView array, int64_t index) {
  if (index < 0) {
    index += array.AsDocument().Count();
    if (index < 0) return {};
  }
  for (const bson::Element& element : array.AsDocument()) {
    if (index-- == 0) return element.value;
  }
  return {};
}

absl::StatusOr<Value> ArrayElemAt(Arguments a, const Call&) {
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  if (!a[0].IsArray()) {
    return base::Error(28689,
                       base::StrCat("$arrayElemAt's first argument must be an array, but is ",
                                    bson::TypeName(a[0].type())));
  }
  if (!a[1].IsNumber()) {
    return base::Error(
        28690, base::StrCat("$arrayElemAt's second argument must be a numeric value, but is ",
                            bson::TypeName(a[1].type())));
  }
  if (!IsIntegral32(a[1])) {
    return base::Error(
        28691,
        base::StrCat("$arrayElemAt's second argument must be representable as a 32-bit integer: ",
                     ValueText(a[1])));
  }
  return Value(ElementAt(a[0], bson::ToInt64Truncated(a[1])));
}

template <int kIndex>
absl::StatusOr<Value> FirstOrLast(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsArray()) {
    return base::Error(28689, base::StrCat(call.name, "'s argument must be an array, but is ",
                                           bson::TypeName(a[0].type())));
  }
  return Value(ElementAt(a[0], kIndex));
}

absl::StatusOr<Value> ConcatArrays(Arguments a, const Call&) {
  ArrayBuilder out;
  for (ValueView array : a) {
    if (array.IsNullish()) return Value::Null();
    if (!array.IsArray()) {
      return base::Error(28664, base::StrCat("$concatArrays only supports arrays, not ",
                                             bson::TypeName(array.type())));
    }
    for (const bson::Element& element : array.AsDocument()) out.Push(element.value);
  }
  return out.Finish();
}

absl::StatusOr<Value> IsArray(Arguments a, const Call&) { return Value::Bool(a[0].IsArray()); }

absl::StatusOr<Value> Size(Arguments a, const Call&) {
  if (!a[0].IsArray()) {
    return base::Error(17124,
                       base::StrCat("The argument to $size must be an array, but was of type: ",
                                    bson::TypeName(a[0].type())));
  }
  return Value::Int32(a[0].AsDocument().Count());
}

absl::StatusOr<Value> In(Arguments a, const Call& call) {
  if (!a[1].IsArray()) {
    return base::Error(40081, base::StrCat("$in requires an array as a second argument, found: ",
                                           bson::TypeName(a[1].type())));
  }
  for (const bson::Element& element : a[1].AsDocument()) {
    if (bson::Equal(a[0], element.value, call.context.strings)) return Value::Bool(true);
  }
  return Value::Bool(false);
}

absl::StatusOr<Value> ReverseArray(Arguments a, const Call&) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsArray()) {
    return base::Error(
        34435, base::StrCat("The argument to $reverseArray must be an array, but was of type: ",
                            bson::TypeName(a[0].type())));
  }
  std::vector<ValueView> elements = Elements(a[0]);
  return MakeArrayValue(std::vector<ValueView>(elements.rbegin(), elements.rend()));
}

absl::StatusOr<int64_t> SliceNumber(ValueView v, std::string_view which) {
  if (!v.IsNumber()) {
    return base::Error(
        28725, base::StrCat(which, " argument to $slice must be a numeric value, but is of type: ",
                            bson::TypeName(v.type())));
  }
  if (!IsIntegral32(v)) {
    return base::Error(
        28726, base::StrCat(which, " argument to $slice can't be represented as a 32-bit integer: ",
                            ValueText(v)));
  }
  return bson::ToInt64Truncated(v);
}

absl::StatusOr<Value> Slice(Arguments a, const Call&) {
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
  }
  if (!a[0].IsArray()) {
    return base::Error(28724,
                       base::StrCat("First argument to $slice must be an array, but is of type: ",
                                    bson::TypeName(a[0].type())));
  }
  MAYFLY_ASSIGN_OR_RETURN(int64_t position, SliceNumber(a[1], "Second"));
  const int64_t size = a[0].AsDocument().Count();
  int64_t begin = 0, end = size;
  if (a.size() == 2) {
    if (position >= 0) end = std::min(position, size);
    if (position < 0) begin = std::max<int64_t>(0, size + position);
  } else {
    MAYFLY_ASSIGN_OR_RETURN(int64_t count, SliceNumber(a[2], "Third"));
    if (count <= 0) {
      return base::Error(
          28729, base::StrCat("Third argument to $slice must be positive: ", ValueText(a[2])));
    }
    begin = position < 0 ? std::max<int64_t>(0, size + position) : std::min(position, size);
    end = std::min(begin + count, size);
  }
  ArrayBuilder out;
  int64_t index = 0;
  for (const bson::Element& element : a[0].AsDocument()) {
    if (index >= begin && index < end) out.Push(element.value);
    ++index;
  }
  return out.Finish();
}

absl::StatusOr<int64_t> SearchBound(ValueView v, std::string_view which) {
  if (!IsIntegral32(v)) {
    return base::Error(9711600,
                       base::StrCat("$indexOfArray requires an integral ", which,
                                    " index, found a value of type: ", bson::TypeName(v.type())));
  }
  int64_t bound = bson::ToInt64Truncated(v);
  if (bound < 0) {
    return base::Error(9711601, base::StrCat("$indexOfArray requires a nonnegative ", which,
                                             " index, found: ", bound));
  }
  return bound;
}

absl::StatusOr<Value> IndexOfArray(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsArray()) {
    return base::Error(40090,
                       base::StrCat("$indexOfArray requires an array as a first argument, found: ",
                                    bson::TypeName(a[0].type())));
  }
  int64_t begin = 0, end = INT64_MAX;
  if (a.size() > 2) {
    MAYFLY_ASSIGN_OR_RETURN(begin, SearchBound(a[2], "starting"));
  }
  if (a.size() > 3) {
    MAYFLY_ASSIGN_OR_RETURN(end, SearchBound(a[3], "ending"));
  }
  int32_t index = 0;
  for (const bson::Element& element : a[0].AsDocument()) {
    if (index >= end) break;
    if (index >= begin && bson::Equal(element.value, a[1], call.context.strings))
      return Value::Int32(index);
    ++index;
  }
  return Value::Int32(-1);
}

absl::StatusOr<int64_t> RangeNumber(ValueView v, int type_code, int range_code,
                                    std::string_view which) {
  if (!v.IsNumber()) {
    return base::Error(type_code,
                       base::StrCat("$range requires a numeric ", which,
                                    " value, found value of type: ", bson::TypeName(v.type())));
  }
  if (!IsIntegral32(v)) {
    return base::Error(
        range_code,
        base::StrCat(
            "$range requires a ", which,
            " value that can be represented as a 32-bit integer, found value: ", ValueText(v)));
  }
  return bson::ToInt64Truncated(v);
}

absl::StatusOr<Value> Range(Arguments a, const Call&) {
  MAYFLY_ASSIGN_OR_RETURN(int64_t start, RangeNumber(a[0], 34443, 34444, "starting"));
  MAYFLY_ASSIGN_OR_RETURN(int64_t end, RangeNumber(a[1], 34445, 34446, "ending"));
  int64_t step = 1;
  if (a.size() == 3) {
    MAYFLY_ASSIGN_OR_RETURN(step, RangeNumber(a[2], 34447, 34448, "step"));
    if (step == 0) return base::Error(34449, "$range requires a non-zero step value");
  }
  constexpr size_t kMaxBytes = 100 * 1024 * 1024;
  ArrayBuilder out;
  for (int64_t v = start; step > 0 ? v < end : v > end; v += step) {
    out.builder().PushInt32(static_cast<int32_t>(v));
    if (out.size() > kMaxBytes) {
      return base::Error(
          146, "$range would use too much memory (104857600 bytes) and cannot spill to disk");
    }
  }
  return out.Finish();
}

constexpr OperatorRow kRows[] = {
    {"$arrayElemAt", 2, 2, ArrayElemAt, nullptr,
     "the element at an index, from the end if negative"},
    {"$concatArrays", 0, kAnyNumber, ConcatArrays, nullptr, "all elements of several arrays"},
    {"$first", 1, 1, FirstOrLast<0>, nullptr, "the first element of an array"},
    {"$in", 2, 2, In, nullptr, "whether a value is an element of an array",
     Expression::Operator::kIn},
    {"$indexOfArray", 2, 4, IndexOfArray, nullptr,
     "the index of the first element that equals a value, or -1"},
    {"$isArray", 1, 1, IsArray, nullptr, "whether the operand is an array"},
    {"$last", 1, 1, FirstOrLast<-1>, nullptr, "the last element of an array"},
    {"$range", 2, 3, Range, nullptr, "the integers from a start up to an end, by a step"},
    {"$reverseArray", 1, 1, ReverseArray, nullptr, "the elements in reverse order"},
    {"$size", 1, 1, Size, nullptr, "the number of elements"},
    {"$slice", 2, 3, Slice, nullptr, "a part of an array"},
};

}  // namespace

absl::Span<const OperatorRow> ArrayOperators() { return kRows; }

}  // namespace mayfly::engine

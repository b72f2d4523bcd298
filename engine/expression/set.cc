// Arrays as sets: order and repetition do not matter; results hold every value once, in order of
// first appearance.
#include <set>

#include "base/strings.h"
#include "bson/compare.h"
#include "engine/expression/operator.h"
#include "engine/expression/value_set.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

absl::StatusOr<Value> AllElementsTrue(Arguments a, const Call&) {
  if (!a[0].IsArray()) {
    return base::Error(17040, base::StrCat("$allElementsTrue's argument must be an array, but is ",
                                           bson::TypeName(a[0].type())));
  }
  for (const bson::Element& element : a[0].AsDocument()) {
    if (!IsTrue(element.value)) return Value::Bool(false);
  }
  return Value::Bool(true);
}

absl::StatusOr<Value> AnyElementTrue(Arguments a, const Call&) {
  if (!a[0].IsArray()) {
    return base::Error(17041, base::StrCat("$anyElementTrue's argument must be an array, but is ",
                                           bson::TypeName(a[0].type())));
  }
  for (const bson::Element& element : a[0].AsDocument()) {
    if (IsTrue(element.value)) return Value::Bool(true);
  }
  return Value::Bool(false);
}

absl::Status NotArray(int code, const Call& call, std::string_view which, ValueView value) {
  return base::Error(
      code, base::StrCat(which, " of ", call.name, " must be arrays, but found argument of type: ",
                         bson::TypeName(value.type())));
}

ViewSet MakeSet(ValueView array, const Call& call) {
  ViewSet set(0, ValueHash{call.context.strings}, ValueEqual{call.context.strings});
  for (const bson::Element& element : array.AsDocument()) set.insert(element.value);
  return set;
}

absl::StatusOr<Value> SetDifference(Arguments a, const Call& call) {
  if (a[0].IsNullish() || a[1].IsNullish()) return Value::Null();
  if (!a[0].IsArray()) return NotArray(17048, call, "both operands", a[0]);
  if (!a[1].IsArray()) return NotArray(17049, call, "both operands", a[1]);
  ViewSet seen = MakeSet(a[1], call);
  ArrayBuilder out;
  for (const bson::Element& element : a[0].AsDocument()) {
    if (seen.insert(element.value).second) out.Push(element.value);
  }
  return out.Finish();
}

absl::StatusOr<Value> SetEquals(Arguments a, const Call& call) {
  for (ValueView v : a) {
    if (!v.IsArray()) return NotArray(17044, call, "All operands", v);
  }
  ViewSet first = MakeSet(a[0], call);
  for (ValueView other : a.subspan(1)) {
    ViewSet set = MakeSet(other, call);
    if (set.size() != first.size()) return Value::Bool(false);
    for (ValueView v : set) {
      if (!first.contains(v)) return Value::Bool(false);
    }
  }
  return Value::Bool(true);
}

absl::StatusOr<Value> SetIntersection(Arguments a, const Call& call) {
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
    if (!v.IsArray()) return NotArray(17047, call, "All operands", v);
  }
  if (a.empty()) return MakeArrayValue(std::vector<ValueView>());
  std::vector<ViewSet> others;
  for (ValueView other : a.subspan(1)) others.push_back(MakeSet(other, call));
  auto order = [&](ValueView x, ValueView y) {
    return bson::Compare(x, y, call.context.strings) < 0;
  };
  std::set<ValueView, decltype(order)> common(order);
  for (const bson::Element& element : a[0].AsDocument()) {
    bool everywhere = true;
    for (const ViewSet& other : others) everywhere = everywhere && other.contains(element.value);
    if (everywhere) common.insert(element.value);
  }
  return MakeArrayValue(common);
}

absl::StatusOr<Value> SetIsSubset(Arguments a, const Call& call) {
  if (!a[0].IsArray()) return NotArray(17046, call, "both operands", a[0]);
  if (!a[1].IsArray()) return NotArray(17042, call, "both operands", a[1]);
  ViewSet whole = MakeSet(a[1], call);
  for (const bson::Element& element : a[0].AsDocument()) {
    if (!whole.contains(element.value)) return Value::Bool(false);
  }
  return Value::Bool(true);
}

absl::StatusOr<Value> SetUnion(Arguments a, const Call& call) {
  auto order = [&](ValueView x, ValueView y) {
    return bson::Compare(x, y, call.context.strings) < 0;
  };
  std::set<ValueView, decltype(order)> all(order);
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
    if (!v.IsArray()) return NotArray(17043, call, "All operands", v);
    for (const bson::Element& element : v.AsDocument()) all.insert(element.value);
  }
  return MakeArrayValue(all);
}

// At least two operands; operands that are constant but no arrays are refused while parsing.
absl::StatusOr<ExpressionPtr> ParseSetEquals(ValueView operand, const OperatorRow& row,
                                             const ParseContext& context) {
  static constexpr OperatorRow kFunction = {"$setEquals", 2, kAnyNumber, SetEquals, nullptr, ""};
  MAYFLY_ASSIGN_OR_RETURN(std::vector<ExpressionPtr> operands, ParseOperands(operand, context));
  if (operands.size() < 2) {
    return base::Error(
        17045, base::StrCat("$setEquals needs at least two arguments had: ", operands.size()));
  }
  for (const ExpressionPtr& node : operands) {
    if (!node->IsConstant() || node->Constant()->view().IsArray()) continue;
    return base::Error(5887502, base::StrCat("All operands of ", row.name,
                                             " must be arrays, but found argument of type: ",
                                             bson::TypeName(node->Constant()->type())));
  }
  return MakeFunction(kFunction, std::move(operands), context);
}

constexpr OperatorRow kRows[] = {
    {"$allElementsTrue", 1, 1, AllElementsTrue, nullptr, "whether no element of an array is false"},
    {"$anyElementTrue", 1, 1, AnyElementTrue, nullptr, "whether an element of an array is true"},
    {"$setDifference", 2, 2, SetDifference, nullptr,
     "the elements of the first array that are not in the second"},
    {"$setEquals", 2, kAnyNumber, nullptr, ParseSetEquals,
     "whether arrays have the same distinct elements"},
    {"$setIntersection", 0, kAnyNumber, SetIntersection, nullptr,
     "the elements that are in all arrays", Expression::Operator::kOther, /*pure=*/true,
     /*commutative=*/true},
    {"$setIsSubset", 2, 2, SetIsSubset, nullptr,
     "whether all elements of the first array are in the second"},
    {"$setUnion", 0, kAnyNumber, SetUnion, nullptr, "the elements that are in any of the arrays",
     Expression::Operator::kOther, /*pure=*/true, /*commutative=*/true},
};

}  // namespace

absl::Span<const OperatorRow> SetOperators() { return kRows; }

}  // namespace mayfly::engine

// Bits of integers: $bitAnd, $bitOr, $bitXor, $bitNot.
#include "base/strings.h"
#include "engine/expression/operator.h"

namespace mayfly::engine {
namespace {

using bson::Type;
using bson::Value;
using bson::ValueView;

int64_t Integer(ValueView v) { return v.type() == Type::kInt32 ? v.AsInt32() : v.AsInt64(); }

absl::Status OnlyIntegers(const Call& call, ValueView v) {
  return base::Error(
      base::ErrorCode::kTypeMismatch,
      base::StrCat(call.name, " only supports int and long, not: ", bson::TypeName(v.type())));
}

template <typename Operation, int64_t kStart>
absl::StatusOr<Value> Combine(Arguments a, const Call& call) {
  int64_t result = kStart;
  bool any_int64 = false;
  for (ValueView v : a) {
    if (v.IsNullish()) return Value::Null();
    if (!v.IsInteger()) return OnlyIntegers(call, v);
    any_int64 = any_int64 || v.type() == Type::kInt64;
    result = Operation()(result, Integer(v));
  }
  return any_int64 ? Value::Int64(result) : Value::Int32(static_cast<int32_t>(result));
}

absl::StatusOr<Value> BitNot(Arguments a, const Call& call) {
  if (a[0].IsNullish()) return Value::Null();
  if (!a[0].IsInteger()) return OnlyIntegers(call, a[0]);
  if (a[0].type() == Type::kInt32) return Value::Int32(~a[0].AsInt32());
  return Value::Int64(~a[0].AsInt64());
}

constexpr OperatorRow kRows[] = {
    {"$bitAnd", 0, kAnyNumber, Combine<std::bit_and<int64_t>, -1>, nullptr,
     "bits that are set in all integers"},
    {"$bitNot", 1, 1, BitNot, nullptr, "all bits of an integer inverted"},
    {"$bitOr", 0, kAnyNumber, Combine<std::bit_or<int64_t>, 0>, nullptr,
     "bits that are set in any integer"},
    {"$bitXor", 0, kAnyNumber, Combine<std::bit_xor<int64_t>, 0>, nullptr,
     "bits set in an odd number of integers"},
};

}  // namespace

absl::Span<const OperatorRow> BitwiseOperators() { return kRows; }

}  // namespace mayfly::engine

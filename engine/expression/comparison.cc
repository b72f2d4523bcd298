// Comparison: $cmp, $eq, $ne, $gt, $gte, $lt, $lte. Missing is below null; strings follow the
// collation.
#include "bson/compare.h"
#include "engine/expression/operator.h"

namespace mayfly::engine {
namespace {

int CompareArguments(Arguments a, const Call& call) {
  return bson::Compare(a[0], a[1], call.context.strings);
}

absl::StatusOr<bson::Value> Cmp(Arguments a, const Call& call) {
  return bson::Value::Int32(CompareArguments(a, call));
}
absl::StatusOr<bson::Value> Eq(Arguments a, const Call& call) {
  return bson::Value::Bool(CompareArguments(a, call) == 0);
}
absl::StatusOr<bson::Value> Ne(Arguments a, const Call& call) {
  return bson::Value::Bool(CompareArguments(a, call) != 0);
}
absl::StatusOr<bson::Value> Gt(Arguments a, const Call& call) {
  return bson::Value::Bool(CompareArguments(a, call) > 0);
}
absl::StatusOr<bson::Value> Gte(Arguments a, const Call& call) {
  return bson::Value::Bool(CompareArguments(a, call) >= 0);
}
absl::StatusOr<bson::Value> Lt(Arguments a, const Call& call) {
  return bson::Value::Bool(CompareArguments(a, call) < 0);
}
absl::StatusOr<bson::Value> Lte(Arguments a, const Call& call) {
  return bson::Value::Bool(CompareArguments(a, call) <= 0);
}

using Op = Expression::Operator;

constexpr OperatorRow kRows[] = {
    {"$cmp", 2, 2, Cmp, nullptr, "-1, 0 or 1: the order of two values"},
    {"$eq", 2, 2, Eq, nullptr, "whether two values are equal", Op::kEq},
    {"$ne", 2, 2, Ne, nullptr, "whether two values differ", Op::kNe},
    {"$gt", 2, 2, Gt, nullptr, "whether the first value is above the second", Op::kGt},
    {"$gte", 2, 2, Gte, nullptr, "whether the first value is above or equal to the second",
     Op::kGte},
    {"$lt", 2, 2, Lt, nullptr, "whether the first value is below the second", Op::kLt},
    {"$lte", 2, 2, Lte, nullptr, "whether the first value is below or equal to the second",
     Op::kLte},
};

}  // namespace

absl::Span<const OperatorRow> ComparisonOperators() { return kRows; }

}  // namespace mayfly::engine

#include "engine/expression/number_sum.h"

#include <cmath>

namespace mayfly::engine {
namespace {

// Both halves are exact doubles.
struct Halves {
  double high;
  double low;
};
Halves Split(int64_t v) {
  int64_t low = v & 0xFFFFFFFF;
  return {static_cast<double>(v - low), static_cast<double>(low)};
}

}  // namespace

void NumberSum::AddDouble(double v) {
  has_doubles_ = true;
  // Knuth's two-sum: `sum_ + correction_` stays the exact sum to about twice a double's digits.
  double total = sum_ + v;
  double part = total - v;
  double error = (sum_ - part) + (v - (total - part));
  sum_ = total;
  correction_ += error;
}

void NumberSum::AddDecimal(bson::Decimal128 v) {
  decimals_ = bson::DecimalAdd(decimals_, v);
  widest_ = Widest::kDecimal;
}

void NumberSum::SpillInteger(int64_t v) {
  // __builtin_add_overflow has stored the wrapped sum: take `v` out again, then move both to the
  // doubles.
  integers_ = static_cast<int64_t>(static_cast<uint64_t>(integers_) - static_cast<uint64_t>(v));
  for (int64_t part : {integers_, v}) {
    Halves halves = Split(part);
    AddDouble(halves.high);
    AddDouble(halves.low);
  }
  integers_ = 0;
  spilled_ = true;
}

double NumberSum::AsDouble() const {
  if (widest_ == Widest::kDecimal) return bson::DecimalToDouble(AsDecimal());
  NumberSum copy = *this;
  Halves halves = Split(integers_);
  copy.AddDouble(halves.high);
  copy.AddDouble(halves.low);
  if (std::isnan(copy.correction_) || std::isinf(copy.sum_)) return copy.sum_;
  return copy.sum_ + copy.correction_;
}

bson::Decimal128 NumberSum::AsDecimal() const {
  // Zero is added as well: what it leaves of the exponents shows.
  bson::Decimal128 total = bson::DecimalAdd(decimals_, bson::DecimalFromInt64(integers_));
  if (!has_doubles_) return total;
  constexpr int kExactDigits = 34;
  total = bson::DecimalAdd(total, bson::DecimalFromDouble(sum_, kExactDigits));
  if (correction_ == 0 || !std::isfinite(correction_)) return total;
  return bson::DecimalAdd(total, bson::DecimalFromDouble(correction_, kExactDigits));
}

bson::Value NumberSum::Result() const {
  switch (widest_) {
    case Widest::kInt32:
      if (!spilled_) return bson::Value::IntFitting(integers_);
      break;
    case Widest::kInt64:
      if (!spilled_) return bson::Value::Int64(integers_);
      break;
    case Widest::kDouble:
      return bson::Value::Double(AsDouble());
    case Widest::kDecimal:
      return bson::Value::FromDecimal128(AsDecimal());
  }
  // Integers that left the range of int64 on the way may be back inside it.
  __int128 exact = static_cast<__int128>(sum_) + static_cast<__int128>(correction_) + integers_;
  if (exact >= INT64_MIN && exact <= INT64_MAX) {
    int64_t fits = static_cast<int64_t>(exact);
    return widest_ == Widest::kInt32 ? bson::Value::IntFitting(fits) : bson::Value::Int64(fits);
  }
  return bson::Value::Double(AsDouble());
}

bson::Value NumberSum::Average(int64_t count) const {
  if (widest_ == Widest::kDecimal) {
    return bson::Value::FromDecimal128(
        bson::DecimalDivide(AsDecimal(), bson::DecimalFromInt64(count)));
  }
  return bson::Value::Double(AsDouble() / static_cast<double>(count));
}

}  // namespace mayfly::engine

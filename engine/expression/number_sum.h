// Sums of numbers of mixed types, as $add, $sum and $avg need them.
#pragma once

#include <cstdint>

#include "bson/number.h"
#include "bson/value.h"

namespace mayfly::engine {

// Adds integers exactly while they fit in int64, doubles with compensation for lost digits,
// decimals as decimals. The result has the widest type that was added; integers that overflow int64
// give a double.
class NumberSum {
 public:
  // `number` must be a number.
  void Add(bson::ValueView number) {
    switch (number.type()) {
      case bson::Type::kInt32:
        AddInteger(number.AsInt32());
        return;
      case bson::Type::kInt64:
        if (widest_ < Widest::kInt64) widest_ = Widest::kInt64;
        AddInteger(number.AsInt64());
        return;
      case bson::Type::kDouble:
        if (widest_ < Widest::kDouble) widest_ = Widest::kDouble;
        AddDouble(number.AsDouble());
        return;
      default:
        AddDecimal(number.AsDecimal128());
    }
  }
  void AddInteger(int64_t v) {
    if (__builtin_add_overflow(integers_, v, &integers_)) [[unlikely]]
      SpillInteger(v);
  }
  void AddDouble(double v);
  void AddDecimal(bson::Decimal128 v);

  // As the expression $avg adds: integers as doubles. The accumulator adds them exactly.
  void AddAsDouble(bson::ValueView number) {
    if (number.IsInteger()) {
      AddDouble(bson::ToDouble(number));
    } else {
      Add(number);
    }
  }

  bson::Value Result() const;
  // The sum divided by `count` > 0: decimal if a decimal was added, else double.
  bson::Value Average(int64_t count) const;
  bool HasDecimal() const { return widest_ == Widest::kDecimal; }
  double AsDouble() const;

 private:
  enum class Widest : uint8_t { kInt32, kInt64, kDouble, kDecimal };

  void SpillInteger(int64_t v);
  bson::Decimal128 AsDecimal() const;

  int64_t integers_ = 0;
  double sum_ = 0;         // of doubles and of integers that did not fit
  double correction_ = 0;  // what `sum_` lost
  bson::Decimal128 decimals_ = bson::DecimalFromInt64(0);
  Widest widest_ = Widest::kInt32;
  bool spilled_ = false;
  bool has_doubles_ = false;
};

}  // namespace mayfly::engine

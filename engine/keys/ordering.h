// The direction of each field of a key.
#pragma once

#include <cstdint>

#include "bson/view.h"

namespace mayfly::engine {

// Field i is descending if bit i is set; fields beyond the 32nd are ascending. The default: all
// ascending.
class Ordering {
 public:
  constexpr Ordering() = default;
  constexpr explicit Ordering(uint32_t descending) : descending_(descending) {}
  // Of an index pattern or sort such as {a: 1, b: -1}: a negative number means descending, all else
  // ascending.
  static Ordering FromPattern(bson::View pattern);

  bool IsDescending(int field) const { return field < 32 && ((descending_ >> field) & 1) != 0; }
  uint32_t bits() const { return descending_; }
  bool operator==(const Ordering&) const = default;

 private:
  uint32_t descending_ = 0;
};

}  // namespace mayfly::engine

#include "engine/keys/ordering.h"

#include "bson/number.h"

namespace mayfly::engine {

Ordering Ordering::FromPattern(bson::View pattern) {
  uint32_t descending = 0;
  int field = 0;
  for (const bson::Element& e : pattern) {
    if (field == 32) break;
    if (e.value.IsNumber() && bson::ToDouble(e.value) < 0) descending |= uint32_t{1} << field;
    ++field;
  }
  return Ordering(descending);
}

}  // namespace mayfly::engine

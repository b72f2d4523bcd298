#include "engine/keys/type_bits.h"

namespace mayfly::engine {

void TypeBits::Set(uint32_t bits) {
  for (size_t at = size_; bits != 0; ++at, bits >>= 1) {
    if ((bits & 1) == 0) continue;
    if (at / 8 >= bytes_.size()) bytes_.resize(at / 8 + 1, '\0');
    bytes_[at / 8] = static_cast<char>(bytes_[at / 8] | (1 << (at % 8)));
  }
}

uint32_t TypeBitsReader::Read(int count) {
  uint32_t bits = 0;
  for (int i = 0; i < count; ++i, ++position_) {
    if (position_ / 8 >= bytes_.size()) continue;
    bits |= static_cast<uint32_t>((bytes_[position_ / 8] >> (position_ % 8)) & 1) << i;
  }
  return bits;
}

}  // namespace mayfly::engine

// CRC-32C (Castagnoli), the optional checksum at the end of an OP_MSG.
#pragma once

#include <cstdint>
#include <string_view>

namespace mayfly::wire {

// Uses the processor's instruction where there is one. To go on with more bytes, pass the last
// result as `crc`.
uint32_t Crc32c(std::string_view bytes, uint32_t crc = 0);

// The same by table, for comparison.
uint32_t Crc32cPortable(std::string_view bytes, uint32_t crc = 0);

}  // namespace mayfly::wire

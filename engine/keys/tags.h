// The first byte of each value in a key; the order of the tags is MongoDB's order of the types. The
// grammar is in key_encoder.h.
#pragma once

#include <cstdint>

#include "bson/types.h"

namespace mayfly::engine::tags {

inline constexpr uint8_t kEnd = 0x00;  // of a string, document or array; below every tag
inline constexpr uint8_t kMinKey = 0x0A;
inline constexpr uint8_t kUndefined = 0x0F;
inline constexpr uint8_t kNull = 0x14;
inline constexpr uint8_t kNaN = 0x1E;  // the lowest of the numbers
inline constexpr uint8_t kNegativeLarge = 0x1F;
inline constexpr uint8_t kNegativeWhole8 = 0x20;  // kNegativeWhole8 + i: 8 - i bytes
inline constexpr uint8_t kNegativeSmall = 0x28;
inline constexpr uint8_t kZero = 0x29;
inline constexpr uint8_t kPositiveSmall = 0x2A;
inline constexpr uint8_t kPositiveWhole1 = 0x2B;  // kPositiveWhole1 + i: 1 + i bytes
inline constexpr uint8_t kPositiveWhole8 = 0x32;
inline constexpr uint8_t kPositiveLarge = 0x33;
inline constexpr uint8_t kString = 0x3C;
inline constexpr uint8_t kDocument = 0x46;
inline constexpr uint8_t kArray = 0x50;
inline constexpr uint8_t kBinary = 0x5A;
inline constexpr uint8_t kObjectId = 0x64;
inline constexpr uint8_t kFalse = 0x6E;
inline constexpr uint8_t kTrue = 0x6F;
inline constexpr uint8_t kDate = 0x78;
inline constexpr uint8_t kTimestamp = 0x82;
inline constexpr uint8_t kRegex = 0x8C;
inline constexpr uint8_t kDbPointer = 0x96;
inline constexpr uint8_t kCode = 0xA0;
inline constexpr uint8_t kCodeWithScope = 0xAA;
inline constexpr uint8_t kMaxKey = 0xF0;
inline constexpr uint8_t kAfterAll =
    0xFF;  // above every tag and its complement, and above every record id

// The lowest and the highest tag of a type's rank.
struct TagRange {
  uint8_t low;
  uint8_t high;
};
TagRange Of(bson::Type type);

}  // namespace mayfly::engine::tags

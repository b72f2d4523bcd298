// Numbers in keys: one encoding for all four types, in exact numeric order, equal bytes for equal
// values.
//
//   number   := NaN | zero | positive | negative
//   positive := kPositiveSmall    double rest?             below 1
//             | kPositiveWholeN   whole (part rest?)?      1 up to 2^63
//             | kPositiveLarge    double rest?             from 2^63, infinity included
//   negative := the tag mirrored at kZero, the other bytes complemented
//   double   := 8 bytes: the value cut to a double (towards zero), its bits shifted left by 1,
//   lowest bit 1: rest follows whole    := N bytes, 1 to 8: the integral part shifted left by 1,
//   lowest bit 1: part follows part     := 7 bytes: the fraction in units of 2^-52, cut, shifted
//   left by 4, lowest bit 1: rest follows rest     := exponent digits    what only decimals have:
//   their value, or its fraction after a `part`, where cutting lost
//                                  something. exponent: 2 bytes, e + 8192 for 0.digits * 10^e
//   digits   := pairs of decimal digits, the last pair not 00, each byte 2 * pair, plus 1 if more
//   follow
//
// All big-endian. A value that some double or int64 equals has no rest.
#pragma once

#include <optional>
#include <string>

#include "bson/value.h"
#include "bson/view.h"
#include "engine/keys/key_reader.h"
#include "engine/keys/type_bits.h"

namespace mayfly::engine {

// `number` must be a number. `bits` may be null.
void AppendNumber(bson::ValueView number, std::string* out, TypeBits* bits);

// Reads what follows the tag. NaNs come back as the one quiet NaN of their type. nullopt for
// malformed bytes.
std::optional<bson::Value> ReadNumber(uint8_t tag, KeyReader* reader, TypeBitsReader* bits);

}  // namespace mayfly::engine

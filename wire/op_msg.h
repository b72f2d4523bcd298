// OP_MSG: the message of every current driver.
//
//   header, uint32 flagBits, sections, optional uint32 CRC-32C of everything before it
//   section kind 0: byte 0, one document (the body)
//   section kind 1: byte 1, int32 size (itself included), C string identifier, documents up to the
//   size
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "wire/handler.h"

namespace mayfly::wire {

inline constexpr uint32_t kMsgChecksumPresent = 1u << 0;
inline constexpr uint32_t kMsgMoreToCome = 1u << 1;
inline constexpr uint32_t kMsgExhaustAllowed = 1u << 16;
// Bits that a receiver must understand; the others may be ignored.
inline constexpr uint32_t kMsgRequiredBits = 0xFFFF;

// Fills `request` from `request->storage`, one whole OP_MSG with its header. `*checksum` tells
// whether it had one. A fatal error (flags, checksum, truncated message) means the connection must
// end. Other errors (documents that are not BSON or nested too deep, wrong sections) are for the
// client; `more_to_come` is set then too.
absl::Status ParseOpMsg(Request* request, bool* checksum);

}  // namespace mayfly::wire

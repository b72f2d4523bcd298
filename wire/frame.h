// The 16-byte header in front of every message, and which errors in a message end the connection.
//
//   int32 messageLength (header included), int32 requestID, int32 responseTo, int32 opCode; all
//   little-endian
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mayfly::wire {

inline constexpr size_t kHeaderSize = 16;

enum class Opcode : int32_t {
  kReply = 1,
  kUpdate = 2001,
  kInsert = 2002,
  kQuery = 2004,
  kGetMore = 2005,
  kDelete = 2006,
  kKillCursors = 2007,
  kCompressed = 2012,
  kMsg = 2013,
};

struct FrameHeader {
  int32_t length = 0;
  int32_t request_id = 0;
  int32_t response_to = 0;
  Opcode opcode = Opcode::kMsg;
};

inline int32_t LoadInt32(const char* p) {
  int32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void StoreInt32(char* p, int32_t v) { std::memcpy(p, &v, sizeof v); }

// Reads the header from at least kHeaderSize bytes. Error, always fatal: a length below 16 or above
// kMaxMessageSize, an opcode that no client may send.
absl::StatusOr<FrameHeader> ParseFrameHeader(std::string_view bytes);

void StoreFrameHeader(const FrameHeader& header, char* out);

// What the first bytes on a connection look like when they are no MongoDB message.
enum class ForeignProtocol { kNone, kHttp, kTls };
// Needs kHeaderSize bytes.
ForeignProtocol SniffForeignProtocol(std::string_view bytes);

// An error after which the byte stream cannot be trusted: the connection ends. Other errors of a
// request are answered.
[[nodiscard]] absl::Status FatalError(std::string_view message);
bool IsFatal(const absl::Status& status);

}  // namespace mayfly::wire

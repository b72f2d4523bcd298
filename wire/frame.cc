#include "wire/frame.h"

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::wire {
namespace {

bool IsRequestOpcode(Opcode opcode) {
  switch (opcode) {
    case Opcode::kUpdate:
    case Opcode::kInsert:
    case Opcode::kQuery:
    case Opcode::kGetMore:
    case Opcode::kDelete:
    case Opcode::kKillCursors:
    case Opcode::kCompressed:
    case Opcode::kMsg:
      return true;
    case Opcode::kReply:
      return false;
  }
  return false;
}

}  // namespace

absl::StatusOr<FrameHeader> ParseFrameHeader(std::string_view bytes) {
  FrameHeader header;
  header.length = LoadInt32(bytes.data());
  header.request_id = LoadInt32(bytes.data() + 4);
  header.response_to = LoadInt32(bytes.data() + 8);
  header.opcode = static_cast<Opcode>(LoadInt32(bytes.data() + 12));
  if (header.length < static_cast<int32_t>(kHeaderSize) || header.length > base::kMaxMessageSize) {
    return FatalError(base::StrCat("message length ", header.length, " is not between ",
                                   kHeaderSize, " and ", base::kMaxMessageSize));
  }
  if (!IsRequestOpcode(header.opcode)) {
    return FatalError(base::StrCat("unknown opcode ", static_cast<int32_t>(header.opcode)));
  }
  return header;
}

void StoreFrameHeader(const FrameHeader& header, char* out) {
  StoreInt32(out, header.length);
  StoreInt32(out + 4, header.request_id);
  StoreInt32(out + 8, header.response_to);
  StoreInt32(out + 12, static_cast<int32_t>(header.opcode));
}

ForeignProtocol SniffForeignProtocol(std::string_view bytes) {
  for (std::string_view method : {"GET ", "POST", "PUT ", "HEAD", "OPTI", "DELE", "PATC", "CONN"}) {
    if (bytes.substr(0, 4) == method) return ForeignProtocol::kHttp;
  }
  // A TLS record of type handshake (22), version 3.x, that starts with a ClientHello (1).
  if (bytes[0] == 0x16 && bytes[1] == 0x03 && static_cast<uint8_t>(bytes[2]) <= 4 &&
      bytes[5] == 0x01) {
    return ForeignProtocol::kTls;
  }
  return ForeignProtocol::kNone;
}

absl::Status FatalError(std::string_view message) {
  return base::Error(base::ErrorCode::kProtocolError, message);
}

bool IsFatal(const absl::Status& status) {
  return base::CodeOf(status) == base::ErrorCode::kProtocolError;
}

}  // namespace mayfly::wire

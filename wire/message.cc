#include "wire/message.h"

#include <cstring>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "wire/crc32c.h"
#include "wire/frame.h"
#include "wire/op_compressed.h"
#include "wire/op_msg.h"
#include "wire/op_query.h"

namespace mayfly::wire {
namespace {

constexpr size_t kMsgHeadSize = kHeaderSize + 5;  // flags and the section's kind
constexpr size_t kReplyHeadSize =
    kHeaderSize + 20;  // flags, cursor id, starting from, number returned

std::string Join(const EncodedReply& reply) {
  std::string out;
  out.reserve(reply.size());
  for (const std::string_view part : reply.parts()) out.append(part);
  return out;
}

}  // namespace

absl::Status ParseRequest(std::string frame, Request* request, ReplyFormat* format) {
  request->wire_bytes = frame.size();
  request->request_id = LoadInt32(frame.data() + 4);
  format->response_to = request->request_id;
  if (static_cast<Opcode>(LoadInt32(frame.data() + 12)) == Opcode::kCompressed) {
    MAYFLY_RETURN_IF_ERROR(DecompressFrame(&frame, &format->compressor));
  }
  request->storage = std::move(frame);
  const auto opcode = static_cast<Opcode>(LoadInt32(request->storage.data() + 12));
  switch (opcode) {
    case Opcode::kMsg:
      return ParseOpMsg(request, &format->checksum);
    case Opcode::kQuery: {
      format->legacy = true;
      absl::Status status = ParseOpQuery(request);
      format->query_failure = base::CodeOf(status) == kNotACommand;
      return status;
    }
    case Opcode::kUpdate:
    case Opcode::kInsert:
    case Opcode::kGetMore:
    case Opcode::kDelete:
    case Opcode::kKillCursors:
      return FatalError(base::StrCat("the legacy opcode ", static_cast<int32_t>(opcode),
                                     " is no longer supported"));
    case Opcode::kReply:
    case Opcode::kCompressed:
      break;
  }
  return FatalError(base::StrCat("unknown opcode ", static_cast<int32_t>(opcode)));
}

EncodedReply EncodeReply(const ReplyFormat& format, int32_t id, bool more_to_come,
                         std::string document) {
  EncodedReply reply;
  reply.body_ = std::move(document);
  reply.head_size_ = format.legacy ? kReplyHeadSize : kMsgHeadSize;
  reply.tail_size_ = format.legacy || !format.checksum ? 0 : sizeof reply.tail_;
  const FrameHeader header{.length = static_cast<int32_t>(reply.size()),
                           .request_id = id,
                           .response_to = format.response_to,
                           .opcode = format.legacy ? Opcode::kReply : Opcode::kMsg};
  StoreFrameHeader(header, reply.head_);
  char* after_header = reply.head_ + kHeaderSize;
  if (format.legacy) {
    StoreInt32(after_header, kReplyAwaitCapable | (format.query_failure ? kReplyQueryFailure : 0));
    StoreInt32(after_header + 16, 1);
  } else {
    const uint32_t flags =
        (format.checksum ? kMsgChecksumPresent : 0) | (more_to_come ? kMsgMoreToCome : 0);
    StoreInt32(after_header, static_cast<int32_t>(flags));
  }
  if (reply.tail_size_ > 0) {
    const uint32_t crc = Crc32c(reply.body_, Crc32c({reply.head_, reply.head_size_}));
    std::memcpy(reply.tail_, &crc, sizeof crc);
  }
  if (format.compressor == nullptr) return reply;
  absl::StatusOr<std::string> compressed = CompressFrame(Join(reply), *format.compressor);
  if (!compressed.ok()) {
    MAYFLY_LOG(warn, "network", "a reply is sent uncompressed: {}",
               base::MessageOf(compressed.status()));
    return reply;
  }
  EncodedReply out;
  out.body_ = *std::move(compressed);
  return out;
}

}  // namespace mayfly::wire

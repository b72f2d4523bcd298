#include "wire/op_compressed.h"

#include <utility>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "wire/frame.h"

namespace mayfly::wire {
namespace {

// Bytes between the header and the compressed bytes.
constexpr size_t kPrefixSize = 9;

}  // namespace

absl::Status DecompressFrame(std::string* frame, const Compressor** compressor) {
  const std::string_view bytes = *frame;
  if (bytes.size() < kHeaderSize + kPrefixSize) return FatalError("OP_COMPRESSED is cut off");
  const char* prefix = bytes.data() + kHeaderSize;
  const auto opcode = static_cast<Opcode>(LoadInt32(prefix));
  const int32_t size = LoadInt32(prefix + 4);
  const auto id = static_cast<uint8_t>(prefix[8]);
  *compressor = FindCompressor(id);
  if (*compressor == nullptr)
    return FatalError(base::StrCat("unknown compressor ", static_cast<int>(id)));
  if (size < 0 || size > base::kMaxMessageSize - static_cast<int32_t>(kHeaderSize)) {
    return FatalError(base::StrCat("a compressed message claims ", size, " bytes"));
  }
  if (opcode == Opcode::kCompressed)
    return FatalError("a compressed message inside a compressed message");
  FrameHeader header{.length = static_cast<int32_t>(kHeaderSize) + size,
                     .request_id = LoadInt32(bytes.data() + 4),
                     .response_to = LoadInt32(bytes.data() + 8),
                     .opcode = opcode};
  std::string message(kHeaderSize, '\0');
  StoreFrameHeader(header, message.data());
  MAYFLY_RETURN_IF_ERROR(ParseFrameHeader(message).status());
  MAYFLY_RETURN_IF_ERROR(
      (*compressor)->decompress(bytes.substr(kHeaderSize + kPrefixSize), size, &message));
  *frame = std::move(message);
  return absl::OkStatus();
}

absl::StatusOr<std::string> CompressFrame(std::string_view message, const Compressor& compressor) {
  std::string out(kHeaderSize + kPrefixSize, '\0');
  MAYFLY_RETURN_IF_ERROR(compressor.compress(message.substr(kHeaderSize), &out));
  StoreFrameHeader({.length = static_cast<int32_t>(out.size()),
                    .request_id = LoadInt32(message.data() + 4),
                    .response_to = LoadInt32(message.data() + 8),
                    .opcode = Opcode::kCompressed},
                   out.data());
  char* prefix = out.data() + kHeaderSize;
  StoreInt32(prefix, LoadInt32(message.data() + 12));
  StoreInt32(prefix + 4, static_cast<int32_t>(message.size() - kHeaderSize));
  prefix[8] = static_cast<char>(compressor.id);
  return out;
}

}  // namespace mayfly::wire

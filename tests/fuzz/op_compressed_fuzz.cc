// Compressed messages from arbitrary bytes; and every compressor gives back what it was given.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/compression.h"
#include "wire/frame.h"
#include "wire/op_compressed.h"

namespace {

std::string WithHeader(std::string_view payload, mayfly::wire::Opcode opcode) {
  std::string message(mayfly::wire::kHeaderSize, '\0');
  message.append(payload);
  mayfly::wire::StoreFrameHeader({.length = static_cast<int32_t>(message.size()),
                                  .request_id = 1,
                                  .response_to = 2,
                                  .opcode = opcode},
                                 message.data());
  return message;
}

void CheckRoundTrip(std::string_view payload, uint8_t id) {
  const mayfly::wire::Compressor* compressor = mayfly::wire::FindCompressor(id);
  const std::string message = WithHeader(payload, mayfly::wire::Opcode::kMsg);
  auto compressed = mayfly::wire::CompressFrame(message, *compressor);
  if (!compressed.ok()) std::abort();
  const mayfly::wire::Compressor* used = nullptr;
  if (!mayfly::wire::DecompressFrame(&*compressed, &used).ok() || used != compressor ||
      *compressed != message) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view payload(reinterpret_cast<const char*>(data) + 1, size - 1);
  CheckRoundTrip(payload, data[0] % 4);
  std::string frame = WithHeader(payload, mayfly::wire::Opcode::kCompressed);
  const mayfly::wire::Compressor* used = nullptr;
  if (mayfly::wire::DecompressFrame(&frame, &used).ok() &&
      static_cast<size_t>(mayfly::wire::LoadInt32(frame.data())) != frame.size()) {
    std::abort();
  }
  return 0;
}

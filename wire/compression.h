// The compressors a client may negotiate: snappy, zlib, zstd, and noop, which copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace mayfly::wire {

// A row of the table of compressors. Functions are thread-safe.
struct Compressor {
  uint8_t id;  // as in OP_COMPRESSED
  std::string_view name;
  // Appends the compressed form of `input` to `*out`.
  absl::Status (*compress)(std::string_view input, std::string* out);
  // Appends exactly `size` bytes to `*out`; any other result is an error. Checks what the
  // compressed bytes say about their size before it takes memory.
  absl::Status (*decompress)(std::string_view input, size_t size, std::string* out);
};

// nullptr if there is none.
const Compressor* FindCompressor(uint8_t id);

// Names that may be negotiated in `hello.compression`, best first; noop is not among them.
std::vector<std::string_view> NegotiableCompressors();

}  // namespace mayfly::wire

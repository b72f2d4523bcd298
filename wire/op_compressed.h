// OP_COMPRESSED: any other message, compressed.
//
//   header, int32 originalOpcode, int32 uncompressedSize (without header), uint8 compressorId,
//   compressed bytes
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "wire/compression.h"

namespace mayfly::wire {

// Replaces `*frame`, one whole OP_COMPRESSED message with its header, by the message inside, whose
// header keeps the ids. `*compressor` is the row used. All errors are fatal; nothing large is
// allocated for a claim that cannot hold.
absl::Status DecompressFrame(std::string* frame, const Compressor** compressor);

// The OP_COMPRESSED form of `message`, one whole message with its header.
absl::StatusOr<std::string> CompressFrame(std::string_view message, const Compressor& compressor);

}  // namespace mayfly::wire

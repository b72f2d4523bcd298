// From one whole message to a Request, and from a reply document to the bytes that answer it: the
// choice between OP_MSG, OP_QUERY and OP_COMPRESSED.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "wire/compression.h"
#include "wire/handler.h"

namespace mayfly::wire {

// How a request wants to be answered.
struct ReplyFormat {
  int32_t response_to = 0;
  bool legacy = false;         // OP_REPLY instead of OP_MSG
  bool query_failure = false;  // with legacy: the flag QueryFailure
  bool checksum = false;
  const Compressor* compressor = nullptr;
};

// Fills `request` from `frame` and `format` from the way it came. An error that IsFatal() ends the
// connection, another one is to be answered as `format` says, unless `request->more_to_come`.
absl::Status ParseRequest(std::string frame, Request* request, ReplyFormat* format);

// The bytes of one reply in up to three pieces, so that the document is not copied. Movable only
// before parts() is used.
class EncodedReply {
 public:
  // The pieces in order; empty ones may be written as well. Valid as long as this object is neither
  // moved nor changed.
  std::array<std::string_view, 3> parts() const {
    return {std::string_view(head_, head_size_), body_, std::string_view(tail_, tail_size_)};
  }
  size_t size() const { return head_size_ + body_.size() + tail_size_; }

 private:
  friend EncodedReply EncodeReply(const ReplyFormat& format, int32_t id, bool more_to_come,
                                  std::string document);

  char head_[36] = {};
  size_t head_size_ = 0;
  std::string body_;
  char tail_[4] = {};
  size_t tail_size_ = 0;
};

// `id` is this reply's own request id.
EncodedReply EncodeReply(const ReplyFormat& format, int32_t id, bool more_to_come,
                         std::string document);

}  // namespace mayfly::wire

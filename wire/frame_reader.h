// Cuts the byte stream of one connection into messages.
//
// Small messages are read into one buffer, several at a time, and copied out; a message that does
// not fit the buffer gets memory of its own, which grows with the bytes that really arrive and is
// handed out without a copy. An idle reader holds kBufferSize bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "absl/status/statusor.h"

namespace mayfly::wire {

// Not thread-safe. Use: `while (!*Next(&frame)) { n = read(Space()); Advance(n); }`.
class FrameReader {
 public:
  static constexpr size_t kBufferSize = 4096;

  FrameReader();

  // Where the next bytes go; never empty after Next() returned false.
  std::span<char> Space();
  // `count` bytes were written to the start of Space().
  void Advance(size_t count);
  // True: `*frame` is one whole message, header included. False: more bytes are needed. Error: the
  // stream is broken (see ParseFrameHeader), found as soon as the header is there.
  absl::StatusOr<bool> Next(std::string* frame);

  // Bytes received and not handed out yet.
  size_t pending() const { return end_ - begin_ + large_filled_; }
  // At least this many unread bytes are shown: enough to sniff a protocol.
  std::string_view Peek() const { return {buffer_.get() + begin_, end_ - begin_}; }

 private:
  void StartLarge(size_t length);
  void GrowLarge();

  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  // The message that is too large for buffer_, if large_length_ > 0.
  std::string large_;
  size_t large_length_ = 0;
  size_t large_filled_ = 0;
};

}  // namespace mayfly::wire

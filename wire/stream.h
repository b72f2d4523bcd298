// A connected byte stream: a TCP or Unix socket now, TLS on top of one later.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>

namespace mayfly::wire {

using IoResult = std::tuple<asio::error_code, size_t>;

// Network thread only. At most one read and one write at a time.
class Stream {
 public:
  virtual ~Stream() = default;
  // Some bytes, at least one unless there is an error.
  virtual asio::awaitable<IoResult> Read(std::span<char> space) = 0;
  // As many bytes as can be sent without waiting: 0 if none.
  virtual size_t TryWrite(std::span<const asio::const_buffer> buffers) = 0;
  // All bytes.
  virtual asio::awaitable<IoResult> Write(std::span<const asio::const_buffer> buffers) = 0;
  // True if the other side is known to have gone. Does not take bytes away.
  virtual bool PeerGone() = 0;
  // Ends pending reads and writes with an error. May be called twice.
  virtual void Close() = 0;
};

std::unique_ptr<Stream> MakeSocketStream(asio::generic::stream_protocol::socket socket);

}  // namespace mayfly::wire

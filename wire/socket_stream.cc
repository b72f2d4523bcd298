#include <sys/socket.h>

#include <asio/experimental/as_tuple.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <utility>

#include "wire/stream.h"

namespace mayfly::wire {
namespace {

constexpr auto kAwaitTuple = asio::experimental::as_tuple(asio::use_awaitable);

class SocketStream : public Stream {
 public:
  explicit SocketStream(asio::generic::stream_protocol::socket socket)
      : socket_(std::move(socket)) {
    asio::error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  asio::awaitable<IoResult> Read(std::span<char> space) override {
    return socket_.async_read_some(asio::buffer(space.data(), space.size()), kAwaitTuple);
  }

  size_t TryWrite(std::span<const asio::const_buffer> buffers) override {
    asio::error_code error;
    const size_t sent = socket_.send(buffers, 0, error);
    return error ? 0 : sent;
  }

  asio::awaitable<IoResult> Write(std::span<const asio::const_buffer> buffers) override {
    return asio::async_write(socket_, buffers, kAwaitTuple);
  }

  bool PeerGone() override {
    char byte;
    const ssize_t n = recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
  }

  void Close() override {
    asio::error_code ignored;
    socket_.close(ignored);
  }

 private:
  asio::generic::stream_protocol::socket socket_;
};

}  // namespace

std::unique_ptr<Stream> MakeSocketStream(asio::generic::stream_protocol::socket socket) {
  return std::make_unique<SocketStream>(std::move(socket));
}

}  // namespace mayfly::wire

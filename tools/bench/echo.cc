#include "tools/bench/echo.h"

#include <array>
#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <thread>

namespace mayfly::bench {
namespace {

using asio::ip::tcp;

constexpr size_t kMessage = 316;

asio::awaitable<void> EchoAll(tcp::socket socket) {
  std::array<char, 4096> buffer;
  try {
    while (true) {
      const size_t count =
          co_await socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
      co_await asio::async_write(socket, asio::buffer(buffer.data(), count), asio::use_awaitable);
    }
  } catch (const std::exception&) {
    // The client has gone.
  }
}

asio::awaitable<void> Accept(tcp::acceptor& acceptor) {
  while (true) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    socket.set_option(tcp::no_delay(true));
    asio::co_spawn(acceptor.get_executor(), EchoAll(std::move(socket)), asio::detached);
  }
}

class EchoClient : public Client {
 public:
  explicit EchoClient(int connections)
      : acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    asio::co_spawn(io_, Accept(acceptor_), asio::detached);
    server_ = std::thread([this] { io_.run(); });
    for (int i = 0; i < connections; ++i) {
      sockets_.emplace_back(client_io_).connect(acceptor_.local_endpoint());
      sockets_.back().set_option(tcp::no_delay(true));
    }
  }

  ~EchoClient() override {
    sockets_.clear();
    io_.stop();
    server_.join();
  }

  absl::StatusOr<int64_t> Operate() override {
    for (tcp::socket& socket : sockets_) asio::write(socket, asio::buffer(message_));
    for (tcp::socket& socket : sockets_) asio::read(socket, asio::buffer(message_));
    return static_cast<int64_t>(sockets_.size());
  }

 private:
  asio::io_context io_;
  asio::io_context client_io_;
  tcp::acceptor acceptor_;
  std::thread server_;
  std::vector<tcp::socket> sockets_;
  std::array<char, kMessage> message_{};
};

}  // namespace

std::unique_ptr<Client> RawEcho(const ClientArguments& arguments) {
  return std::make_unique<EchoClient>(arguments.clients);
}

}  // namespace mayfly::bench

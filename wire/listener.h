// Accepts connections on TCP addresses and a Unix socket, and keeps the sessions.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "wire/counters.h"
#include "wire/handler.h"
#include "wire/network_thread.h"
#include "wire/session.h"

namespace mayfly::wire {

struct ListenerOptions {
  std::vector<std::string> addresses = {"127.0.0.1"};  // host names or IP addresses
  uint16_t port = 27017;  // 0: the system chooses, see Listener::port()
  bool ipv6 = false;      // names may also give IPv6 addresses
  bool unix_socket = true;
  std::string unix_socket_prefix = "/tmp";
  int max_connections = 1'000'000;
  int peer_check_ms = 1000;  // how often to look whether a client left while its request runs
};

// Network thread only, Open() and counters() excepted. The handler and the network thread must
// outlive it; it must be destroyed after NetworkThread::Run() returned.
class Listener {
 public:
  Listener(NetworkThread& network, Handler& handler, ListenerOptions options);
  ~Listener();

  // Before Run(). Binds every address and starts to accept as soon as the network thread runs.
  // Error: what the system said, with the address.
  absl::Status Open();
  // The port in use, after Open().
  uint16_t port() const { return options_.port; }
  // The path in use; empty if there is no Unix socket.
  const std::string& unix_socket_path() const { return unix_path_; }
  const Counters& counters() const { return counters_; }

  // Accepts no more, closes idle connections, lets running requests finish; `on_closed` is called
  // when no connection is left. AbortAll() may be called to hurry.
  void Close(absl::AnyInvocable<void()> on_closed);
  void AbortAll();

 private:
  absl::Status BindTcp(const std::string& host);
  absl::Status BindUnix();
  template <typename Acceptor>
  asio::awaitable<void> AcceptLoop(Acceptor& acceptor);
  void Admit(asio::generic::stream_protocol::socket socket, Connection connection);
  void OnSessionEnd(int64_t id);
  void WatchPeers();

  NetworkThread& network_;
  ListenerOptions options_;
  Counters counters_;
  SessionContext context_;
  std::vector<std::unique_ptr<asio::ip::tcp::acceptor>> tcp_;
  std::unique_ptr<asio::local::stream_protocol::acceptor> unix_;
  std::string unix_path_;
  std::unordered_map<int64_t, std::shared_ptr<Session>> sessions_;
  int64_t last_id_ = 0;
  asio::steady_timer watch_;
  bool watching_ = false;
  bool closing_ = false;
  absl::AnyInvocable<void()> on_closed_;
};

}  // namespace mayfly::wire

#include "wire/listener.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <type_traits>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"

namespace mayfly::wire {
namespace {

using asio::ip::tcp;
using base::StrCat;

constexpr auto kAwaitTuple = asio::experimental::as_tuple(asio::use_awaitable);
// How long to wait after accept() failed, when the process is out of descriptors.
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);
constexpr int kUnixSocketMode = 0700;

absl::Status BindError(std::string_view where, const asio::error_code& error) {
  return base::Error(base::ErrorCode::kHostUnreachable,
                     StrCat("cannot listen on ", where, ": ", error.message()));
}

std::string Describe(const tcp::endpoint& endpoint) {
  asio::ip::address address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  const std::string text = address.to_string();
  return address.is_v6() ? StrCat("[", text, "]:", endpoint.port())
                         : StrCat(text, ":", endpoint.port());
}

absl::Status OpenAcceptor(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  asio::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return BindError(Describe(endpoint), error);
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (endpoint.address().is_v6()) acceptor.set_option(asio::ip::v6_only(true), error);
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(SOMAXCONN, error);
  return error ? BindError(Describe(endpoint), error) : absl::OkStatus();
}

Connection DescribeSocket(const tcp::socket& socket) {
  asio::error_code ignored;
  Connection connection;
  connection.remote = Describe(socket.remote_endpoint(ignored));
  connection.local = Describe(socket.local_endpoint(ignored));
  return connection;
}

Connection DescribeSocket(const asio::local::stream_protocol::socket& socket) {
  asio::error_code ignored;
  Connection connection;
  connection.remote = "anonymous unix socket";
  connection.local = socket.local_endpoint(ignored).path();
  connection.is_unix_socket = true;
  return connection;
}

}  // namespace

Listener::Listener(NetworkThread& network, Handler& handler, ListenerOptions options)
    : network_(network),
      options_(std::move(options)),
      context_{.network = network, .handler = handler, .counters = counters_},
      watch_(network.io()) {}

Listener::~Listener() {
  if (!unix_path_.empty()) unlink(unix_path_.c_str());
}

absl::Status Listener::Open() {
  for (const std::string& host : options_.addresses) {
    MAYFLY_RETURN_IF_ERROR(BindTcp(host));
  }
  if (options_.unix_socket) MAYFLY_RETURN_IF_ERROR(BindUnix());
  for (const auto& acceptor : tcp_)
    asio::co_spawn(network_.io(), AcceptLoop(*acceptor), asio::detached);
  if (unix_ != nullptr) asio::co_spawn(network_.io(), AcceptLoop(*unix_), asio::detached);
  return absl::OkStatus();
}

absl::Status Listener::BindTcp(const std::string& host) {
  asio::error_code error;
  std::vector<asio::ip::address> addresses;
  const asio::ip::address numeric = asio::ip::make_address(host, error);
  if (!error) {
    addresses.push_back(numeric);
  } else {
    tcp::resolver resolver(network_.io());
    const auto results = resolver.resolve(host, "", tcp::resolver::passive, error);
    if (error) return BindError(host, error);
    for (const auto& entry : results) {
      if (options_.ipv6 || entry.endpoint().address().is_v4())
        addresses.push_back(entry.endpoint().address());
    }
    if (addresses.empty()) return BindError(host, asio::error::host_not_found);
  }
  for (const asio::ip::address& address : addresses) {
    auto acceptor = std::make_unique<tcp::acceptor>(network_.io());
    MAYFLY_RETURN_IF_ERROR(OpenAcceptor(*acceptor, tcp::endpoint(address, options_.port)));
    options_.port = acceptor->local_endpoint(error).port();
    tcp_.push_back(std::move(acceptor));
  }
  return absl::OkStatus();
}

absl::Status Listener::BindUnix() {
  const std::string path = StrCat(options_.unix_socket_prefix, "/mongodb-", options_.port, ".sock");
  unlink(path.c_str());
  auto acceptor = std::make_unique<asio::local::stream_protocol::acceptor>(network_.io());
  asio::error_code error;
  acceptor->open(asio::local::stream_protocol(), error);
  if (!error) acceptor->bind(asio::local::stream_protocol::endpoint(path), error);
  if (error) return BindError(path, error);
  unix_path_ = path;
  chmod(path.c_str(), kUnixSocketMode);
  acceptor->listen(SOMAXCONN, error);
  if (error) return BindError(path, error);
  unix_ = std::move(acceptor);
  return absl::OkStatus();
}

template <typename Acceptor>
asio::awaitable<void> Listener::AcceptLoop(Acceptor& acceptor) {
  bool failing = false;
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(kAwaitTuple);
    if (!acceptor.is_open() || error == asio::error::operation_aborted) co_return;
    if (error == asio::error::connection_aborted) continue;
    if (error) {
      if (!failing)
        MAYFLY_LOG(err, "network", "cannot accept connections: {}; trying again", error.message());
      failing = true;
      asio::steady_timer pause(network_.io(), kAcceptRetry);
      co_await pause.async_wait(kAwaitTuple);
      continue;
    }
    if (failing) MAYFLY_LOG(info, "network", "accepting connections again");
    failing = false;
    Connection connection = DescribeSocket(socket);
    if constexpr (std::is_same_v<Acceptor, tcp::acceptor>) {
      socket.set_option(tcp::no_delay(true), error);
      socket.set_option(asio::socket_base::keep_alive(true), error);
    }
    Admit(asio::generic::stream_protocol::socket(std::move(socket)), std::move(connection));
  }
}

void Listener::Admit(asio::generic::stream_protocol::socket socket, Connection connection) {
  if (closing_) return;
  connection.id = ++last_id_;
  if (static_cast<int64_t>(sessions_.size()) >= options_.max_connections) {
    counters_.connections_rejected.fetch_add(1, std::memory_order_relaxed);
    MAYFLY_LOG(info, "network", "connection {} from {} refused: {} are open already", connection.id,
               connection.remote, sessions_.size());
    return;
  }
  counters_.connections.fetch_add(1, std::memory_order_relaxed);
  counters_.connections_created.fetch_add(1, std::memory_order_relaxed);
  const int64_t id = connection.id;
  auto session = std::make_shared<Session>(context_, MakeSocketStream(std::move(socket)),
                                           std::move(connection));
  sessions_.emplace(id, session);
  session->Start([this, id] { OnSessionEnd(id); });
  WatchPeers();
}

void Listener::OnSessionEnd(int64_t id) {
  sessions_.erase(id);
  counters_.connections.fetch_sub(1, std::memory_order_relaxed);
  if (sessions_.empty()) watch_.cancel();
  if (sessions_.empty() && on_closed_) std::exchange(on_closed_, nullptr)();
}

// Only while there are connections: a server without clients sleeps.
void Listener::WatchPeers() {
  if (watching_ || sessions_.empty()) return;
  watching_ = true;
  watch_.expires_after(std::chrono::milliseconds(options_.peer_check_ms));
  watch_.async_wait([this](const asio::error_code& error) {
    watching_ = false;
    if (!error && counters_.running_requests.load(std::memory_order_relaxed) > 0) {
      std::vector<std::shared_ptr<Session>> sessions;
      for (const auto& [id, session] : sessions_) sessions.push_back(session);
      for (const auto& session : sessions) session->CheckPeer();
    }
    WatchPeers();
  });
}

void Listener::Close(absl::AnyInvocable<void()> on_closed) {
  closing_ = true;
  asio::error_code ignored;
  for (const auto& acceptor : tcp_) acceptor->close(ignored);
  if (unix_ != nullptr) unix_->close(ignored);
  if (!unix_path_.empty()) unlink(std::exchange(unix_path_, {}).c_str());
  if (sessions_.empty()) {
    on_closed();
    return;
  }
  on_closed_ = std::move(on_closed);
  for (const auto& [id, session] : sessions_) session->FinishAndClose();
}

void Listener::AbortAll() {
  std::vector<std::shared_ptr<Session>> sessions;
  for (const auto& [id, session] : sessions_) sessions.push_back(session);
  for (const auto& session : sessions) session->Abort();
}

}  // namespace mayfly::wire

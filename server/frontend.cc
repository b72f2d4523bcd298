#include "server/frontend.h"

#include <sys/resource.h>

#include <asio/post.hpp>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/log.h"
#include "base/strings.h"

namespace mayfly::server {
namespace {

wire::ListenerOptions ToListenerOptions(const Options& options) {
  return {.addresses = options.bind_ip,
          .port = static_cast<uint16_t>(options.port),
          .ipv6 = options.ipv6,
          .unix_socket = options.unix_socket,
          .unix_socket_prefix = options.unix_socket_prefix,
          .max_connections = options.max_connections};
}

// As many descriptors as the system lets us have: a connection takes one.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Frontend::Frontend(const Options& options, const base::Clock& clock)
    : options_(options),
      network_(clock, options.network_spin_us),
      signals_(network_.io()),
      grace_(network_.io()),
      patience_(network_.io()) {}

absl::Status Frontend::Listen(wire::Handler& handler) {
  RaiseDescriptorLimit();
  listener_ = std::make_unique<wire::Listener>(network_, handler, ToListenerOptions(options_));
  return listener_->Open();
}

void Frontend::Run(Ending ending) {
  ending_ = std::move(ending);
  asio::error_code ignored;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) signals_.add(signal, ignored);
  AwaitSignal();
  network_.Run();
}

void Frontend::AwaitSignal() {
  signals_.async_wait([this](const asio::error_code& error, int signal) {
    if (error) return;
    MAYFLY_LOG(info, "control", "signal {} received, shutting down", signal);
    BeginShutdown();
    AwaitSignal();
  });
}

void Frontend::RequestShutdown() {
  asio::post(network_.io(), [this] { BeginShutdown(); });
}

void Frontend::BeginShutdown() {
  if (std::exchange(closing_, true)) return;
  listener_->Close([this] {
    grace_.cancel();
    patience_.cancel();
    network_.Stop();
  });
  if (ending_.answer_waiting) ending_.answer_waiting();
  grace_.expires_after(std::chrono::milliseconds(kGraceMs));
  grace_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    MAYFLY_LOG(info, "control", "interrupting what still runs");
    if (ending_.interrupt_running) ending_.interrupt_running();
  });
  patience_.expires_after(std::chrono::milliseconds(2 * kGraceMs));
  patience_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    MAYFLY_LOG(warn, "control", "cutting connections whose command does not end");
    listener_->AbortAll();
  });
}

std::string Frontend::LocalAddress() const {
  std::string host = options_.bind_ip.front();
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return base::StrCat(is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", ":", port());
}

std::string Frontend::ConnectionString() const {
  return base::StrCat("mongodb://", LocalAddress(), "/?directConnection=true");
}

}  // namespace mayfly::server

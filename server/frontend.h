// The side of the server that faces clients: network thread, listener, signals, and the orderly
// end.
#pragma once

#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "base/clock.h"
#include "server/options.h"
#include "wire/handler.h"
#include "wire/listener.h"
#include "wire/network_thread.h"

namespace mayfly::server {

// Construct, Listen and Run on one thread, which becomes the network thread.
class Frontend {
 public:
  // What the rest of the server does at the end. Called on the network thread.
  struct Ending {
    // No connection is accepted any more, idle ones are closed: answer what was only waiting.
    absl::AnyInvocable<void()> answer_waiting;
    // The grace time is over: interrupt what still runs.
    absl::AnyInvocable<void()> interrupt_running;
  };

  // After this time running commands are interrupted; after twice this time their connections are
  // cut.
  static constexpr int kGraceMs = 5000;

  Frontend(const Options& options, const base::Clock& clock);

  wire::NetworkThread& network() { return network_; }
  // `handler` must outlive this. Error: what the system said about an address.
  absl::Status Listen(wire::Handler& handler);
  // Serves until SIGTERM, SIGINT, SIGHUP or RequestShutdown(), then ends in order.
  void Run(Ending ending);
  // Any thread, also before Run().
  void RequestShutdown();

  // After Listen().
  int port() const { return listener_->port(); }
  const wire::Listener& listener() const { return *listener_; }
  // For a client on this machine: "mongodb://127.0.0.1:27017/?directConnection=true"
  std::string ConnectionString() const;
  // The same as host and port alone.
  std::string LocalAddress() const;

 private:
  void AwaitSignal();
  void BeginShutdown();

  const Options options_;
  wire::NetworkThread network_;
  std::unique_ptr<wire::Listener> listener_;
  asio::signal_set signals_;
  asio::steady_timer grace_;
  asio::steady_timer patience_;
  Ending ending_;
  bool closing_ = false;
};

}  // namespace mayfly::server

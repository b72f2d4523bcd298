// The adapter between the network and the commands: a request becomes an invocation, an outcome a
// reply.
#pragma once

#include <asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "commands/dispatcher.h"
#include "commands/metrics.h"
#include "commands/services.h"
#include "wire/handler.h"
#include "wire/network_thread.h"

namespace mayfly::server {

// Network thread only. All references must outlive it.
class Service : public wire::Handler {
 public:
  Service(commands::Dispatcher& dispatcher, commands::Metrics& metrics,
          wire::NetworkThread& network, commands::WorkerPool& workers)
      : dispatcher_(dispatcher), metrics_(metrics), network_(network), workers_(workers) {}

  // The address told to clients that come by a Unix socket, whose path no driver could use as a
  // host name.
  void SetLocalAddress(std::string host_and_port) { local_address_ = std::move(host_and_port); }

  void OnConnect(wire::Connection& connection) override;
  void OnDisconnect(wire::Connection& connection) override;
  void Handle(wire::Connection& connection, std::shared_ptr<const wire::Request> request,
              wire::Reply reply) override;
  bool RunElsewhere(absl::AnyInvocable<void()> work) override {
    return workers_.Submit(std::move(work));
  }
  std::string ErrorDocument(const absl::Status& status) override;

  // Sends every reply that is being held back, and holds back none from now on.
  void ReleaseHeldReplies();

 private:
  // A reply that waits for its time, as an awaitable hello does.
  struct Held {
    explicit Held(asio::io_context& io) : timer(io) {}
    asio::steady_timer timer;
    wire::Reply reply;
    wire::ReplyMessage message;
  };

  void Finish(wire::Reply reply, commands::Outcome outcome);
  void Hold(wire::Reply reply, wire::ReplyMessage message, int64_t delay_ms);
  void ReleaseHeld(int64_t id);

  commands::Dispatcher& dispatcher_;
  commands::Metrics& metrics_;
  wire::NetworkThread& network_;
  commands::WorkerPool& workers_;
  std::unordered_map<int64_t, std::unique_ptr<Held>> held_;
  int64_t next_held_ = 0;
  bool releasing_ = false;
  std::string local_address_;
};

}  // namespace mayfly::server

// The server: makes every part, hands each what it needs, and takes them down in order.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/options.h"

namespace mayfly::server {

// Used by one thread, which becomes the network thread; RequestShutdown() by any.
class Server {
 public:
  explicit Server(Options options);
  ~Server();

  // Opens the data and the listening sockets. Error: a text for the operator.
  absl::Status Start();
  // Serves until a signal or RequestShutdown(), then ends in order: accepts no more, lets running
  // commands finish (those that take longer than Frontend::kGraceMs are interrupted), closes the
  // data.
  void Run();
  void RequestShutdown();

  // After Start(): "mongodb://127.0.0.1:27017/?directConnection=true".
  std::string ConnectionString() const;

 private:
  struct Parts;

  std::unique_ptr<Parts> parts_;
};

}  // namespace mayfly::server

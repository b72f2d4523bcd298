// A server of the built program, for the time of a test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace mayfly::test {

// Runs `binary` with --enableTestCommands on a folder and a port of its own. Used by one thread.
class ServerProcess {
 public:
  ServerProcess(std::string binary, std::string db_path);
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();  // kills it

  // Returns when the server listens, on the port of the first start. With `ahead_s` (below 0:
  // behind) it sees a wall clock that is so far off; needs libfaketime. Error: it ended instead.
  absl::Status Start(int64_t ahead_s = 0);
  // SIGTERM. Error: it did not end with 0.
  absl::Status Stop();
  // kill -9.
  void Kill();

  uint16_t port() const { return port_; }
  // Everything it has written, over all starts.
  std::string log();

 private:
  void Exec(int output, const std::string& preload, int64_t ahead_s);
  absl::Status AwaitListening();
  int Wait();

  const std::string binary_;
  const std::string db_path_;
  pid_t pid_ = -1;
  uint16_t port_ = 0;
  int output_ = -1;
  std::thread reader_;
  std::mutex mutex_;
  std::string log_;  // under mutex_
};

}  // namespace mayfly::test

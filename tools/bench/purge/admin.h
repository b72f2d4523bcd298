// What the benchmark asks the server for besides its work: the time, the counters, the rules.
#pragma once

#include <mongoc/mongoc.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace mayfly::bench {

// Since the start of the server.
struct Removed {
  int64_t documents = 0;
  int64_t entries = 0;  // of indexes, by the sweep
  int64_t rows() const { return documents + entries; }
};

class Admin {
 public:
  explicit Admin(const std::string& uri) : connection_(mongoc_client_new(uri.c_str())) {}
  ~Admin() { mongoc_client_destroy(connection_); }
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  mongoc_client_t* connection() { return connection_; }
  // Moves the server's time forward (--enableTestCommands).
  absl::Status Advance(int64_t seconds);
  // metrics.ttl of serverStatus.
  absl::StatusOr<Removed> GetRemoved();

 private:
  mongoc_client_t* connection_;
};

// How far the removal was, seen from outside.
struct Progress {
  double seconds = 0;  // since the watching began
  int64_t rows = 0;    // documents and index entries
};

struct Watch {
  int64_t before = 0;  // the counter at the beginning
  int64_t rows = 0;    // how many more are waited for
  // Between two looks. Each costs the server something, so not too short beside clients.
  std::chrono::milliseconds every{5};
  double timeout_seconds = 600;
};

// Looks at the counter until the removal is over; what it saw, one entry for each change.
absl::StatusOr<std::vector<Progress>> WatchRemoval(Admin& admin, const Watch& watch);

}  // namespace mayfly::bench

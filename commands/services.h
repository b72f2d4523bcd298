// What commands work with: one struct of references, made by server/ and handed to the dispatcher.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "base/random.h"
#include "engine/engine.h"

namespace mayfly::engine {
class CursorRegistry;
}
namespace mayfly::ttl {
class Service;
}

namespace mayfly::commands {

class OperationRegistry;
class ParameterStore;
class SessionRegistry;
class Metrics;

// Facts about this process that commands report.
struct ServerFacts {
  std::string version;  // of this program
  std::string host;     // "machine:27017"
  int port = 0;
  int64_t start_ms = 0;     // wall clock
  bool replica_set = true;  // false: --topology standalone
  std::string set_name = "globaldb";
  std::string advertise;       // "host:port" or empty: the address by which the client came
  bool test_commands = false;  // --enableTestCommands
  std::string storage_engine;  // "sqlite" or "memory"
  std::string db_path;
  std::vector<std::string> argv;
  std::string parsed_options;  // BSON bytes of getCmdLineOpts' `parsed`
  bool zlib = true;
  int64_t max_connections = 1'000'000;
  int32_t process_id = 0;
  bson::ObjectId topology_process_id;  // changes with every start
};

// Runs work on a thread that may block. Bounded; implemented by server/.
class WorkerPool {
 public:
  virtual ~WorkerPool() = default;
  // False if the pool is full or stopping; `work` was not taken then.
  virtual bool Submit(absl::AnyInvocable<void()> work) = 0;
};

// All must outlive the dispatcher.
struct Services {
  const ServerFacts& facts;
  engine::Engine& engine;
  engine::CursorRegistry& cursors;
  ttl::Service& ttl;
  const base::Clock& clock;
  base::SystemClock* adjustable_clock;  // null without --enableTestCommands
  OperationRegistry& operations;
  ParameterStore& parameters;
  SessionRegistry& sessions;
  Metrics& metrics;
  WorkerPool& workers;
  engine::Deferrer* deferrer =
      nullptr;  // of the network thread; null: every operation is committed alone
  absl::AnyInvocable<void()>& request_shutdown;
};

}  // namespace mayfly::commands

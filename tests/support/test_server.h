// A whole server without a network, inside a test: a store in memory, a clock that stands still,
// and commands as text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "base/clock.h"
#include "bson/value.h"
#include "commands/dispatcher.h"
#include "commands/metrics.h"
#include "commands/operation_registry.h"
#include "commands/parameters.h"
#include "commands/services.h"
#include "commands/sessions.h"
#include "engine/cursor/cursor.h"
#include "engine/engine.h"
#include "engine/storage/database.h"
#include "ttl/service.h"

namespace mayfly::test {

// Runs the work at once, on the thread that submits it.
class InlineWorkers : public commands::WorkerPool {
 public:
  bool Submit(absl::AnyInvocable<void()> work) override;
  // From now on nothing is taken, as if the pool were full.
  void Refuse() { refuses_ = true; }

 private:
  bool refuses_ = false;
};

class TestServer {
 public:
  static constexpr int64_t kStartMs = 1'700'000'000'000;

  struct Options {
    bool replica_set = true;
    bool test_commands = false;
    // Where the SQLite store keeps its files; empty: the store in memory. The log is neither synced
    // nor copied by the clock then, so that the same commands always do the same work.
    std::string data_folder = {};
  };
  TestServer() : TestServer(Options()) {}
  explicit TestServer(Options options);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // Runs a command, written as in a shell, and waits for its reply. {} if the text is no document.
  bson::Document Run(std::string_view database, std::string_view command);
  bson::Document Run(std::string_view database, bson::View command);
  // The reply as text in the notation of the shell, without the logical times of a replica set.
  std::string RunText(std::string_view database, std::string_view command);
  // The `code` of the reply; 0 if it has none.
  int RunCode(std::string_view database, std::string_view command);
  // The same with everything an outcome has.
  commands::Outcome RunForOutcome(commands::Invocation invocation);
  // An invocation as it comes by this server's one connection.
  commands::Invocation MakeInvocation(std::string_view database, bson::View command);

  base::ManualClock& clock() { return clock_; }
  commands::Dispatcher& dispatcher() { return *dispatcher_; }
  commands::Services& services() { return dispatcher_->services(); }
  commands::ClientState& client() { return *client_; }
  commands::ServerFacts& facts() { return facts_; }
  InlineWorkers& workers() { return workers_; }
  // Removes what is due only when told to: its thread is not started.
  ttl::Service& ttl() { return ttl_; }
  // How often a command asked for the end of the process.
  int shutdown_requests() const { return shutdown_requests_; }

 private:
  base::ManualClock clock_{kStartMs};
  commands::ServerFacts facts_;
  std::unique_ptr<engine::Store> store_;
  engine::Engine engine_;
  ttl::Service ttl_;
  engine::CursorRegistry cursors_;
  commands::OperationRegistry operations_;
  commands::ParameterStore parameters_;
  commands::SessionRegistry sessions_;
  commands::Metrics metrics_;
  InlineWorkers workers_;
  int shutdown_requests_ = 0;
  absl::AnyInvocable<void()> request_shutdown_;
  std::shared_ptr<commands::ClientState> client_;
  std::unique_ptr<commands::Dispatcher> dispatcher_;
};

}  // namespace mayfly::test

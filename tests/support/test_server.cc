#include "tests/support/test_server.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "gtest/gtest.h"
#include "tests/support/shell_notation.h"

namespace mayfly::test {
namespace {

commands::ServerFacts MakeFacts(const TestServer::Options& options) {
  commands::ServerFacts facts;
  facts.version = "0.0.0";
  facts.host = "testhost:27017";
  facts.port = 27017;
  facts.start_ms = TestServer::kStartMs;
  facts.replica_set = options.replica_set;
  facts.test_commands = options.test_commands;
  facts.storage_engine = "memory";
  facts.argv = {"mayfly", "--storage", "memory"};
  facts.parsed_options = bson::Document().bytes();
  facts.process_id = 4711;
  facts.topology_process_id.bytes[11] = 1;
  return facts;
}

std::unique_ptr<engine::Store> OpenStore(const TestServer::Options& options,
                                         const base::Clock& clock) {
  if (options.data_folder.empty()) return engine::OpenMemoryStore({.clock = &clock});
  constexpr int kNever = 1'000'000'000;
  auto store = engine::OpenSqliteStore({.path = options.data_folder,
                                        .sync_interval_ms = kNever,
                                        .max_wal_frames = kNever,
                                        .clock = &clock});
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

}  // namespace

bool InlineWorkers::Submit(absl::AnyInvocable<void()> work) {
  if (refuses_) return false;
  work();
  return true;
}

TestServer::TestServer(Options options)
    : facts_(MakeFacts(options)),
      store_(OpenStore(options, clock_)),
      engine_(*store_, clock_),
      ttl_(engine_, clock_),
      cursors_(clock_),
      operations_(clock_),
      sessions_(clock_),
      request_shutdown_([this] { ++shutdown_requests_; }),
      client_(std::make_shared<commands::ClientState>()) {
  client_->connection_id = 1;
  client_->remote = "127.0.0.1:50000";
  client_->local = "127.0.0.1:27017";
  metrics_.CountConnection();
  dispatcher_ = std::make_unique<commands::Dispatcher>(
      commands::Services{.facts = facts_,
                         .engine = engine_,
                         .cursors = cursors_,
                         .ttl = ttl_,
                         .clock = clock_,
                         .adjustable_clock = nullptr,
                         .operations = operations_,
                         .parameters = parameters_,
                         .sessions = sessions_,
                         .metrics = metrics_,
                         .workers = workers_,
                         .request_shutdown = request_shutdown_});
}

TestServer::~TestServer() {
  ttl_.Stop();
  store_->Close();
}

commands::Invocation TestServer::MakeInvocation(std::string_view database, bson::View command) {
  struct Owned {
    bson::Document body;
    std::string database;
  };
  auto owned = std::make_shared<Owned>(Owned{bson::Document(command), std::string(database)});
  commands::Invocation invocation;
  invocation.body = owned->body.view();
  invocation.database = owned->database;
  invocation.client = client_;
  invocation.owner = std::move(owned);
  return invocation;
}

commands::Outcome TestServer::RunForOutcome(commands::Invocation invocation) {
  // Shared, since the answer may still be on its way out of `done` when the waiting ends.
  struct Answer {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<commands::Outcome> outcome;
  };
  auto answer = std::make_shared<Answer>();
  dispatcher_->Dispatch(std::move(invocation), [answer](commands::Outcome outcome) {
    const std::lock_guard lock(answer->mutex);
    answer->outcome = std::move(outcome);
    answer->changed.notify_all();
  });
  std::unique_lock lock(answer->mutex);
  answer->changed.wait(lock, [&] { return answer->outcome.has_value(); });
  return *std::move(answer->outcome);
}

bson::Document TestServer::Run(std::string_view database, bson::View command) {
  return bson::Document(RunForOutcome(MakeInvocation(database, command)).document);
}

bson::Document TestServer::Run(std::string_view database, std::string_view command) {
  const auto document = ParseShell(command);
  EXPECT_TRUE(document.ok()) << document.status() << " in " << command;
  return document.ok() ? Run(database, document->view()) : bson::Document();
}

std::string TestServer::RunText(std::string_view database, std::string_view command) {
  const bson::Document whole = Run(database, command);
  bson::Builder reply;
  for (const bson::Element& element : whole.view()) {
    const bool logical_time = element.key == "$clusterTime" || element.key == "operationTime";
    if (!logical_time) reply.Append(element);
  }
  return bson::ToShellText(reply.Finish().view());
}

int TestServer::RunCode(std::string_view database, std::string_view command) {
  const bson::Document reply = Run(database, command);
  const bson::ValueView code = reply.Find("code");
  return code.IsNumber() ? static_cast<int>(bson::ToInt64Truncated(code)) : 0;
}

}  // namespace mayfly::test

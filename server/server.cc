#include "server/server.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/object_id.h"
#include "commands/dispatcher.h"
#include "commands/metrics.h"
#include "commands/operation_registry.h"
#include "commands/parameters.h"
#include "commands/services.h"
#include "commands/sessions.h"
#include "engine/cursor/cursor.h"
#include "engine/engine.h"
#include "engine/storage/database.h"
#include "server/frontend.h"
#include "server/service.h"
#include "server/worker_pool.h"
#include "ttl/moment_file.h"
#include "ttl/removal_log.h"
#include "ttl/service.h"
#include "ttl/spare_time.h"

namespace mayfly::server {
namespace {

// Workers block on storage, so there are more than processors.
constexpr size_t kWorkerThreads = 8;
constexpr size_t kWorkerQueue = 10'000;

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? std::string(name) : std::string("localhost");
}

absl::StatusOr<std::unique_ptr<engine::Store>> OpenStore(const Options& options,
                                                         const base::Clock& clock) {
  engine::StoreOptions store_options;
  store_options.path = options.db_path;
  store_options.clock = &clock;
  if (options.storage == StorageEngine::kMemory) return engine::OpenMemoryStore(store_options);
  return engine::OpenSqliteStore(store_options);
}

commands::ServerFacts MakeFacts(const Options& options, const base::Clock& clock) {
  commands::ServerFacts facts;
  facts.version = kVersion;
  facts.start_ms = clock.NowMs();
  facts.replica_set = options.topology == Topology::kReplicaSet;
  facts.set_name = options.repl_set;
  facts.advertise = options.advertise;
  facts.test_commands = options.enable_test_commands;
  facts.storage_engine = options.storage == StorageEngine::kMemory ? "memory" : "sqlite";
  facts.db_path = options.db_path;
  facts.argv = options.argv;
  facts.parsed_options = options.parsed;
  facts.process_id = getpid();
  facts.max_connections = options.max_connections;
  base::Random random = base::Random::FromSystem();
  facts.topology_process_id = bson::ObjectIdGenerator(random).Next(facts.start_ms);
  return facts;
}

// What the store defers is done by the network thread.
class NetworkDeferrer : public engine::Deferrer {
 public:
  explicit NetworkDeferrer(wire::NetworkThread& network) : network_(network) {}
  bool IsCurrent() const override { return network_.IsCurrent(); }
  void Defer(absl::AnyInvocable<void()> task) override { network_.Defer(std::move(task)); }

 private:
  wire::NetworkThread& network_;
};

// Removal beside clients happens when the network thread has nothing else to do.
class NetworkSpareTime : public ttl::SpareTime {
 public:
  explicit NetworkSpareTime(wire::NetworkThread& network) : network_(network) {}
  bool RunWhenIdle(absl::AnyInvocable<void()>& task) override { return network_.RunWhenIdle(task); }
  void Hurry() override { network_.HurryIdleTask(); }
  int64_t UnusedUs() const override { return network_.IdleUs(); }

 private:
  wire::NetworkThread& network_;
};

}  // namespace

// In the order of making; destroyed in the opposite one.
struct Server::Parts {
  explicit Parts(Options options_in)
      : options(std::move(options_in)),
        facts(MakeFacts(options, clock)),
        frontend(options, clock) {}

  ~Parts() {
    if (!store) return;
    // Nobody may call back into what is destroyed next.
    workers.Stop();
    expiry->Stop();
    store->Close();
  }

  absl::Status Start();
  absl::Status SetParameters();

  const Options options;
  base::SystemClock clock;
  commands::ServerFacts facts;
  commands::OperationRegistry operations{clock};
  commands::ParameterStore parameters;
  commands::SessionRegistry sessions{clock};
  commands::Metrics metrics;
  Frontend frontend;
  NetworkDeferrer deferrer{frontend.network()};
  NetworkSpareTime spare_time{frontend.network()};
  absl::AnyInvocable<void()> request_shutdown = [this] { frontend.RequestShutdown(); };
  std::unique_ptr<ttl::RemovalLog> removal_log;
  std::unique_ptr<engine::Store> store;
  std::optional<engine::Engine> engine;
  std::optional<engine::CursorRegistry> cursors;
  std::optional<ttl::MomentFile> moments;
  std::optional<ttl::Service> expiry;
  std::optional<commands::Dispatcher> dispatcher;
  std::optional<Service> service;
  WorkerPool workers{kWorkerThreads, kWorkerQueue};
};

absl::Status Server::Parts::Start() {
  MAYFLY_ASSIGN_OR_RETURN(store, OpenStore(options, clock));
  engine.emplace(*store, clock);
  cursors.emplace(clock);
  if (options.storage == StorageEngine::kSqlite) {
    moments.emplace(options.db_path + "/mayfly.clock", [this] { return clock.advanced_ms(); });
  }
  expiry.emplace(*engine, clock, moments.has_value() ? &*moments : nullptr);
  expiry->SetSpareTime(&spare_time);
  if (!options.ttl_log.empty()) {
    MAYFLY_ASSIGN_OR_RETURN(removal_log, ttl::RemovalLog::Open(options.ttl_log));
    engine->SetRemovalObserver(removal_log.get());
    expiry->SetRemovalLog(removal_log.get());
  }
  MAYFLY_RETURN_IF_ERROR(SetParameters());
  dispatcher.emplace(
      commands::Services{.facts = facts,
                         .engine = *engine,
                         .cursors = *cursors,
                         .ttl = *expiry,
                         .clock = clock,
                         .adjustable_clock = options.enable_test_commands ? &clock : nullptr,
                         .operations = operations,
                         .parameters = parameters,
                         .sessions = sessions,
                         .metrics = metrics,
                         .workers = workers,
                         .deferrer = &deferrer,
                         .request_shutdown = request_shutdown});
  MAYFLY_RETURN_IF_ERROR(dispatcher->LoadSettings());
  service.emplace(*dispatcher, metrics, frontend.network(), workers);
  MAYFLY_RETURN_IF_ERROR(frontend.Listen(*service));
  facts.port = frontend.port();
  facts.host = base::StrCat(HostName(), ":", facts.port);
  service->SetLocalAddress(frontend.LocalAddress());
  expiry->Start();
  return absl::OkStatus();
}

absl::Status Server::Parts::SetParameters() {
  parameters.OnChange("ttlMonitorEnabled", [this](const bson::Value& value) {
    expiry->SetEnabled(value.view().AsBool());
  });
  parameters.OnChange("ttlMonitorSleepSecs", [this](const bson::Value& value) {
    expiry->SetDatePeriodSeconds(parameters.GetInteger("ttlMonitorSleepSecs"));
  });
  parameters.OnChange("ttlClockGraceHours", [this](const bson::Value&) {
    expiry->SetClockGraceHours(parameters.GetInteger("ttlClockGraceHours"));
  });
  const auto set_log = [this](const bson::Value&) {
    base::SetLogVerbosity(static_cast<int>(parameters.GetInteger("logLevel")),
                          parameters.GetBool("quiet"));
  };
  parameters.SetByServer("logLevel", bson::Value::Int32(options.verbosity));
  parameters.SetByServer("quiet", bson::Value::Bool(options.quiet));
  parameters.OnChange("logLevel", set_log);
  parameters.OnChange("quiet", set_log);
  parameters.SetByServer("enableTestCommands", bson::Value::Bool(options.enable_test_commands));
  for (const auto& [name, value] : options.set_parameters) {
    absl::Status status = parameters.SetAtStartup(name, value);
    if (!status.ok()) return base::WithPrefix(status, "--setParameter: ");
  }
  return absl::OkStatus();
}

Server::Server(Options options) : parts_(std::make_unique<Parts>(std::move(options))) {}

Server::~Server() = default;

absl::Status Server::Start() { return parts_->Start(); }

void Server::Run() {
  parts_->frontend.Run({
      .answer_waiting = [this] { parts_->service->ReleaseHeldReplies(); },
      .interrupt_running =
          [this] {
            parts_->operations.KillIf([](const commands::RunningOperation&) { return true; },
                                      base::ErrorCode::kInterruptedAtShutdown);
          },
  });
}

void Server::RequestShutdown() { parts_->frontend.RequestShutdown(); }

std::string Server::ConnectionString() const { return parts_->frontend.ConnectionString(); }

}  // namespace mayfly::server

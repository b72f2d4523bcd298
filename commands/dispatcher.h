// From an invocation to its outcome: finds the command, checks what is common to all, chooses the
// thread, runs the handler, and turns its status into a reply.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "commands/command.h"
#include "commands/invocation.h"
#include "commands/registry.h"
#include "commands/services.h"
#include "commands/state.h"

namespace mayfly::commands {

// Thread-safe.
class Dispatcher {
 public:
  explicit Dispatcher(Services services);
  ~Dispatcher();

  // Runs the command; `done` is called exactly once, before Dispatch returns or later on another
  // thread.
  void Dispatch(Invocation invocation, Done done);

  const Registry& registry() const { return registry_; }
  Services& services() { return services_; }
  // Settings that an earlier process kept. Before commands run; errors: the store's.
  absl::Status LoadSettings();

 private:
  struct Running;

  void EndIdleCursors(int64_t now_ms);
  void Start(std::shared_ptr<Running> running);
  absl::Status Prepare(Running& running);
  absl::Status CheckUserWrites(const Running& running, Place place) const;
  void Register(const std::shared_ptr<Running>& shared);
  void RunInDatabase(std::shared_ptr<Running> running, engine::Access access);
  void RunOnWorker(std::shared_ptr<Running> running);
  absl::Status RunHandler(Running& running);
  void CountUse(const Running& running);
  void ForgetDropped(const Running& running);
  void AppendEnding(Running& running);
  void Finish(Running& running, absl::Status status);
  // What the profiler keeps of the ended command; nullopt: nothing.
  std::optional<bson::Document> ProfileRecordOf(const Running& running, const absl::Status& status,
                                                const Outcome& outcome);

  Services services_;
  ServerState state_;
  Registry registry_;
  std::atomic<int64_t> idle_cursors_ended_ms_{0};
};

// {ok: 0, errmsg, code, codeName, ...}: the reply for a failed command. `cluster_time`: of a
// replica set's member, else null.
std::string ErrorReply(const absl::Status& status, const bson::Timestamp* cluster_time = nullptr);

// The logical times that a member of a replica set puts at the end of its replies: $clusterTime
// without a signature, and operationTime.
void AppendClusterTime(bson::Timestamp time, bson::Builder& reply);

}  // namespace mayfly::commands

// What commands leave behind for later commands, as long as the process lives. What outlives it is
// kept besides (kept_settings.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bson/types.h"
#include "bson/value.h"
#include "commands/cluster_parameters.h"
#include "commands/free_space.h"
#include "commands/usage.h"
#include "commands/user_write_block.h"
#include "commands/write_gate.h"
#include "engine/expression/cluster_clock.h"
#include "engine/query/filter.h"

namespace mayfly::commands {

// What the command `profile` sets for one database.
struct DatabaseProfile {
  int32_t level = 0;
  std::optional<bson::Document> filter;
  std::shared_ptr<const engine::FilterNode> parsed_filter;  // of `filter`; null: none
};

// And for all of them.
struct ProfileSettings {
  std::atomic<int32_t> slow_ms{100};
  std::atomic<double> sample_rate{1};
  std::atomic<bool> any_profile{false};  // `databases` has something that matters
  std::map<std::string, DatabaseProfile, std::less<>> databases;
};

// What the command setDefaultRWConcern sets.
struct DefaultConcerns {
  std::optional<bson::Document> read;
  std::optional<bson::Document> write;
  bson::Timestamp set_time;
  int64_t set_ms = 0;  // 0: never
};

// Owned by the dispatcher. Thread-safe: what is not so itself is guarded by `mutex`.
struct ServerState {
  UsageStatistics usage;
  engine::ClusterClock cluster_clock;
  WriteGate write_gate;
  UserWriteBlock user_write_block;
  AutoCompactor auto_compactor;
  // Of cluster parameter defaultMaxTimeMS, for reading commands that bring no time limit.
  std::atomic<int64_t> default_max_time_ms{0};
  std::mutex cross_rename_mutex;  // held while a collection is copied into another database
  // Held while a setting that outlives the process is read, changed and kept; `mutex` is taken
  // inside.
  std::mutex kept_settings_mutex;

  std::mutex mutex;
  ProfileSettings profile;
  DefaultConcerns default_concerns;
  ClusterParameterValues cluster_parameters;

  // The time of a change of settings: no other has the same.
  bson::Timestamp NextChangeTime(int64_t now_ms);
  // Puts the value into force.
  void SetClusterParameter(std::string_view name, ClusterParameterValue value);

 private:
  std::mutex change_time_mutex_;
  bson::Timestamp last_change_time_;
};

}  // namespace mayfly::commands

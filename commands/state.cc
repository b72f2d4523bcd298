#include "commands/state.h"

#include <algorithm>
#include <utility>

namespace mayfly::commands {

bson::Timestamp ServerState::NextChangeTime(int64_t now_ms) {
  const std::lock_guard lock(change_time_mutex_);
  const bson::Timestamp now{static_cast<uint32_t>(now_ms / 1000), 1};
  const bson::Timestamp next{last_change_time_.seconds, last_change_time_.increment + 1};
  last_change_time_ = std::max(now, next);
  return last_change_time_;
}

void ServerState::SetClusterParameter(std::string_view name, ClusterParameterValue value) {
  const std::lock_guard lock(mutex);
  if (name == "defaultMaxTimeMS") {
    const bson::ValueView limit = value.value.Find("readOperations");
    default_max_time_ms = limit.type() == bson::Type::kInt64 ? limit.AsInt64() : 0;
  }
  cluster_parameters.insert_or_assign(std::string(name), std::move(value));
}

}  // namespace mayfly::commands

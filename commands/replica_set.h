// The replica set of one member as hello and the replica set commands describe it.
#pragma once

#include <cstdint>
#include <string>

#include "bson/types.h"
#include "commands/command.h"

namespace mayfly::commands {

inline constexpr int32_t kConfigVersion = 1;
inline constexpr int64_t kElectionTerm = 1;
inline constexpr int64_t kHeartbeatMs = 2000;

// The address by which clients are told to come: the advertised one, or that by which this client
// came.
std::string OwnAddress(const CommandContext& context);

// The cluster time of this moment.
bson::Timestamp NewestClusterTime(const CommandContext& context);

}  // namespace mayfly::commands

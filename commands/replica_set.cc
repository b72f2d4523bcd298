#include "commands/replica_set.h"

namespace mayfly::commands {

std::string OwnAddress(const CommandContext& context) {
  const ServerFacts& facts = context.services.facts;
  if (!facts.advertise.empty()) return facts.advertise;
  const std::string& local = context.client().local;
  return local.empty() ? facts.host : local;
}

bson::Timestamp NewestClusterTime(const CommandContext& context) {
  return {static_cast<uint32_t>(context.now_ms / 1000), 1};
}

}  // namespace mayfly::commands

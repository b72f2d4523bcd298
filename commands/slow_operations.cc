#include "commands/slow_operations.h"

#include <string>

#include "base/log.h"
#include "base/random.h"
#include "bson/json.h"
#include "commands/state.h"

namespace mayfly::commands {
namespace {

constexpr size_t kMaxShownBytes = 1024;

}  // namespace

void LogIfSlow(const CommandContext& context, int64_t time_us) {
  ProfileSettings& settings = context.state->profile;
  if (time_us / 1000 < settings.slow_ms.load(std::memory_order_relaxed)) return;
  const double share = settings.sample_rate.load(std::memory_order_relaxed);
  if (share < 1 && context.evaluation.random->NextDouble() >= share) return;
  const bson::View body = context.invocation.body;
  const std::string shown =
      body.size() <= kMaxShownBytes ? bson::ToShellText(body) : std::string(body.First().key);
  MAYFLY_LOG(info, "COMMAND", "Slow query: {}.{} took {} ms", context.invocation.database, shown,
             time_us / 1000);
}

}  // namespace mayfly::commands

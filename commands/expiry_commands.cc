// setClock and ttlRunNow: expiry without waiting, for tests of any client (--enableTestCommands).
#include "base/status.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/families.h"
#include "ttl/service.h"

namespace mayfly::commands {
namespace {

constexpr std::array kSetClockArguments = {
    ArgSpec{"advanceMS", ArgType::kNumber, ArgUse::kRequired,
            "milliseconds to move the server's time forward"},
};

// A hundred years: enough for any lifetime, far from the limits of dates.
constexpr int64_t kMaxAdvanceMs = int64_t{100} * 366 * 24 * 3600 * 1000;

absl::Status RunSetClock(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  const int64_t advance_ms = arguments.Integer(0, 0);
  if (advance_ms < 0 || advance_ms > kMaxAdvanceMs) {
    return base::Error(base::ErrorCode::kBadValue,
                       "advanceMS must be between 0 and a hundred years");
  }
  if (context.services.adjustable_clock == nullptr) {
    return base::Error(base::ErrorCode::kIllegalOperation, "the server's clock cannot be moved");
  }
  context.services.adjustable_clock->AdvanceMs(advance_ms);
  context.services.ttl.OnClockMoved();
  reply.Date("now", context.services.clock.NowMs());
  return absl::OkStatus();
}

absl::Status RunTtlNow(CommandContext& context, const Arguments&, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const int64_t removed, context.services.ttl.RunNow());
  reply.Append("removed", bson::Value::IntFitting(removed));
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "setClock",
     .place = Place::kConnection,
     .flags = kTestOnly | kNoApiVersion,
     .run = RunSetClock,
     .arguments = kSetClockArguments,
     .help = "Moves the server's time forward."},
    {.name = "ttlRunNow",
     .place = Place::kWorker,
     .flags = kTestOnly | kNoApiVersion,
     .run = RunTtlNow,
     .arguments = {},
     .help = "Removes everything that is due and says how many documents that were."},
};

}  // namespace

std::span<const CommandRow> ExpiryCommands() { return kRows; }

}  // namespace mayfly::commands

// setClock and ttlRunNow: expiry without waiting, for tests of any client (--enableTestCommands).
#include <optional>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/families.h"
#include "ttl/service.h"

namespace mayfly::commands {
namespace {

// A hundred years: enough for any lifetime, far from the limits of dates.
constexpr int64_t kMaxAdvanceMs = int64_t{100} * 366 * 24 * 3600 * 1000;

// Reads {advanceMS: n}, the value of the command's own field.
absl::StatusOr<int64_t> ReadAdvance(bson::ValueView target) {
  if (!target.IsDocument()) return WrongTypeError("setClock", "setClock", target.type(), "object");
  std::optional<int64_t> advance_ms;
  for (const auto& [key, value] : target.AsDocument()) {
    if (key != "advanceMS") {
      return base::Error(40415,
                         base::StrCat("BSON field 'setClock.", key, "' is an unknown field."));
    }
    if (!value.IsNumber()) {
      return WrongTypeError("setClock", "advanceMS", value.type(), "[long, int, decimal, double]");
    }
    advance_ms = bson::ToInt64Truncated(value);
  }
  if (!advance_ms.has_value()) {
    return base::Error(40414, "BSON field 'setClock.advanceMS' is missing but a required field");
  }
  if (*advance_ms < 0 || *advance_ms > kMaxAdvanceMs) {
    return base::Error(base::ErrorCode::kBadValue,
                       "advanceMS must be between 0 and a hundred years");
  }
  return *advance_ms;
}

absl::Status RunSetClock(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const int64_t advance_ms, ReadAdvance(arguments.target()));
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
     .arguments = {},
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

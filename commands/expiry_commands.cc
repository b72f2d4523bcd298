// ttlResume: removal goes on after the clock has jumped. setClock and ttlRunNow: expiry without
// waiting, for tests of any client (--enableTestCommands).
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/families.h"
#include "ttl/service.h"

namespace mayfly::commands {
namespace {

// A hundred years: enough for any lifetime, far from the limits of dates.
constexpr int64_t kMaxMoveMs = int64_t{100} * 366 * 24 * 3600 * 1000;

struct ClockMove {
  int64_t advance_ms = 0;  // time passes
  int64_t jump_ms = 0;     // the clock is set
};

// Reads {advanceMS: n} or {jumpMS: n}, the value of the command's own field.
absl::StatusOr<ClockMove> ReadMove(bson::ValueView target) {
  if (!target.IsDocument()) return WrongTypeError("setClock", "setClock", target.type(), "object");
  ClockMove move;
  for (const auto& [key, value] : target.AsDocument()) {
    if (key != "advanceMS" && key != "jumpMS") {
      return base::Error(40415,
                         base::StrCat("BSON field 'setClock.", key, "' is an unknown field."));
    }
    if (!value.IsNumber()) {
      return WrongTypeError("setClock", key, value.type(), "[long, int, decimal, double]");
    }
    (key == "jumpMS" ? move.jump_ms : move.advance_ms) = bson::ToInt64Truncated(value);
  }
  if (target.AsDocument().empty()) {
    return base::Error(40414, "BSON field 'setClock.advanceMS' is missing but a required field");
  }
  if (move.advance_ms < 0 || move.advance_ms > kMaxMoveMs) {
    return base::Error(base::ErrorCode::kBadValue,
                       "advanceMS must be between 0 and a hundred years");
  }
  if (move.jump_ms < -kMaxMoveMs || move.jump_ms > kMaxMoveMs) {
    return base::Error(base::ErrorCode::kBadValue, "jumpMS must be within a hundred years");
  }
  return move;
}

absl::Status RunSetClock(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const ClockMove move, ReadMove(arguments.target()));
  if (context.services.adjustable_clock == nullptr) {
    return base::Error(base::ErrorCode::kIllegalOperation, "the server's clock cannot be moved");
  }
  context.services.adjustable_clock->AdvanceMs(move.advance_ms);
  context.services.adjustable_clock->JumpMs(move.jump_ms);
  context.services.ttl.OnClockMoved();
  reply.Date("now", context.services.clock.NowMs());
  return absl::OkStatus();
}

absl::Status RunTtlResume(CommandContext& context, const Arguments&, bson::Builder& reply) {
  reply.Bool("resumed", context.services.ttl.ConfirmClock());
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
     .help = "Moves the server's time forward, or sets its clock."},
    {.name = "ttlResume",
     .place = Place::kConnection,
     .flags = kNoApiVersion,
     .run = RunTtlResume,
     .arguments = {},
     .help = "Confirms the clock after a jump, so that removal of expired documents goes on."},
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

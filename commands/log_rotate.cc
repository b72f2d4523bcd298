// logRotate: begins a new log file, so that the old one can be moved away.
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

absl::Status RunLogRotate(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const bson::ValueView target = arguments.target();
  if (target.IsString() && target.AsString() != "server") {
    return Error(ErrorCode::kNoSuchKey,
                 base::StrCat("Unknown log type for logRotate: ", target.AsString()));
  }
  if (target.IsNullish()) {
    return Error(ErrorCode::kTypeMismatch,
                 "BSON field 'logRotate.logRotate' is the wrong type 'null', expected types "
                 "'[bool, string, int, decimal, double, long]'");
  }
  if (!target.IsString() && !target.IsBool() && !target.IsNumber()) {
    return WrongTypeError("logRotate", "logRotate", target.type(),
                          "[bool, string, int, decimal, double, long]");
  }
  return base::RotateLog(context.now_ms);
}

constexpr CommandRow kRows[] = {
    {.name = "logRotate",
     .place = Place::kWorker,
     .flags = kAdminOnly | kNoApiVersion | kNoConcerns,
     .run = RunLogRotate,
     .help = "Begins a new log file; the old one is kept under its name and the time."},
};

}  // namespace

std::span<const CommandRow> LogRotateCommands() { return kRows; }

}  // namespace mayfly::commands

// getLog: the newest lines of the log, in the form of mongod's.
#include "absl/time/time.h"
#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

struct LogRow {
  std::string_view name;
  base::LogLines (*read)();
};

constexpr LogRow kLogs[] = {
    {"global", base::RecentLogLines},
    {"startupWarnings", base::StartupWarnings},
};

// {"t": {"$date": ...}, "s": "I", "c": "TTL", "id": 0, "ctx": "main", "msg": ...}
std::string ToJson(const base::LogLine& line) {
  bson::Builder builder;
  builder.OpenDocument("t");
  builder.String("$date",
                 absl::FormatTime("%Y-%m-%dT%H:%M:%E3S%Ez", absl::FromUnixMillis(line.time_ms),
                                  absl::UTCTimeZone()));
  builder.Close().String("s", std::string_view(&line.severity, 1)).String("c", line.component);
  builder.Int32("id", 0).String("ctx", "mayfly").String("msg", line.text);
  return bson::ToRelaxedJson(builder.Finish());
}

void AppendNames(bson::Builder& reply) {
  reply.OpenArray("names");
  for (const LogRow& row : kLogs) reply.PushString(row.name);
  reply.Close();
}

absl::Status RunGetLog(CommandContext&, const Arguments& arguments, bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 "BSON field 'getLog.getLog' is missing but a required field");
  }
  if (!target.IsString()) return WrongTypeError("getLog", "getLog", target.type(), "string");
  if (target.AsString() == "*") {
    AppendNames(reply);
    return absl::OkStatus();
  }
  for (const LogRow& row : kLogs) {
    if (row.name != target.AsString()) continue;
    const base::LogLines log = row.read();
    reply.Int64("totalLinesWritten", log.total).OpenArray("log");
    for (const base::LogLine& line : log.lines) reply.PushString(ToJson(line));
    reply.Close();
    return absl::OkStatus();
  }
  return Error(ErrorCode::kOperationFailed, StrCat("No log named '", target.AsString(), "'"));
}

constexpr CommandRow kRows[] = {
    {.name = "getLog",
     .place = Place::kWorker,
     .flags = kAdminOnly | kNoApiVersion | kNoConcerns,
     .run = RunGetLog,
     .help = "The newest lines of the log, or the warnings of the start."},
};

}  // namespace

std::span<const CommandRow> GetLogCommands() { return kRows; }

}  // namespace mayfly::commands

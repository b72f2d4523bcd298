// getDefaultRWConcern, setDefaultRWConcern: the concerns of commands that bring none. With one
// member every acknowledged write is a majority's, so all of them come to the same here.
#include <array>
#include <mutex>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/concerns.h"
#include "commands/families.h"
#include "commands/kept_settings.h"
#include "commands/replica_set.h"
#include "commands/state.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr int kNotOnStandalone = 51300;

constexpr std::array kGetArguments = {
    ArgSpec{"inMemory", ArgType::kBool, ArgUse::kOptional, "as this member has them in memory"},
};
constexpr std::array kSetArguments = {
    ArgSpec{"defaultReadConcern", ArgType::kDocument, ArgUse::kOptional,
            "level for reads; an empty document: none"},
    ArgSpec{"defaultWriteConcern", ArgType::kDocument, ArgUse::kOptional, "concern of writes"},
};

absl::Status CheckTopology(const CommandContext& context, std::string_view command) {
  if (context.services.facts.replica_set) return absl::OkStatus();
  return Error(kNotOnStandalone, StrCat("'", command, "' is not supported on standalone nodes."));
}

void Append(const CommandContext& context, bson::Builder& reply) {
  const std::lock_guard lock(context.state->mutex);
  const DefaultConcerns& concerns = context.state->default_concerns;
  reply.OpenDocument("defaultReadConcern");
  if (concerns.read.has_value()) {
    reply.AppendAll(*concerns.read);
  } else {
    reply.String("level", "local");
  }
  reply.Close().OpenDocument("defaultWriteConcern");
  if (concerns.write.has_value()) {
    reply.AppendAll(*concerns.write);
  } else {
    reply.String("w", "majority").Int32("wtimeout", 0);
  }
  reply.Close();
  if (concerns.set_ms != 0) {
    reply.Timestamp("updateOpTime", concerns.set_time);
    reply.Date("updateWallClockTime", concerns.set_ms);
  }
  reply.String("defaultReadConcernSource", concerns.read.has_value() ? "global" : "implicit");
  reply.String("defaultWriteConcernSource", concerns.write.has_value() ? "global" : "implicit");
  reply.Date("localUpdateWallClockTime",
             concerns.set_ms != 0 ? concerns.set_ms : context.services.facts.start_ms);
}

absl::Status RunGet(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckTopology(context, "getDefaultRWConcern"));
  Append(context, reply);
  if (arguments.Flag(ArgIndex(kGetArguments, "inMemory"))) reply.Bool("inMemory", true);
  return absl::OkStatus();
}

absl::Status CheckRead(bson::ValueView concern) {
  MAYFLY_RETURN_IF_ERROR(CheckReadConcern(concern, /*replica_set=*/true));
  for (const bson::Element& element : concern.AsDocument()) {
    if (element.key != "level") {
      return Error(ErrorCode::kBadValue, StrCat("The default read concern can only have the field "
                                                "'level', not '",
                                                element.key, "'"));
    }
    const std::string_view level = element.value.IsString() ? element.value.AsString() : "";
    if (level != "local" && level != "available" && level != "majority") {
      return Error(ErrorCode::kBadValue,
                   StrCat("level: '", level, "' is not suitable for the default read concern"));
    }
  }
  return absl::OkStatus();
}

// The concern with its defaults filled in, as it is shown.
absl::StatusOr<bson::Document> ReadWrite(bson::ValueView concern) {
  const bson::View document = concern.AsDocument();
  const bson::ValueView w = document.Find("w");
  if (w.IsNull()) {
    return Error(ErrorCode::kUnknownReplWriteConcern, "No write concern mode named ''");
  }
  MAYFLY_ASSIGN_OR_RETURN(const WriteConcern parsed, ParseWriteConcern(concern));
  if (document.empty()) {
    return Error(ErrorCode::kIllegalOperation,
                 "The default write concern cannot be unset once it is set through "
                 "setDefaultRWConcern.");
  }
  if (w.IsMissing() || !parsed.acknowledged) {
    return Error(ErrorCode::kBadValue, "The default write concern needs a 'w' other than 0");
  }
  if (parsed.unsatisfied.has_value()) return *parsed.unsatisfied;
  bson::Builder result;
  result.Append("w", w);
  if (document.Has("j")) result.Append("j", document.Find("j"));
  const bson::ValueView timeout = document.Find("wtimeout");
  result.Int32("wtimeout",
               timeout.IsNumber() ? static_cast<int32_t>(bson::ToInt64Truncated(timeout)) : 0);
  return result.Finish();
}

absl::Status RunSet(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckTopology(context, "setDefaultRWConcern"));
  const bson::ValueView read = arguments[ArgIndex(kSetArguments, "defaultReadConcern")];
  const bson::ValueView write = arguments[ArgIndex(kSetArguments, "defaultWriteConcern")];
  if (read.IsMissing() && write.IsMissing()) {
    return Error(ErrorCode::kBadValue,
                 "At least one of the \"defaultReadConcern\" or \"defaultWriteConcern\" fields "
                 "must be present");
  }
  if (!read.IsMissing()) MAYFLY_RETURN_IF_ERROR(CheckRead(read));
  std::optional<bson::Document> new_write;
  if (!write.IsMissing()) {
    MAYFLY_ASSIGN_OR_RETURN(new_write, ReadWrite(write));
  }
  // Of two at once neither may take the other's concern back.
  const std::lock_guard setting(context.state->kept_settings_mutex);
  DefaultConcerns concerns;
  {
    const std::lock_guard lock(context.state->mutex);
    concerns = context.state->default_concerns;
  }
  if (!read.IsMissing()) {
    concerns.read.reset();
    if (!read.AsDocument().empty()) concerns.read = bson::Document(read.AsDocument());
  }
  if (new_write.has_value()) concerns.write = std::move(new_write);
  concerns.set_ms = context.now_ms;
  concerns.set_time = context.state->NextChangeTime(context.now_ms);
  MAYFLY_RETURN_IF_ERROR(KeepDefaultConcerns(context.services, concerns));
  {
    const std::lock_guard lock(context.state->mutex);
    context.state->default_concerns = std::move(concerns);
  }
  Append(context, reply);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "getDefaultRWConcern",
     .flags = kAdminOnly | kNoApiVersion,
     .run = RunGet,
     .arguments = kGetArguments,
     .help = "The read and write concerns of commands that bring none."},
    {.name = "setDefaultRWConcern",
     .place = Place::kWritingWorker,
     .flags = kAdminOnly | kNoApiVersion | kTakesWriteConcern,
     .run = RunSet,
     .arguments = kSetArguments,
     .help = "Sets them; they outlive the process."},
};

}  // namespace

std::span<const CommandRow> DefaultConcernCommands() { return kRows; }

}  // namespace mayfly::commands

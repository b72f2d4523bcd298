// updateTimeToLive and describeTimeToLive: expiry by the Unix seconds in an attribute.
#include "base/status.h"
#include "base/strings.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"timeToLiveSpecification", ArgType::kDocument, ArgUse::kRequired,
            "{enabled, attributeName}"},
};

constexpr std::array kSpecification = {
    ArgSpec{"enabled", ArgType::kBool, ArgUse::kRequired, "on or off"},
    ArgSpec{"attributeName", ArgType::kString, ArgUse::kRequired,
            "root-level field with Unix seconds"},
};

absl::Status CheckAttribute(std::string_view attribute) {
  const bool root_level = !attribute.empty() && attribute.front() != '$' &&
                          attribute.find('.') == std::string_view::npos &&
                          attribute.find('\0') == std::string_view::npos;
  if (root_level) return absl::OkStatus();
  return Error(ErrorCode::kBadValue,
               StrCat("attributeName must name a root-level field, not '", attribute, "'"));
}

// 2 BadValue unless the change makes a difference.
absl::Status CheckChange(const engine::EpochRule& rule, bool enabled, std::string_view attribute) {
  if (enabled && rule.attribute == attribute) {
    return Error(ErrorCode::kBadValue,
                 StrCat("time to live is already enabled for attribute '", attribute, "'"));
  }
  if (enabled && rule.is_on()) {
    return Error(ErrorCode::kBadValue,
                 StrCat("time to live is enabled for attribute '", rule.attribute,
                        "'; disable it before it is enabled for another one"));
  }
  if (!enabled && !rule.is_on()) {
    return Error(ErrorCode::kBadValue, "time to live is already disabled");
  }
  if (!enabled && rule.attribute != attribute) {
    return Error(ErrorCode::kBadValue, StrCat("time to live is enabled for attribute '",
                                              rule.attribute, "', not for '", attribute, "'"));
  }
  return absl::OkStatus();
}

absl::Status RunUpdate(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(
      const Arguments specification,
      Arguments::ParseFields(arguments.Document(0), "updateTimeToLive.timeToLiveSpecification",
                             kSpecification));
  const bool enabled = specification.Flag(ArgIndex(kSpecification, "enabled"));
  const std::string_view attribute =
      specification.String(ArgIndex(kSpecification, "attributeName"));
  MAYFLY_RETURN_IF_ERROR(CheckAttribute(attribute));
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindExisting(context, arguments));
  MAYFLY_RETURN_IF_ERROR(CheckChange(collection->epoch_rule(), enabled, attribute));
  MAYFLY_RETURN_IF_ERROR(context.catalog->SetEpochAttribute(
      *context.transaction, *collection, enabled ? attribute : std::string_view()));
  NotifyRulesChanged(context, context.database_name());
  reply.OpenDocument("timeToLiveSpecification").Bool("enabled", enabled);
  reply.String("attributeName", attribute).Close();
  return absl::OkStatus();
}

absl::Status RunDescribe(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindExisting(context, arguments));
  const engine::EpochRule& rule = collection->epoch_rule();
  reply.OpenDocument("timeToLiveDescription");
  reply.String("timeToLiveStatus", rule.is_on() ? "ENABLED" : "DISABLED");
  if (rule.is_on()) reply.String("attributeName", rule.attribute);
  reply.Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "describeTimeToLive",
     .place = Place::kRead,
     .flags = kNoApiVersion,
     .run = RunDescribe,
     .arguments = {},
     .help = "Says by which attribute's Unix seconds documents expire, if by any."},
    {.name = "updateTimeToLive",
     .place = Place::kWrite,
     .flags = kNoApiVersion,
     .run = RunUpdate,
     .arguments = kArguments,
     .help = "Switches expiry by the Unix seconds in an attribute on or off."},
};

}  // namespace

std::span<const CommandRow> TimeToLiveCommands() { return kRows; }

}  // namespace mayfly::commands

// connPoolStats, dropConnections: connections of this server to others, of which it has none.
#include <array>
#include <charconv>

#include "base/status.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

absl::Status RunConnPoolStats(CommandContext&, const Arguments&, bson::Builder& reply) {
  for (const std::string_view name :
       {"numClientConnections", "numAScopedConnections", "totalInUse", "totalAvailable",
        "totalLeased", "totalCreated", "totalRefreshing"}) {
    reply.Int32(name, 0);
  }
  reply.OpenDocument("pools").Close().OpenDocument("hosts").Close();
  reply.OpenDocument("replicaSets").Close();
  return absl::OkStatus();
}

constexpr std::array kDropArguments = {
    ArgSpec{"hostAndPort", ArgType::kArray, ArgUse::kRequired, "servers to part from"},
};

// "host", "host:port", "[ipv6]:port". What has no colon is taken without a look.
absl::Status CheckHostAndPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (text.empty() || colon == 0) {
    return Error(ErrorCode::kFailedToParse,
                 StrCat("Empty host component parsing HostAndPort from \"", text, "\""));
  }
  if (colon == std::string_view::npos || text.back() == ']') return absl::OkStatus();
  const std::string_view digits = text.substr(colon + 1);
  int port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port <= 0 || port > 65535) {
    return Error(ErrorCode::kFailedToParse,
                 StrCat("Port number \"", digits, "\" is out of range parsing HostAndPort from \"",
                        text, "\""));
  }
  return absl::OkStatus();
}

absl::Status RunDropConnections(CommandContext&, const Arguments& arguments, bson::Builder&) {
  const bson::ValueView hosts = arguments[ArgIndex(kDropArguments, "hostAndPort")];
  for (const bson::Element& element : hosts.AsDocument()) {
    if (element.value.IsNullish()) continue;
    if (!element.value.IsString()) {
      return WrongTypeError("dropConnections", StrCat("hostAndPort.", element.key),
                            element.value.type(), "string");
    }
    MAYFLY_RETURN_IF_ERROR(CheckHostAndPort(element.value.AsString()));
  }
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "connPoolStats",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunConnPoolStats,
     .help = "Connections to other servers, of which there are none."},
    {.name = "dropConnections",
     .flags = kAdminOnly | kNoApiVersion,
     .run = RunDropConnections,
     .arguments = kDropArguments,
     .help = "Ends connections to other servers."},
};

}  // namespace

std::span<const CommandRow> ConnectionPoolCommands() { return kRows; }

}  // namespace mayfly::commands

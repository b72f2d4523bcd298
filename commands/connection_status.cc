// connectionStatus, whatsmyuri, logout: the connection a command came by.
#include <array>

#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

constexpr std::array kStatusArguments = {
    ArgSpec{"showPrivileges", ArgType::kFlag, ArgUse::kOptional, "show what the users may do"},
};

// A stable UUID of the connection: version 8, the process and the connection in it.
std::array<char, 16> ConnectionUuid(const CommandContext& context) {
  std::array<char, 16> uuid{};
  const auto& process = context.services.facts.topology_process_id.bytes;
  for (size_t i = 0; i < 8; ++i) uuid[i] = static_cast<char>(process[i + 4]);
  const auto id = static_cast<uint64_t>(context.client().connection_id);
  for (size_t i = 0; i < 7; ++i) uuid[15 - i] = static_cast<char>(id >> (8 * i));
  uuid[6] = static_cast<char>((uuid[6] & 0x0F) | 0x80);
  uuid[8] = static_cast<char>(0x80);
  return uuid;
}

absl::Status RunConnectionStatus(CommandContext& context, const Arguments& arguments,
                                 bson::Builder& reply) {
  reply.OpenDocument("authInfo").OpenArray("authenticatedUsers").Close();
  reply.OpenArray("authenticatedUserRoles").Close();
  if (arguments.Flag(ArgIndex(kStatusArguments, "showPrivileges"))) {
    reply.OpenArray("authenticatedUserPrivileges").Close();
  }
  reply.Close();
  const auto uuid = ConnectionUuid(context);
  reply.Binary("uuid", bson::kBinaryUuid, {uuid.data(), uuid.size()});
  return absl::OkStatus();
}

absl::Status RunWhatsMyUri(CommandContext& context, const Arguments&, bson::Builder& reply) {
  reply.String("you", context.client().remote);
  return absl::OkStatus();
}

// Nobody is logged in, so there is nothing to undo.
absl::Status RunLogout(CommandContext&, const Arguments&, bson::Builder&) {
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "connectionStatus",
     .run = RunConnectionStatus,
     .arguments = kStatusArguments,
     .help = "Who is logged in at this connection."},
    {.name = "whatsmyuri",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunWhatsMyUri,
     .help = "The address of the client as the server sees it."},
    {.name = "logout",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunLogout,
     .help = "Logs the users of this database out of this connection."},
};

}  // namespace

std::span<const CommandRow> ConnectionCommands() { return kRows; }

}  // namespace mayfly::commands

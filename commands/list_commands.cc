// listCommands: every command of this server, from the registry.
#include "commands/command.h"
#include "commands/families.h"
#include "commands/registry.h"

namespace mayfly::commands {
namespace {

void Describe(const CommandRow& row, bson::Builder& reply) {
  reply.OpenDocument(row.name).String("help", row.help).Bool("requiresAuth", false);
  reply.Bool("secondaryOk", row.place != Place::kWrite);
  reply.Bool("adminOnly", (row.flags & kAdminOnly) != 0);
  reply.OpenArray("apiVersions");
  if ((row.flags & kNoApiVersion) == 0) reply.PushString("1");
  reply.Close().OpenArray("deprecatedApiVersions").Close();
  if (!row.alias.empty()) reply.OpenArray("aliases").PushString(row.alias).Close();
  reply.Close();
}

absl::Status RunListCommands(CommandContext& context, const Arguments&, bson::Builder& reply) {
  const Registry registry;
  reply.OpenDocument("commands");
  for (const CommandRow* row : registry.rows()) {
    if ((row->flags & kUnsupported) != 0) continue;
    if ((row->flags & kTestOnly) != 0 && !context.services.facts.test_commands) continue;
    Describe(*row, reply);
  }
  reply.Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "listCommands",
     .flags = kAnyFields | kNoApiVersion,
     .run = RunListCommands,
     .help = "Every command with its help."},
};

}  // namespace

std::span<const CommandRow> ListCommandsCommands() { return kRows; }

}  // namespace mayfly::commands

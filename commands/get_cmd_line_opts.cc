// getCmdLineOpts: how this server was started.
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

absl::Status RunGetCmdLineOpts(CommandContext& context, const Arguments&, bson::Builder& reply) {
  const ServerFacts& facts = context.services.facts;
  reply.OpenArray("argv");
  for (const std::string& argument : facts.argv) reply.PushString(argument);
  reply.Close();
  const bson::View parsed = facts.parsed_options.empty()
                                ? bson::View()
                                : bson::View(std::string_view(facts.parsed_options));
  reply.Document("parsed", parsed);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "getCmdLineOpts",
     .flags = kAdminOnly | kNoApiVersion,
     .run = RunGetCmdLineOpts,
     .help = "The command line of this server, as given and as understood."},
};

}  // namespace

std::span<const CommandRow> GetCmdLineOptsCommands() { return kRows; }

}  // namespace mayfly::commands

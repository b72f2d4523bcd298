// ping: answers, and so shows that the server does.
#include "commands/command.h"
#include "commands/families.h"

namespace mayfly::commands {
namespace {

absl::Status RunPing(CommandContext&, const Arguments&, bson::Builder&) { return absl::OkStatus(); }

constexpr CommandRow kRows[] = {
    {.name = "ping", .run = RunPing, .help = "Answers at once, whatever the server is doing."},
};

}  // namespace

std::span<const CommandRow> PingCommands() { return kRows; }

}  // namespace mayfly::commands

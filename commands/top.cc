// top: how long collections were read and written.
#include "commands/command.h"
#include "commands/families.h"
#include "commands/state.h"

namespace mayfly::commands {
namespace {

void Append(std::string_view name, const Usage& usage, bson::Builder& reply) {
  reply.OpenDocument(name).Int64("time", usage.time_us).Int64("count", usage.count).Close();
}

absl::Status RunTop(CommandContext& context, const Arguments&, bson::Builder& reply) {
  reply.OpenDocument("totals").String("note", "all times in microseconds");
  context.state->usage.ForEach([&](std::string_view ns, const NamespaceUsage& usage) {
    reply.OpenDocument(ns);
    Append("total",
           {.time_us = usage.reading.time_us + usage.writing.time_us,
            .count = usage.reading.count + usage.writing.count},
           reply);
    Append("readLock", usage.reading, reply);
    Append("writeLock", usage.writing, reply);
    for (size_t i = 0; i < kUsageKinds; ++i) {
      Append(UsageName(static_cast<UsageKind>(i)), usage.kinds[i], reply);
    }
    reply.Close();
  });
  reply.Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "top",
     .place = Place::kWorker,
     .flags = kAdminOnly | kAnyFields | kNoApiVersion | kNoConcerns,
     .run = RunTop,
     .help = "How often and how long each collection was read and written."},
};

}  // namespace

std::span<const CommandRow> TopCommands() { return kRows; }

}  // namespace mayfly::commands

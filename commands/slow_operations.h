// Operations that the command `profile` asks to know about: slow ones are logged, and written to
// the collection system.profile of their database at the levels 1 and 2.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "bson/value.h"
#include "commands/command.h"

namespace mayfly::commands {

// What is known of a command that has ended.
struct EndedOperation {
  std::string_view command;  // its name
  std::string_view kind;     // "query", "insert", "command" ...
  std::string_view collection;
  int64_t time_us = 0;
  int64_t response_bytes = 0;
  const absl::Status& status;
};

// Logs it if it is slow or the filter asks for it. Returns what is to be written to
// system.profile, if anything is.
std::optional<bson::Document> NoteOperation(const CommandContext& context,
                                            const EndedOperation& operation);

// Writes `record` to system.profile of the context's database, which is made if it is missing, and
// then calls `done`. A failure is logged.
void WriteProfile(const CommandContext& context, bson::Document record, std::function<void()> done);

}  // namespace mayfly::commands

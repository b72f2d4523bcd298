// Operations that took longer than the command `profile` allows are logged.
#pragma once

#include <cstdint>

#include "commands/command.h"

namespace mayfly::commands {

// `time_us`: how long the command of this context took.
void LogIfSlow(const CommandContext& context, int64_t time_us);

}  // namespace mayfly::commands

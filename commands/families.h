// The one list of command families. A new command file adds its function here.
#pragma once

#include <array>
#include <span>

#include "commands/registry.h"

namespace mayfly::commands {

std::span<const CommandRow> HelloCommands();
std::span<const CommandRow> InsertCommands();

inline constexpr std::array<Family, 2> kFamilies = {
    HelloCommands,
    InsertCommands,
};

}  // namespace mayfly::commands

// The one list of command families. A new command file adds its function here.
#pragma once

#include <array>
#include <span>

#include "commands/registry.h"

namespace mayfly::commands {

std::span<const CommandRow> AggregateCommands();
std::span<const CommandRow> BulkWriteCommands();
std::span<const CommandRow> CollModCommands();
std::span<const CommandRow> CountCommands();
std::span<const CommandRow> CreateCommands();
std::span<const CommandRow> CursorCommands();
std::span<const CommandRow> ExpiryCommands();
std::span<const CommandRow> ExplainCommands();
std::span<const CommandRow> FindAndModifyCommands();
std::span<const CommandRow> FindCommands();
std::span<const CommandRow> HelloCommands();
std::span<const CommandRow> IndexCommands();
std::span<const CommandRow> InsertCommands();
std::span<const CommandRow> ListCommands();
std::span<const CommandRow> PingCommands();
std::span<const CommandRow> StatisticsCommands();
std::span<const CommandRow> UpdateCommands();
std::span<const CommandRow> ValidateCommands();

inline constexpr std::array kFamilies = {
    Family{AggregateCommands},  Family{BulkWriteCommands}, Family{CollModCommands},
    Family{CountCommands},      Family{CreateCommands},    Family{CursorCommands},
    Family{ExpiryCommands},     Family{ExplainCommands},   Family{FindAndModifyCommands},
    Family{FindCommands},       Family{HelloCommands},     Family{IndexCommands},
    Family{InsertCommands},     Family{ListCommands},      Family{PingCommands},
    Family{StatisticsCommands}, Family{UpdateCommands},    Family{ValidateCommands},
};

}  // namespace mayfly::commands

// Collections and databases as lists of them show them.
#pragma once

#include <string>
#include <vector>

#include "bson/builder.h"
#include "commands/command.h"

namespace mayfly::commands {

// `type`, and unless `name_only` what else listCollections says, into the open document.
void AppendDescription(const engine::Collection& collection, bool name_only,
                       bson::Builder& builder);

// In order of name, with those that every server has.
std::vector<std::string> AllDatabases(CommandContext& context);

}  // namespace mayfly::commands

// All commands by name, from one explicit list of families.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "commands/command.h"

namespace mayfly::commands {

// Immutable once made; thread-safe.
class Registry {
 public:
  // From the families in families.h.
  Registry();
  // Null if there is none. Names are compared exactly, as MongoDB does, but for the few aliases.
  const CommandRow* Find(std::string_view name) const;
  // In order of name.
  const std::vector<const CommandRow*>& rows() const { return rows_; }

 private:
  absl::flat_hash_map<std::string_view, const CommandRow*> by_name_;
  std::vector<const CommandRow*> rows_;
};

// One function for each command file; the list is in registry.cc.
using Family = std::span<const CommandRow> (*)();

}  // namespace mayfly::commands

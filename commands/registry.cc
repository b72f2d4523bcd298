#include "commands/registry.h"

#include <algorithm>

#include "commands/families.h"

namespace mayfly::commands {

Registry::Registry() {
  for (const Family family : kFamilies) {
    for (const CommandRow& row : family()) {
      rows_.push_back(&row);
      by_name_.emplace(row.name, &row);
      if (!row.alias.empty()) by_name_.emplace(row.alias, &row);
    }
  }
  std::sort(rows_.begin(), rows_.end(),
            [](const CommandRow* a, const CommandRow* b) { return a->name < b->name; });
}

const CommandRow* Registry::Find(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

}  // namespace mayfly::commands

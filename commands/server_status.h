// The sections of serverStatus as rows. A section is shown unless the command says {name: 0};
// those that are not so by default only with {name: 1}.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bson/builder.h"
#include "commands/command.h"
#include "ttl/backlog.h"

namespace mayfly::commands {

// What several sections need and what is found out once for a command.
struct StatusFacts {
  int64_t databases = 0;
  int64_t collections = 0;
  int64_t views = 0;
  int64_t capped = 0;
  int64_t system_collections = 0;
  int64_t system_views = 0;
  int64_t queued_operations = 0;
  int64_t file_bytes = 0;
  int64_t log_bytes = 0;
  int64_t free_bytes = 0;
  int64_t commits = 0;
  ttl::Backlog backlog;
};

// Appends the fields of a section to its open document.
using AppendSection = void (*)(CommandContext& context, const StatusFacts& facts,
                               bson::Builder& out);

struct StatusSection {
  std::string_view name;
  AppendSection append;
  bool by_default = true;
  bool replica_set_only = false;
};

// In order of name.
std::span<const StatusSection> StatusSections();
// The sections of `metrics`.
std::span<const StatusSection> MetricsSections();

}  // namespace mayfly::commands

// How often and how long collections and kinds of operations are used: what top and serverStatus
// show.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace mayfly::commands {

enum class UsageKind : uint8_t { kQueries, kGetMore, kInsert, kUpdate, kRemove, kCommands };
inline constexpr size_t kUsageKinds = 6;
// The name in top's reply.
std::string_view UsageName(UsageKind kind);
// The kind of the command of that name.
UsageKind UsageKindOf(std::string_view command);

struct Usage {
  int64_t time_us = 0;
  int64_t count = 0;
};

struct NamespaceUsage {
  std::array<Usage, kUsageKinds> kinds;
  Usage reading;
  Usage writing;
};

// Thread-safe.
class UsageStatistics {
 public:
  // Collections beyond that many are not counted: names come from clients.
  static constexpr size_t kMaxNamespaces = 10'000;

  struct Sample {
    std::string_view database;
    std::string_view collection;
    UsageKind kind = UsageKind::kCommands;
    bool writing = false;
    int64_t time_us = 0;
  };
  void Add(const Sample& sample);
  // After a command: if it is one that drops, what it dropped is not shown any more.
  void ForgetIfDropped(std::string_view command, std::string_view database,
                       std::string_view collection);
  // Of one collection; zero if it was not used.
  NamespaceUsage Of(std::string_view database, std::string_view collection) const;
  // In order of name.
  void ForEach(const std::function<void(std::string_view ns, const NamespaceUsage&)>& visit) const;
  // All collections together.
  NamespaceUsage Total() const;

 private:
  static void AddTo(NamespaceUsage* usage, const Sample& sample);

  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, NamespaceUsage> by_namespace_;
  std::string key_;  // of the sample at hand, kept for its memory
  NamespaceUsage total_;
};

}  // namespace mayfly::commands

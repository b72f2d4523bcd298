// How often and how long collections and kinds of operations are used: what top and serverStatus
// show.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "bson/builder.h"

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

// The three groups of $collStats and serverStatus.
enum class LatencyKind : uint8_t { kReads, kWrites, kCommands };
inline constexpr size_t kLatencyKinds = 3;
// The group of the command of that name: reads are find, getMore, aggregate, count and distinct,
// writes what changes documents by a command on documents.
LatencyKind LatencyKindOf(std::string_view command);

// How many operations took how long. Not thread-safe.
class Latencies {
 public:
  // The lower bounds of MongoDB's buckets, in microseconds: powers of two, and from 2,048 on also
  // the middles between them, up to two seconds.
  static constexpr size_t kBuckets = 51;
  static std::span<const int64_t, kBuckets> LowerBounds();

  void Add(int64_t time_us);
  const Usage& total() const { return total_; }
  // {micros: lower bound, count: n} of each bucket that is not empty, in order.
  void AppendHistogram(bson::Builder& array) const;

 private:
  Usage total_;
  std::vector<int64_t> counts_;  // up to the last bucket that is not empty
};

struct NamespaceUsage {
  std::array<Usage, kUsageKinds> kinds;
  Usage reading;
  Usage writing;
  std::array<Latencies, kLatencyKinds> latencies;
};

// reads, writes, commands, transactions: {latency: microseconds in sum, ops: n}, and each one's
// histogram if asked for.
void AppendLatencies(const NamespaceUsage& usage, bool histograms, bson::Builder& out);

// Thread-safe.
class UsageStatistics {
 public:
  // Collections beyond that many are not counted: names come from clients.
  static constexpr size_t kMaxNamespaces = 10'000;

  struct Sample {
    std::string_view database;
    std::string_view collection;
    UsageKind kind = UsageKind::kCommands;
    LatencyKind latency_kind = LatencyKind::kCommands;
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

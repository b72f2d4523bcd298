#include "commands/usage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace mayfly::commands {
namespace {

struct KindRow {
  std::string_view command;
  UsageKind kind;
};

constexpr KindRow kKindRows[] = {
    {"find", UsageKind::kQueries},  {"getMore", UsageKind::kGetMore},
    {"insert", UsageKind::kInsert}, {"update", UsageKind::kUpdate},
    {"delete", UsageKind::kRemove},
};

constexpr std::array<std::string_view, kUsageKinds> kNames = {"queries", "getmore", "insert",
                                                              "update",  "remove",  "commands"};

struct LatencyRow {
  std::string_view command;
  LatencyKind kind;
};

constexpr LatencyRow kLatencyRows[] = {
    {"find", LatencyKind::kReads},       {"getMore", LatencyKind::kReads},
    {"aggregate", LatencyKind::kReads},  {"count", LatencyKind::kReads},
    {"distinct", LatencyKind::kReads},   {"insert", LatencyKind::kWrites},
    {"update", LatencyKind::kWrites},    {"delete", LatencyKind::kWrites},
    {"bulkWrite", LatencyKind::kWrites}, {"findAndModify", LatencyKind::kWrites},
};

consteval std::array<int64_t, Latencies::kBuckets> MakeLowerBounds() {
  std::array<int64_t, Latencies::kBuckets> bounds{};
  size_t next = 1;  // the first begins with 0
  for (int power = 1; power <= 40; ++power) {
    const int64_t bound = int64_t{1} << power;
    if (power >= 12 && power <= 21) bounds[next++] = bound - bound / 4;
    bounds[next++] = bound;
  }
  return bounds;
}

constexpr std::array<int64_t, Latencies::kBuckets> kLowerBounds = MakeLowerBounds();

void Count(Usage* usage, int64_t time_us) {
  usage->time_us += time_us;
  ++usage->count;
}

}  // namespace

std::string_view UsageName(UsageKind kind) { return kNames[static_cast<size_t>(kind)]; }

UsageKind UsageKindOf(std::string_view command) {
  for (const KindRow& row : kKindRows) {
    if (row.command == command) return row.kind;
  }
  return UsageKind::kCommands;
}

LatencyKind LatencyKindOf(std::string_view command) {
  for (const LatencyRow& row : kLatencyRows) {
    if (row.command == command) return row.kind;
  }
  return LatencyKind::kCommands;
}

std::span<const int64_t, Latencies::kBuckets> Latencies::LowerBounds() { return kLowerBounds; }

void Latencies::Add(int64_t time_us) {
  Count(&total_, time_us);
  const auto above = std::upper_bound(kLowerBounds.begin() + 1, kLowerBounds.end(), time_us);
  const auto bucket = static_cast<size_t>(above - kLowerBounds.begin()) - 1;
  if (bucket >= counts_.size()) counts_.resize(bucket + 1);
  ++counts_[bucket];
}

void Latencies::AppendHistogram(bson::Builder& array) const {
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    array.PushOpenDocument().Int64("micros", kLowerBounds[i]).Int64("count", counts_[i]).Close();
  }
}

void AppendLatencies(const NamespaceUsage& usage, bool histograms, bson::Builder& out) {
  const Latencies none;
  const auto append = [&](std::string_view name, const Latencies& latencies) {
    out.OpenDocument(name);
    if (histograms) {
      out.OpenArray("histogram");
      latencies.AppendHistogram(out);
      out.Close();
    }
    out.Int64("latency", latencies.total().time_us).Int64("ops", latencies.total().count).Close();
  };
  const auto of = [&](LatencyKind kind) -> const Latencies& {
    return usage.latencies[static_cast<size_t>(kind)];
  };
  append("reads", of(LatencyKind::kReads));
  append("writes", of(LatencyKind::kWrites));
  append("commands", of(LatencyKind::kCommands));
  append("transactions", none);
}

NamespaceUsage UsageStatistics::Of(std::string_view database, std::string_view collection) const {
  const std::lock_guard lock(mutex_);
  const auto it = by_namespace_.find(base::StrCat(database, ".", collection));
  return it == by_namespace_.end() ? NamespaceUsage() : it->second;
}

void UsageStatistics::AddTo(NamespaceUsage* usage, const Sample& sample) {
  Count(&usage->kinds[static_cast<size_t>(sample.kind)], sample.time_us);
  Count(sample.writing ? &usage->writing : &usage->reading, sample.time_us);
  usage->latencies[static_cast<size_t>(sample.latency_kind)].Add(sample.time_us);
}

void UsageStatistics::Add(const Sample& sample) {
  const std::lock_guard lock(mutex_);
  AddTo(&total_, sample);
  // What no collection can be called would not make a field of top's reply either.
  if (sample.collection.empty() || sample.collection.find('\0') != std::string_view::npos) return;
  key_.assign(sample.database).append(".").append(sample.collection);
  auto it = by_namespace_.find(key_);
  if (it == by_namespace_.end()) {
    if (by_namespace_.size() >= kMaxNamespaces) return;
    it = by_namespace_.emplace(key_, NamespaceUsage()).first;
  }
  AddTo(&it->second, sample);
}

void UsageStatistics::ForgetIfDropped(std::string_view command, std::string_view database,
                                      std::string_view collection) {
  if (command == "drop") {
    const std::lock_guard lock(mutex_);
    by_namespace_.erase(base::StrCat(database, ".", collection));
  } else if (command == "dropDatabase") {
    const std::string prefix = base::StrCat(database, ".");
    const std::lock_guard lock(mutex_);
    absl::erase_if(by_namespace_,
                   [&](const auto& entry) { return entry.first.starts_with(prefix); });
  }
}

void UsageStatistics::ForEach(
    const std::function<void(std::string_view ns, const NamespaceUsage&)>& visit) const {
  std::vector<std::pair<std::string, NamespaceUsage>> all;
  {
    const std::lock_guard lock(mutex_);
    all.assign(by_namespace_.begin(), by_namespace_.end());
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [ns, usage] : all) visit(ns, usage);
}

NamespaceUsage UsageStatistics::Total() const {
  const std::lock_guard lock(mutex_);
  return total_;
}

}  // namespace mayfly::commands

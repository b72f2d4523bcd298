#include "tools/bench/bars.h"

#include <cstdarg>
#include <cstdio>

namespace mayfly::bench {
namespace {

double Operations(const Result& result) { return result.median(); }
double Documents(const Result& result) { return result.documents_per_second; }
// Of the server: processor time. Of the raw tables: time, as they do nothing but work.
double MicrosecondsOfAllDocuments(const Result& result) {
  return result.target == "raw" ? 1e6 / result.median() : result.cpu_us;
}
double P50(const Result& result) { return result.p50; }
double P99(const Result& result) { return result.p99; }
double Max(const Result& result) { return result.max; }
double CpuShare(const Result& result) { return result.cpu_share; }
double StoredBytes(const Result& result) { return static_cast<double>(result.stored_bytes); }
double AnonymousBytes(const Result& result) { return static_cast<double>(result.rss_anon_bytes); }

// One number of the run. Without a workload: 1, for bars on a number itself.
struct Side {
  const char* workload = nullptr;
  int clients = 1;
  double (*number)(const Result&) = nullptr;
  bool raw = false;
};

struct Bar {
  const char* name;
  Side ours;
  Side baseline;
  double bar;
  bool at_most = false;
};

Side Ours(const char* workload, int clients, double (*number)(const Result&)) {
  return {.workload = workload, .clients = clients, .number = number};
}
Side Raw(const char* workload, int clients, double (*number)(const Result&)) {
  return {.workload = workload, .clients = clients, .number = number, .raw = true};
}

std::vector<Bar> AllBars() {
  std::vector<Bar> bars;
  const auto against_raw = [&bars](const char* name, const char* workload, int clients,
                                   double bar) {
    bars.push_back(
        {name, Ours(workload, clients, Documents), Raw(workload, clients, Documents), bar});
  };
  const auto against_ping = [&bars](const char* name, const char* workload, int clients,
                                    double bar) {
    bars.push_back(
        {name, Ours(workload, clients, Operations), Ours("ping", clients, Operations), bar});
  };
  against_ping("find by _id / ping, 1 client", "find_one_by_id", 1, 0.85);
  against_ping("find by _id / ping, 16", "find_one_by_id", 16, 0.6);
  against_ping("find by _id / ping, 64", "find_one_by_id", 64, 0.6);
  against_ping("insertOne / ping, 1 client", "insert_one", 1, 0.5);
  against_raw("insertOne / raw, 64", "insert_one", 64, 0.5);
  against_raw("insertOne j:true / raw synced, 64", "insert_one_journaled", 64, 0.6);
  against_raw("insertMany 1,000 / raw", "insert_many", 1, 0.5);
  against_raw("insertMany 1,000, 3 indexes / raw", "insert_many_3_indexes", 1, 0.7);
  bars.push_back({"update by _id / insertOne, 16", Ours("update_one_by_id", 16, Operations),
                  Ours("insert_one", 16, Operations), 0.8});
  bars.push_back({"find many 10,000: CPU / raw scan",
                  Ours("find_many", 1, MicrosecondsOfAllDocuments),
                  Raw("find_many", 1, MicrosecondsOfAllDocuments), 2.5, true});
  against_raw("indexed range of 100 / raw", "range_100", 1, 0.5);
  bars.push_back({"count of all: large / 1,000", Ours("count_all", 1, P50),
                  Ours("count_all_small", 1, P50), 2, true});
  against_raw("count of an indexed range / raw", "count_range", 1, 0.3);
  against_raw("$group with $sum / raw parse", "group_sum", 1, 0.25);
  against_raw("sort, limit 10 / raw parse", "sort_limit", 1, 0.5);
  against_raw("deleteMany / raw", "delete_many", 1, 0.4);
  against_raw("2.7 MB in / 10 copies", "large_in", 1, 0.1);
  against_raw("2.7 MB out / 10 copies", "large_out", 1, 0.1);
  bars.push_back(
      {"YCSB A, 64: p99 / p50", Ours("ycsb_a", 64, P99), Ours("ycsb_a", 64, P50), 8, true});
  bars.push_back({"YCSB A, 64: slowest, us", Ours("ycsb_a", 64, Max), {}, 100'000, true});
  bars.push_back({"bytes stored / raw", Ours("range_100", 1, StoredBytes),
                  Raw("range_100", 1, StoredBytes), 1.1, true});
  bars.push_back({"2,000 connections: share of a core",
                  Ours("connections_2000", 1, CpuShare),
                  {},
                  0.25,
                  true});
  bars.push_back({"memory without files after it, bytes",
                  Ours("connections_2000", 1, AnonymousBytes),
                  {},
                  150e6,
                  true});
  return bars;
}

const Result* Find(const std::vector<Result>& results, const Side& side) {
  for (const Result& result : results) {
    const bool is_raw = result.target == "raw";
    if (result.workload == side.workload && result.clients == side.clients && is_raw == side.raw &&
        result.error.empty()) {
      return &result;
    }
  }
  return nullptr;
}

// 0 if it was not measured.
double NumberOf(const std::vector<Result>& results, const Side& side) {
  if (side.workload == nullptr) return 1;
  const Result* result = Find(results, side);
  return result == nullptr ? 0 : side.number(*result);
}

}  // namespace

std::set<std::pair<std::string, int>> WorkloadsOfBars() {
  std::set<std::pair<std::string, int>> wanted;
  for (const Bar& bar : AllBars()) {
    for (const Side& side : {bar.ours, bar.baseline}) {
      if (side.workload != nullptr) wanted.emplace(side.workload, side.clients);
    }
  }
  return wanted;
}

std::string BarTable(const std::vector<Result>& results, int* failed) {
  std::string text;
  char line[160];
  for (const Bar& bar : AllBars()) {
    const double ours = NumberOf(results, bar.ours);
    const double baseline = NumberOf(results, bar.baseline);
    if (ours == 0 || baseline == 0) continue;
    const double ratio = ours / baseline;
    const bool met = bar.at_most ? ratio <= bar.bar : ratio >= bar.bar;
    if (!met) ++*failed;
    snprintf(line, sizeof line, "%-38s %12.4g  %s %-10.4g %s\n", bar.name, ratio,
             bar.at_most ? "<=" : ">=", bar.bar, met ? "met" : "MISSED");
    text += line;
  }
  return text;
}

}  // namespace mayfly::bench

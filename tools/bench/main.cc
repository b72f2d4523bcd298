// The benchmark's command line; README.md shows how it is used.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "tools/bench/bars.h"
#include "tools/bench/report.h"
#include "tools/bench/runner.h"

namespace mayfly::bench {
namespace {

struct Options {
  std::vector<std::string> uris;
  std::vector<std::string> names;
  std::vector<int> pids;
  std::vector<std::string> folders;
  std::vector<std::string> workloads;
  std::vector<int> clients;
  std::vector<std::string> compare;
  std::string json;
  std::string raw_folder = "/tmp";
  bool no_raw = false;
  bool bars = false;
  bool list = false;
  Plan plan;
};

int Print(const std::string& text) {
  std::cout << text << std::flush;
  return 0;
}

int Fail(const absl::Status& status) {
  std::cerr << base::MessageOf(status) << "\n";
  return 1;
}

int CompareFiles(const Options& options) {
  const auto before = FromJsonFile(options.compare[0]);
  if (!before.ok()) return Fail(before.status());
  const auto after = FromJsonFile(options.compare[1]);
  if (!after.ok()) return Fail(after.status());
  return Print(Compare(*before, *after));
}

std::string List() {
  std::string text;
  for (const Workload& workload : AllWorkloads()) {
    std::string name = workload.name;
    name.resize(std::max<size_t>(name.size(), 24), ' ');
    text += name + workload.help + (workload.raw_start ? " (also raw)\n" : "\n");
  }
  return text;
}

// A workload is wanted when an argument is its name or a part of its name that ends with '*'.
bool IsWanted(const Options& options, const std::string& name) {
  if (options.workloads.empty()) return true;
  for (const std::string& wanted : options.workloads) {
    const bool prefix = !wanted.empty() && wanted.back() == '*';
    if (prefix ? name.starts_with(wanted.substr(0, wanted.size() - 1)) : name == wanted)
      return true;
  }
  return false;
}

template <typename T>
T At(const std::vector<T>& values, size_t i, T otherwise) {
  return i < values.size() ? values[i] : otherwise;
}

int Run(const Options& options) {
  std::vector<Target> targets;
  for (size_t i = 0; i < options.uris.size(); ++i) {
    targets.push_back(Target{.name = At(options.names, i, "server" + std::to_string(i + 1)),
                             .uri = options.uris[i],
                             .pid = At(options.pids, i, 0),
                             .folder = At(options.folders, i, std::string())});
  }
  const std::string folder = options.raw_folder + "/mayfly-bench-raw";
  if (!options.no_raw) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    auto raw = RawStore::Open(folder, "NORMAL");
    if (!raw.ok()) return Fail(raw.status());
    targets.push_back(
        Target{.name = "raw", .uri = "", .pid = 0, .folder = folder, .raw = std::move(*raw)});
  }
  const std::set<std::pair<std::string, int>> wanted = WorkloadsOfBars();
  std::vector<Result> results;
  for (const Workload& workload : AllWorkloads()) {
    if (!IsWanted(options, workload.name)) continue;
    for (const int clients : options.clients.empty() ? workload.clients : options.clients) {
      if (options.bars && !wanted.contains({workload.name, clients})) continue;
      std::cerr << workload.name << ", " << clients << " clients\n";
      for (Result& result : RunWorkload(workload, clients, options.plan, targets))
        results.push_back(std::move(result));
    }
  }
  targets.clear();
  std::filesystem::remove_all(folder);
  if (!options.json.empty()) std::ofstream(options.json) << ToJson(results);
  Print(Table(results));
  int missed = 0;
  if (options.bars) Print("\n" + BarTable(results, &missed));
  if (missed > 0) return 1;
  for (const Result& result : results) {
    if (!result.error.empty()) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  mayfly::bench::Options options;
  CLI::App app{"Runs named workloads against MongoDB servers and against SQLite alone."};
  app.add_option("--uri", options.uris, "a server to measure, as often as given; they take turns");
  app.add_option("--name", options.names, "their names in the report, in the same order");
  app.add_option("--pid", options.pids, "their processes, for processor time and memory");
  app.add_option("--folder", options.folders, "their data folders, for bytes on disk");
  app.add_option("--workload", options.workloads, "only these, by name or prefix*");
  app.add_option("--clients", options.clients,
                 "these numbers of clients instead of each workload's own");
  app.add_option("--seconds", options.plan.seconds, "length of a repetition")
      ->capture_default_str();
  app.add_option("--warmup", options.plan.warmup_seconds, "seconds before the first one")
      ->capture_default_str();
  app.add_option("--repetitions", options.plan.repetitions)
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--documents", options.plan.scale.documents,
                 "documents in the collections of queries")
      ->capture_default_str();
  app.add_option("--records", options.plan.scale.records,
                 "documents of point reads, updates and YCSB")
      ->capture_default_str();
  app.add_option("--json", options.json, "write the results to this file");
  app.add_option("--raw-folder", options.raw_folder,
                 "where the raw tables are made; the file system matters")
      ->capture_default_str();
  app.add_flag("--no-raw", options.no_raw, "leave out SQLite alone");
  app.add_flag("--bars", options.bars,
               "only what the bars need (of --workload, if given), and their table");
  app.add_flag("--list", options.list, "name the workloads and stop");
  app.add_option("--compare", options.compare, "compare two result files and stop")->expected(2);
  CLI11_PARSE(app, argc, argv);
  if (options.list) return mayfly::bench::Print(mayfly::bench::List());
  if (!options.compare.empty()) return mayfly::bench::CompareFiles(options);
  mongoc_init();
  const int code = mayfly::bench::Run(options);
  mongoc_cleanup();
  return code;
}

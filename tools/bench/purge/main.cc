// The benchmark of expiry: what removal costs and what clients notice of it; README.md of the
// folder above shows how it is used.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>

#include "tools/bench/mongo.h"
#include "tools/bench/purge/lag.h"
#include "tools/bench/purge/purge_report.h"
#include "tools/bench/purge/raw_purge.h"
#include "tools/bench/purge/removal.h"

namespace mayfly::bench {
namespace {

struct Options {
  std::string uri;
  std::string json;
  std::string raw_folder = "/tmp";
  std::vector<int64_t> documents = {10'000, 100'000};
  std::vector<int> indexes = {0, 2};
  int pairs = 3;
  int clients = 8;
  double load = 0.5;
  double seconds = 2;
  LagPlan lag;
};

absl::StatusOr<PurgeResult> RunOne(const Options& options, int64_t documents, int indexes,
                                   double rate) {
  std::cerr << documents << " documents, " << indexes << " secondary indexes\n";
  PurgeResult result{.documents = documents, .indexes = indexes};
  MAYFLY_ASSIGN_OR_RETURN(
      result.raw, MeasureRawPurge(options.raw_folder + "/mayfly-bench-purge", documents, indexes));
  const RemovalPlan plan{.uri = options.uri,
                         .documents = documents,
                         .indexes = indexes,
                         .clients = options.clients,
                         .rate = rate,
                         .seconds = options.seconds};
  MAYFLY_ASSIGN_OR_RETURN(result.alone, MeasureRemoval(plan));
  for (int pair = 0; pair < options.pairs; ++pair) {
    MAYFLY_ASSIGN_OR_RETURN(ForegroundResult without, MeasureForeground(plan));
    MAYFLY_ASSIGN_OR_RETURN(Removal during, MeasureRemovalUnderLoad(plan));
    result.pairs.push_back({.without = std::move(without), .during = std::move(during)});
  }
  return result;
}

absl::StatusOr<PurgeReport> Measure(const Options& options) {
  PurgeReport report;
  MAYFLY_RETURN_IF_ERROR(PrepareForeground(options.uri));
  MAYFLY_ASSIGN_OR_RETURN(report.peak, MeasurePeak(options.uri, options.clients, options.seconds));
  report.rate = report.peak * options.load;
  for (const int64_t documents : options.documents) {
    for (const int indexes : options.indexes) {
      MAYFLY_ASSIGN_OR_RETURN(PurgeResult result, RunOne(options, documents, indexes, report.rate));
      report.results.push_back(std::move(result));
    }
  }
  std::cerr << "documents that expire in real time\n";
  LagPlan lag = options.lag;
  lag.uri = options.uri;
  MAYFLY_ASSIGN_OR_RETURN(report.lag, MeasureLag(lag));
  MAYFLY_RETURN_IF_ERROR(MeasureHiding(options.uri, &report.lag));
  std::cerr << "the rules\n";
  const int64_t many = *std::max_element(options.documents.begin(), options.documents.end());
  MAYFLY_ASSIGN_OR_RETURN(report.rules, MeasureRuleCosts(options.uri, many, options.pairs));
  return report;
}

int Run(const Options& options) {
  const auto report = Measure(options);
  if (!report.ok()) {
    std::cerr << base::MessageOf(report.status()) << "\n";
    return 1;
  }
  if (!options.json.empty()) std::ofstream(options.json) << ToJson(*report);
  std::cout << Table(*report) << std::flush;
  return 0;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  mayfly::bench::Options options;
  CLI::App app{"Measures the removal of expired documents, and what clients notice of it."};
  app.add_option("--uri", options.uri, "the server, started with --enableTestCommands")->required();
  app.add_option("--documents", options.documents, "how many are due in the same second")
      ->capture_default_str();
  app.add_option("--indexes", options.indexes, "numbers of secondary indexes")
      ->capture_default_str()
      ->check(CLI::Range(0, 2));
  app.add_option("--pairs", options.pairs, "runs without and with removal, one after the other")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--clients", options.clients)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--load", options.load, "of the peak rate, by the clients beside the removal")
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "of a run without removal")->capture_default_str();
  app.add_option("--lag-rate", options.lag.per_second, "documents a second that expire one by one")
      ->capture_default_str();
  app.add_option("--lag-seconds", options.lag.seconds)->capture_default_str();
  app.add_option("--json", options.json, "write the results to this file");
  app.add_option("--raw-folder", options.raw_folder, "where the raw tables are made")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  mongoc_init();
  const int code = mayfly::bench::Run(options);
  mongoc_cleanup();
  return code;
}

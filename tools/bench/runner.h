// Runs one workload on every target in turn: prepare, warm up, then repetitions that go round the
// targets, so that a machine that changes its speed changes it for all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/bench/histogram.h"
#include "tools/bench/workload.h"

namespace mayfly::bench {

// Something to measure: a server, or the raw tables.
struct Target {
  std::string name;
  // Empty for the raw target.
  std::string uri;
  // The server's process and folder, 0 and empty when they are not known.
  int pid = 0;
  std::string folder;
  std::unique_ptr<RawStore> raw = nullptr;
  // What the last workload has left prepared.
  std::string dataset = {};
};

struct Plan {
  Scale scale;
  double warmup_seconds = 1;
  double seconds = 2;
  int repetitions = 5;
};

// What one workload with one number of clients did on one target.
struct Result {
  std::string workload;
  std::string target;
  int clients = 1;
  // Not empty when it could not be run; the numbers are then 0.
  std::string error;
  // Rates of each repetition, sorted: operations a second.
  std::vector<double> rates;
  double documents_per_second = 0;
  // Latencies of all repetitions, in microseconds.
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
  // The server's processor time for one operation in microseconds, its memory and its files.
  double cpu_us = 0;
  int64_t rss_bytes = 0;
  int64_t rss_anon_bytes = 0;
  int64_t disk_bytes = 0;
  // The server's processor time as a share of one processor.
  double cpu_share = 0;
  // What the collection takes, where the workload tells.
  int64_t stored_bytes = 0;

  double median() const { return rates.empty() ? 0 : rates[rates.size() / 2]; }
};

// One result for each target that has the workload.
std::vector<Result> RunWorkload(const Workload& workload, int clients, const Plan& plan,
                                std::vector<Target>& targets);

}  // namespace mayfly::bench

#include "tools/bench/report.h"

#include <bson/bson.h>

#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace mayfly::bench {
namespace {

__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

const Result* FindResult(const std::vector<Result>& results, const std::string& workload,
                         const std::string& target, int clients) {
  for (const Result& result : results) {
    if (result.workload == workload && result.target == target && result.clients == clients &&
        result.error.empty()) {
      return &result;
    }
  }
  return nullptr;
}

std::string Ratio(double value, double base) {
  return base > 0 ? Format("%.2f", value / base) : "-";
}

// Half the distance between the slowest and the fastest repetition, as a share of the median.
double Spread(const Result& result) {
  if (result.rates.empty() || result.median() == 0) return 0;
  return (result.rates.back() - result.rates.front()) / 2 / result.median();
}

void AppendResult(bson_t* array, size_t number, const Result& result) {
  bson_t item;
  bson_append_document_begin(array, std::to_string(number).c_str(), -1, &item);
  bson_append_utf8(&item, "workload", -1, result.workload.c_str(), -1);
  bson_append_utf8(&item, "target", -1, result.target.c_str(), -1);
  bson_append_int32(&item, "clients", -1, result.clients);
  bson_append_utf8(&item, "error", -1, result.error.c_str(), -1);
  bson_t rates;
  bson_append_array_begin(&item, "rates", -1, &rates);
  for (size_t i = 0; i < result.rates.size(); ++i) {
    bson_append_double(&rates, std::to_string(i).c_str(), -1, result.rates[i]);
  }
  bson_append_array_end(&item, &rates);
  const std::pair<const char*, double> numbers[] = {
      {"documentsPerSecond", result.documents_per_second},
      {"p50us", result.p50},
      {"p95us", result.p95},
      {"p99us", result.p99},
      {"p999us", result.p999},
      {"maxUs", result.max},
      {"cpuUs", result.cpu_us}};
  for (const auto& [name, value] : numbers) bson_append_double(&item, name, -1, value);
  bson_append_int64(&item, "rssBytes", -1, result.rss_bytes);
  bson_append_int64(&item, "rssAnonBytes", -1, result.rss_anon_bytes);
  bson_append_int64(&item, "diskBytes", -1, result.disk_bytes);
  bson_append_int64(&item, "storedBytes", -1, result.stored_bytes);
  bson_append_double(&item, "cpuShare", -1, result.cpu_share);
  bson_append_document_end(array, &item);
}

Result ReadResult(bson_iter_t* item) {
  Result result;
  while (bson_iter_next(item)) {
    const std::string name = bson_iter_key(item);
    if (name == "workload") result.workload = bson_iter_utf8(item, nullptr);
    if (name == "target") result.target = bson_iter_utf8(item, nullptr);
    if (name == "error") result.error = bson_iter_utf8(item, nullptr);
    if (name == "clients") result.clients = static_cast<int>(bson_iter_as_int64(item));
    if (name == "p99us") result.p99 = bson_iter_as_double(item);
    if (name == "cpuUs") result.cpu_us = bson_iter_as_double(item);
    bson_iter_t rate;
    if (name == "rates" && bson_iter_recurse(item, &rate)) {
      while (bson_iter_next(&rate)) result.rates.push_back(bson_iter_as_double(&rate));
    }
  }
  return result;
}

}  // namespace

std::string Table(const std::vector<Result>& results) {
  std::string text = Format("%-22s %-12s %7s %10s %6s %11s %9s %9s %9s %7s %7s %8s %8s\n",
                            "workload", "target", "clients", "ops/s", "+-%", "docs/s", "p50 us",
                            "p99 us", "max us", "of ping", "of raw", "cpu us", "rss MB");
  for (const Result& result : results) {
    if (!result.error.empty()) {
      text += Format("%-22s %-12s %7d %.300s\n", result.workload.c_str(), result.target.c_str(),
                     result.clients, result.error.c_str());
      continue;
    }
    const Result* ping = result.target == "raw"
                             ? nullptr
                             : FindResult(results, "ping", result.target, result.clients);
    const Result* raw = FindResult(results, result.workload, "raw", result.clients);
    text += Format("%-22s %-12s %7d %10.1f %6.1f %11.0f %9.0f %9.0f %9.0f %7s %7s %8.1f %8.1f\n",
                   result.workload.c_str(), result.target.c_str(), result.clients, result.median(),
                   Spread(result) * 100, result.documents_per_second, result.p50, result.p99,
                   result.max, Ratio(result.median(), ping ? ping->median() : 0).c_str(),
                   Ratio(result.documents_per_second,
                         raw && result.target != "raw" ? raw->documents_per_second : 0)
                       .c_str(),
                   result.cpu_us, static_cast<double>(result.rss_bytes) / 1e6);
  }
  return text;
}

std::string ToJson(const std::vector<Result>& results) {
  bson_t document;
  bson_init(&document);
  bson_t array;
  bson_append_array_begin(&document, "results", -1, &array);
  for (size_t i = 0; i < results.size(); ++i) AppendResult(&array, i, results[i]);
  bson_append_array_end(&document, &array);
  char* json = bson_as_relaxed_extended_json(&document, nullptr);
  std::string text(json);
  bson_free(json);
  bson_destroy(&document);
  return text + "\n";
}

absl::StatusOr<std::vector<Result>> FromJsonFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  bson_t document;
  bson_error_t error;
  if (!file || !bson_init_from_json(&document, text.str().c_str(), -1, &error)) {
    return base::Error(base::ErrorCode::kFailedToParse, path + ": not a result file");
  }
  std::vector<Result> results;
  bson_iter_t iter;
  bson_iter_t item;
  bson_iter_t fields;
  if (bson_iter_init_find(&iter, &document, "results") && bson_iter_recurse(&iter, &item)) {
    while (bson_iter_next(&item)) {
      if (bson_iter_recurse(&item, &fields)) results.push_back(ReadResult(&fields));
    }
  }
  bson_destroy(&document);
  return results;
}

std::string Compare(const std::vector<Result>& before, const std::vector<Result>& after) {
  std::string text = Format("%-22s %-12s %7s %11s %11s %7s %9s %9s\n", "workload", "target",
                            "clients", "before/s", "after/s", "ratio", "p99 us", "p99 us");
  for (const Result& now : after) {
    const Result* then = FindResult(before, now.workload, now.target, now.clients);
    if (then == nullptr || !now.error.empty()) continue;
    const double ratio = then->median() > 0 ? now.median() / then->median() : 0;
    const double noise = Spread(now) + Spread(*then);
    const char* mark = ratio > 1 + noise ? "faster" : ratio < 1 - noise ? "slower" : "";
    text += Format("%-22s %-12s %7d %11.1f %11.1f %7.2f %9.0f %9.0f %s\n", now.workload.c_str(),
                   now.target.c_str(), now.clients, then->median(), now.median(), ratio, then->p99,
                   now.p99, mark);
  }
  return text;
}

}  // namespace mayfly::bench

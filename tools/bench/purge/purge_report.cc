#include "tools/bench/purge/purge_report.h"

#include <bson/bson.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <utility>

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

struct Quantile {
  const char* name;
  double share;
};
constexpr Quantile kQuantiles[] = {{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}};

double Microseconds(const Histogram& histogram, double share) {
  return static_cast<double>(histogram.Quantile(share)) / 1000;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// One kind of request of all pairs: the medians of one quantile, and the median of the ratios.
struct Compared {
  double without_us = 0;
  double during_us = 0;
  double ratio = 0;
};

Compared Compare(const std::vector<PurgePair>& pairs, size_t kind, double share) {
  std::vector<double> without;
  std::vector<double> during;
  std::vector<double> ratios;
  for (const PurgePair& pair : pairs) {
    if (pair.during.foreground->latencies[kind].count() == 0) continue;
    without.push_back(Microseconds(pair.without.latencies[kind], share));
    during.push_back(Microseconds(pair.during.foreground->latencies[kind], share));
    if (without.back() > 0) ratios.push_back(during.back() / without.back());
  }
  return {Median(without), Median(during), Median(ratios)};
}

struct Longest {
  double without_us = 0;
  double during_us = 0;
};

Longest LongestOf(const std::vector<PurgePair>& pairs, size_t kind) {
  Longest longest;
  for (const PurgePair& pair : pairs) {
    longest.without_us = std::max(longest.without_us,
                                  static_cast<double>(pair.without.latencies[kind].max()) / 1000);
    longest.during_us =
        std::max(longest.during_us,
                 static_cast<double>(pair.during.foreground->latencies[kind].max()) / 1000);
  }
  return longest;
}

// Of the removals beside the foreground.
double UnderLoad(const std::vector<PurgePair>& pairs, double Removal::*rate) {
  std::vector<double> rates;
  for (const PurgePair& pair : pairs) rates.push_back(pair.during.*rate);
  return Median(rates);
}

int64_t RequestsDuring(const std::vector<PurgePair>& pairs) {
  int64_t requests = 0;
  for (const PurgePair& pair : pairs) requests += pair.during.foreground->requests;
  return requests;
}

double Ratio(double value, double base) { return base > 0 ? value / base : 0; }

class Json {
 public:
  Json() { bson_init(&document_); }
  ~Json() { bson_destroy(&document_); }
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  bson_t* root() { return &document_; }
  std::string Finish() {
    char* text = bson_as_relaxed_extended_json(&document_, nullptr);
    std::string result(text);
    bson_free(text);
    return result + "\n";
  }

 private:
  bson_t document_;
};

using Numbers = std::vector<std::pair<std::string, double>>;

void Append(bson_t* to, const Numbers& numbers) {
  for (const auto& [name, value] : numbers) bson_append_double(to, name.c_str(), -1, value);
}

void AppendKinds(bson_t* to, const std::vector<PurgePair>& pairs) {
  for (size_t kind = 0; kind < kKindNames.size(); ++kind) {
    bson_t fields;
    bson_append_document_begin(to, kKindNames[kind].data(),
                               static_cast<int>(kKindNames[kind].size()), &fields);
    for (const Quantile& quantile : kQuantiles) {
      const Compared compared = Compare(pairs, kind, quantile.share);
      const std::string name = quantile.name;
      Append(&fields, {{name + "UsWithout", compared.without_us},
                       {name + "UsDuring", compared.during_us},
                       {name + "Ratio", compared.ratio}});
    }
    const Longest longest = LongestOf(pairs, kind);
    Append(&fields, {{"maxUsWithout", longest.without_us}, {"maxUsDuring", longest.during_us}});
    bson_append_document_end(to, &fields);
  }
}

}  // namespace

std::string Table(const PurgeReport& report) {
  std::string text =
      Format("foreground: peak %.0f requests/s, run at %.0f/s\n\n", report.peak, report.rate);
  text += Format("%10s %7s %12s %12s %6s %12s %6s %12s %6s %10s\n", "documents", "indexes", "raw/s",
                 "alone/s", "of raw", "loaded/s", "of raw", "slowest/s", "of raw", "requests");
  for (const PurgeResult& result : report.results) {
    const double loaded = UnderLoad(result.pairs, &Removal::rate);
    const double slowest = UnderLoad(result.pairs, &Removal::slowest_rate);
    const double raw = result.raw.rate();
    text += Format("%10lld %7d %12.0f %12.0f %6.2f %12.0f %6.2f %12.0f %6.2f %10lld\n",
                   static_cast<long long>(result.documents), result.indexes, raw, result.alone.rate,
                   Ratio(result.alone.rate, raw), loaded, Ratio(loaded, raw), slowest,
                   Ratio(slowest, raw), static_cast<long long>(RequestsDuring(result.pairs)));
  }
  text += Format("\n%10s %7s %-7s", "documents", "indexes", "request");
  for (const Quantile& quantile : kQuantiles) {
    text += Format(" %8s us %9s %5s", quantile.name, "during us", "ratio");
  }
  text += Format(" %9s %9s\n", "max us", "during us");
  for (const PurgeResult& result : report.results) {
    for (size_t kind = 0; kind < kKindNames.size(); ++kind) {
      text += Format("%10lld %7d %-7s", static_cast<long long>(result.documents), result.indexes,
                     kKindNames[kind].data());
      for (const Quantile& quantile : kQuantiles) {
        const Compared compared = Compare(result.pairs, kind, quantile.share);
        text +=
            Format(" %11.0f %9.0f %5.2f", compared.without_us, compared.during_us, compared.ratio);
      }
      const Longest longest = LongestOf(result.pairs, kind);
      text += Format(" %9.0f %9.0f\n", longest.without_us, longest.during_us);
    }
  }
  const Lag& lag = report.lag;
  text +=
      Format("\n%lld documents one by one: due to removed p50 %.0f ms, p99 %.0f ms, max %.0f ms\n",
             static_cast<long long>(lag.documents), Microseconds(lag.removed, 0.5) / 1000,
             Microseconds(lag.removed, 0.99) / 1000, static_cast<double>(lag.removed.max()) / 1e6);
  text += Format("finds after the due moment: %lld, of which saw the document: %lld\n",
                 static_cast<long long>(lag.looks), static_cast<long long>(lag.seen_too_late));
  const RuleCosts& rules = report.rules;
  text += Format("collMod of the default: %.0f us with ten documents, %.0f us with many: %.2f\n",
                 rules.change_few_us, rules.change_many_us,
                 Ratio(rules.change_many_us, rules.change_few_us));
  text +=
      Format("inserts: %.0f/s, with a rule %.0f/s (%.2f), and a ttl in each %.0f/s (%.2f)\n",
             rules.insert_plain, rules.insert_rule, Ratio(rules.insert_rule, rules.insert_plain),
             rules.insert_own, Ratio(rules.insert_own, rules.insert_plain));
  return text;
}

std::string ToJson(const PurgeReport& report) {
  Json json;
  Append(json.root(), {{"peakPerSecond", report.peak}, {"ratePerSecond", report.rate}});
  bson_t results;
  bson_append_array_begin(json.root(), "results", -1, &results);
  for (size_t i = 0; i < report.results.size(); ++i) {
    const PurgeResult& result = report.results[i];
    bson_t fields;
    bson_append_document_begin(&results, std::to_string(i).c_str(), -1, &fields);
    bson_append_int64(&fields, "documents", -1, result.documents);
    bson_append_int32(&fields, "indexes", -1, result.indexes);
    const double loaded = UnderLoad(result.pairs, &Removal::rate);
    const double slowest = UnderLoad(result.pairs, &Removal::slowest_rate);
    const double raw = result.raw.rate();
    Append(&fields, {{"rawPerSecond", raw},
                     {"alonePerSecond", result.alone.rate},
                     {"aloneOfRaw", Ratio(result.alone.rate, raw)},
                     {"loadedPerSecond", loaded},
                     {"loadedOfRaw", Ratio(loaded, raw)},
                     {"slowestPerSecond", slowest},
                     {"slowestOfRaw", Ratio(slowest, raw)}});
    bson_append_int64(&fields, "requestsDuring", -1, RequestsDuring(result.pairs));
    AppendKinds(&fields, result.pairs);
    bson_append_document_end(&results, &fields);
  }
  bson_append_array_end(json.root(), &results);
  const Lag& lag = report.lag;
  bson_t fields;
  bson_append_document_begin(json.root(), "lag", -1, &fields);
  bson_append_int64(&fields, "documents", -1, lag.documents);
  for (const Quantile& quantile : kQuantiles) {
    Append(&fields,
           {{std::string(quantile.name) + "Ms", Microseconds(lag.removed, quantile.share) / 1000}});
  }
  Append(&fields, {{"maxMs", static_cast<double>(lag.removed.max()) / 1e6}});
  bson_append_int64(&fields, "looksAfterDue", -1, lag.looks);
  bson_append_int64(&fields, "seenTooLate", -1, lag.seen_too_late);
  bson_append_document_end(json.root(), &fields);
  const RuleCosts& rules = report.rules;
  Append(json.root(), {{"collModUsFew", rules.change_few_us},
                       {"collModUsMany", rules.change_many_us},
                       {"collModRatio", Ratio(rules.change_many_us, rules.change_few_us)},
                       {"insertsPerSecond", rules.insert_plain},
                       {"insertsWithRuleRatio", Ratio(rules.insert_rule, rules.insert_plain)},
                       {"insertsWithTtlRatio", Ratio(rules.insert_own, rules.insert_plain)}});
  return json.Finish();
}

}  // namespace mayfly::bench

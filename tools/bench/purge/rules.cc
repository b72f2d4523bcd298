#include "tools/bench/purge/rules.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "tools/bench/documents.h"
#include "tools/bench/mongo.h"
#include "tools/bench/purge/admin.h"

namespace mayfly::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kChanges = 50;
constexpr int64_t kInserts = 20'000;
// Beyond anything that happens meanwhile.
constexpr int64_t kLifetimeSeconds = 1'000'000'000;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string Rule() {
  return "{'key': {'_ts': 1}, 'name': 'rule', 'expireAfterSeconds': " +
         std::to_string(kLifetimeSeconds) + "}";
}

Document OwnTtlDocument(std::mt19937_64& random, int64_t id) {
  Document document = ItemDocument(random, id);
  bson_append_int32(document.get(), "ttl", -1, static_cast<int32_t>(kLifetimeSeconds));
  return document;
}

absl::StatusOr<double> ChangeUs(Admin& admin, const std::string& name, int64_t documents) {
  MAYFLY_RETURN_IF_ERROR(Fill(admin.connection(), name, Rule(), documents, ItemDocument));
  std::vector<double> times;
  for (int i = 0; i < kChanges; ++i) {
    const std::string change = "{'collMod': '" + name +
                               "', 'index': {'name': 'rule', 'expireAfterSeconds': " +
                               std::to_string(kLifetimeSeconds + i + 1) + "}}";
    const Clock::time_point start = Clock::now();
    MAYFLY_RETURN_IF_ERROR(RunCommand(admin.connection(), change));
    times.push_back(SecondsSince(start) * 1e6);
  }
  MAYFLY_RETURN_IF_ERROR(Drop(admin.connection(), name));
  return Median(times);
}

absl::StatusOr<double> InsertRate(Admin& admin, const std::string& indexes, MakeDocument make) {
  const Clock::time_point start = Clock::now();
  MAYFLY_RETURN_IF_ERROR(Fill(admin.connection(), "inserts", indexes, kInserts, make));
  return static_cast<double>(kInserts) / SecondsSince(start);
}

}  // namespace

absl::StatusOr<RuleCosts> MeasureRuleCosts(const std::string& uri, int64_t documents, int rounds) {
  Admin admin(uri);
  RuleCosts costs;
  MAYFLY_ASSIGN_OR_RETURN(costs.change_few_us, ChangeUs(admin, "few", 10));
  MAYFLY_ASSIGN_OR_RETURN(costs.change_many_us, ChangeUs(admin, "many", documents));
  std::vector<double> plain;
  std::vector<double> rule;
  std::vector<double> own;
  for (int round = 0; round < rounds; ++round) {
    MAYFLY_ASSIGN_OR_RETURN(plain.emplace_back(), InsertRate(admin, "", ItemDocument));
    MAYFLY_ASSIGN_OR_RETURN(rule.emplace_back(), InsertRate(admin, Rule(), ItemDocument));
    MAYFLY_ASSIGN_OR_RETURN(own.emplace_back(), InsertRate(admin, Rule(), OwnTtlDocument));
  }
  costs.insert_plain = Median(plain);
  costs.insert_rule = Median(rule);
  costs.insert_own = Median(own);
  MAYFLY_RETURN_IF_ERROR(Drop(admin.connection(), "inserts"));
  return costs;
}

}  // namespace mayfly::bench

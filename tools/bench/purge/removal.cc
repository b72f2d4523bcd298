#include "tools/bench/purge/removal.h"

#include <algorithm>
#include <chrono>

#include "tools/bench/documents.h"
#include "tools/bench/mongo.h"
#include "tools/bench/purge/admin.h"
#include "tools/bench/purge/pacer.h"

namespace mayfly::bench {
namespace {

constexpr char kCollection[] = "due";
// The documents live so long by the rule, and then the time is moved beyond it: all are due in the
// same second, however long it took to insert them.
constexpr int64_t kLifetimeSeconds = 7 * 24 * 3600;

// What was written before is copied from the log about a second after the last commit.
constexpr double kSettleSeconds = 2;

void Wait(double seconds) { Pacer().WaitFor(std::chrono::duration<double>(seconds)); }

std::string Indexes(int count) {
  std::string text = "{'key': {'_ts': 1}, 'name': 'rule', 'expireAfterSeconds': " +
                     std::to_string(kLifetimeSeconds) + "}";
  if (count > 0) text += ", {'key': {'score': 1}, 'name': 'score'}";
  if (count > 1) text += ", {'key': {'user': 1}, 'name': 'user'}";
  return text;
}

// Of a document: itself, its entry in the index on _id, and those of the secondary indexes. Its
// entry of the rule goes with it and is not counted.
int64_t RowsOf(const RemovalPlan& plan) { return 2 + plan.indexes; }

// All rates are of rows.
double SlowestRate(const std::vector<Progress>& seen, double otherwise) {
  double slowest = otherwise;
  size_t from = 0;
  for (size_t to = 0; to < seen.size(); ++to) {
    while (seen[to].seconds - seen[from].seconds > 1) ++from;
    const bool whole_second = from > 0;
    if (!whole_second) continue;
    const Progress& start = seen[from - 1];
    slowest = std::min(slowest, static_cast<double>(seen[to].rows - start.rows) /
                                    (seen[to].seconds - start.seconds));
  }
  return slowest;
}

Removal Summarize(const std::vector<Progress>& seen) {
  Removal removal;
  // The first entry is from before the first removal unless it was quicker than the first look.
  const auto first = std::find_if(seen.begin(), seen.end(),
                                  [](const Progress& progress) { return progress.rows > 0; });
  removal.first_seconds = first->seconds;
  removal.seconds = seen.back().seconds - first->seconds;
  const auto removed = static_cast<double>(seen.back().rows - first->rows);
  // Too quick to see it twice: all at the first look.
  removal.rate = removal.seconds > 0 ? removed / removal.seconds
                                     : static_cast<double>(first->rows) / first->seconds;
  removal.slowest_rate = SlowestRate({first, seen.end()}, removal.rate);
  return removal;
}

// From documents to the end of the sweep; clients are looked at from the first removed document on.
absl::StatusOr<Removal> Remove(Admin& admin, const RemovalPlan& plan, Foreground* foreground) {
  Watch watch{.timeout_seconds = plan.timeout_seconds};
  MAYFLY_ASSIGN_OR_RETURN(const Removed before, admin.GetRemoved());
  watch.before = before.rows();
  MAYFLY_RETURN_IF_ERROR(admin.Advance(kLifetimeSeconds + 3600));
  watch.rows = 1;
  MAYFLY_ASSIGN_OR_RETURN(std::vector<Progress> seen, WatchRemoval(admin, watch));
  const double offset = seen.back().seconds;
  if (foreground != nullptr) {
    foreground->Record(true);
    watch.every = std::chrono::milliseconds(50);
  }
  watch.rows = plan.documents * RowsOf(plan);
  MAYFLY_ASSIGN_OR_RETURN(const std::vector<Progress> rest, WatchRemoval(admin, watch));
  if (foreground != nullptr) foreground->Record(false);
  for (const Progress& progress : rest) {
    if (progress.rows == seen.back().rows) continue;
    seen.push_back({.seconds = offset + progress.seconds, .rows = progress.rows});
  }
  Removal removal = Summarize(seen);
  removal.rate /= static_cast<double>(RowsOf(plan));
  removal.slowest_rate /= static_cast<double>(RowsOf(plan));
  return removal;
}

absl::Status Prepare(Admin& admin, const RemovalPlan& plan) {
  return Fill(admin.connection(), kCollection, Indexes(plan.indexes), plan.documents, ItemDocument);
}

}  // namespace

absl::StatusOr<Removal> MeasureRemoval(const RemovalPlan& plan) {
  Admin admin(plan.uri);
  MAYFLY_RETURN_IF_ERROR(Prepare(admin, plan));
  Wait(kSettleSeconds);
  return Remove(admin, plan, nullptr);
}

absl::StatusOr<Removal> MeasureRemovalUnderLoad(const RemovalPlan& plan) {
  Admin admin(plan.uri);
  MAYFLY_RETURN_IF_ERROR(Prepare(admin, plan));
  Wait(kSettleSeconds);
  Foreground foreground({.uri = plan.uri, .clients = plan.clients, .rate = plan.rate});
  Wait(plan.seconds / 2);
  MAYFLY_ASSIGN_OR_RETURN(Removal removal, Remove(admin, plan, &foreground));
  MAYFLY_ASSIGN_OR_RETURN(removal.foreground, foreground.Stop());
  removal.foreground->seconds = removal.first_seconds + removal.seconds;
  return removal;
}

absl::StatusOr<ForegroundResult> MeasureForeground(const RemovalPlan& plan) {
  Wait(kSettleSeconds);
  Foreground foreground({.uri = plan.uri, .clients = plan.clients, .rate = plan.rate});
  Wait(plan.seconds / 2);
  foreground.Record(true);
  Wait(plan.seconds);
  foreground.Record(false);
  MAYFLY_ASSIGN_OR_RETURN(ForegroundResult result, foreground.Stop());
  result.seconds = plan.seconds;
  return result;
}

}  // namespace mayfly::bench

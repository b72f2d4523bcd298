#include "tools/bench/purge/lag.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "tools/bench/documents.h"
#include "tools/bench/mongo.h"
#include "tools/bench/purge/admin.h"
#include "tools/bench/purge/pacer.h"

namespace mayfly::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char kCollection[] = "lag";
// Seconds that each document lives.
constexpr int kLifetime = 2;
// Inserts a second; each brings a share of the documents.
constexpr int kInsertsPerSecond = 50;
// The server takes the time of the last write in whole milliseconds after the request was sent.
constexpr auto kGrain = std::chrono::milliseconds(1);

// Documents inserted together: due at the latest at `due`.
struct Group {
  int64_t first_id = 0;
  int64_t count = 0;
  Clock::time_point due;
};

absl::Status Insert(mongoc_collection_t* collection, std::mt19937_64& random, Group* group) {
  std::vector<Document> documents;
  std::vector<const bson_t*> pointers;
  for (int64_t i = 0; i < group->count; ++i) {
    documents.push_back(ItemDocument(random, group->first_id + i));
    bson_append_int32(documents.back().get(), "ttl", -1, kLifetime);
  }
  for (Document& document : documents) pointers.push_back(document.get());
  bson_error_t error;
  if (!mongoc_collection_insert_many(collection, pointers.data(), pointers.size(), nullptr, nullptr,
                                     &error)) {
    return FromError(error, "insert");
  }
  group->due = Clock::now() + std::chrono::seconds(kLifetime) + kGrain;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Find(mongoc_collection_t* collection, int64_t id) {
  Document filter;
  bson_append_int64(filter.get(), "_id", -1, id);
  return Drain(mongoc_collection_find_with_opts(collection, filter.get(), nullptr, nullptr));
}

// The groups in the order in which they were inserted, on a second thread.
class Inserter {
 public:
  Inserter(const LagPlan& plan, std::vector<Group>& groups) : plan_(plan), groups_(groups) {
    thread_ = std::thread([this] { status_ = Loop(); });
  }
  absl::Status Join() {
    thread_.join();
    return status_;
  }

 private:
  absl::Status Loop() {
    Admin client(plan_.uri);
    const Collection collection = GetCollection(client.connection(), kCollection);
    std::mt19937_64 random(7);
    Clock::time_point next = Clock::now();
    Pacer pacer;
    for (Group& group : groups_) {
      pacer.WaitUntil(next);
      next += std::chrono::microseconds(1'000'000 / kInsertsPerSecond);
      MAYFLY_RETURN_IF_ERROR(Insert(collection.get(), random, &group));
    }
    return absl::OkStatus();
  }

  const LagPlan& plan_;
  std::vector<Group>& groups_;
  absl::Status status_;
  std::thread thread_;
};

struct Look {
  Clock::time_point at;
  int64_t deleted = 0;
};

void AddLags(const std::vector<Group>& groups, const std::vector<Look>& looks, Lag* lag) {
  size_t look = 0;
  int64_t number = 0;
  for (const Group& group : groups) {
    for (int64_t i = 0; i < group.count; ++i) {
      ++number;
      while (look < looks.size() && looks[look].deleted < number) ++look;
      if (look == looks.size()) return;
      // `due` is an upper bound by the time of a request: a lag below 0 is none.
      const auto late =
          std::chrono::duration_cast<std::chrono::nanoseconds>(looks[look].at - group.due).count();
      lag->removed.Record(std::max<int64_t>(late, 1));
    }
  }
}

std::vector<Group> MakeGroups(const LagPlan& plan) {
  std::vector<Group> groups(static_cast<size_t>(plan.seconds) * kInsertsPerSecond);
  const int64_t each = plan.per_second / kInsertsPerSecond;
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i] = {.first_id = static_cast<int64_t>(i) * each, .count = each, .due = {}};
  }
  return groups;
}

}  // namespace

absl::StatusOr<Lag> MeasureLag(const LagPlan& plan) {
  Admin admin(plan.uri);
  MAYFLY_RETURN_IF_ERROR(Drop(admin.connection(), kCollection));
  MAYFLY_RETURN_IF_ERROR(
      RunCommand(admin.connection(), std::string("{'createIndexes': '") + kCollection +
                                         "', 'indexes': [{'key': {'_ts': 1}, 'name': 'rule', "
                                         "'expireAfterSeconds': -1}]}"));
  std::vector<Group> groups = MakeGroups(plan);
  MAYFLY_ASSIGN_OR_RETURN(const Removed before, admin.GetRemoved());
  const Clock::time_point give_up =
      Clock::now() + std::chrono::seconds(plan.seconds + kLifetime + 10);
  Inserter inserter(plan, groups);
  Lag lag;
  for (const Group& group : groups) lag.documents += group.count;
  std::vector<Look> looks;
  Pacer pacer;
  int64_t deleted = 0;
  absl::Status status;
  while (status.ok() && deleted < lag.documents && Clock::now() < give_up) {
    const auto now = admin.GetRemoved();
    status = now.status();
    if (!status.ok()) break;
    if (now->documents - before.documents != deleted || looks.empty()) {
      deleted = now->documents - before.documents;
      looks.push_back({.at = Clock::now(), .deleted = deleted});
    }
    pacer.WaitFor(kGrain);
  }
  MAYFLY_RETURN_IF_ERROR(inserter.Join());
  MAYFLY_RETURN_IF_ERROR(status);
  AddLags(groups, looks, &lag);
  return lag;
}

absl::Status MeasureHiding(const std::string& uri, Lag* lag) {
  Admin admin(uri);
  const Collection collection = GetCollection(admin.connection(), kCollection);
  std::mt19937_64 random(7);
  Group group{.first_id = 1'000'000'000, .count = 1, .due = {}};
  Pacer pacer;
  for (int round = 0; round < 3; ++round) {
    group.first_id += 1;
    MAYFLY_RETURN_IF_ERROR(Insert(collection.get(), random, &group));
    // From a little before its moment to a little after.
    pacer.WaitUntil(group.due - std::chrono::milliseconds(20));
    while (Clock::now() < group.due + std::chrono::milliseconds(20)) {
      const bool surely_due = Clock::now() >= group.due;
      MAYFLY_ASSIGN_OR_RETURN(const int64_t found, Find(collection.get(), group.first_id));
      if (!surely_due) continue;
      ++lag->looks;
      lag->seen_too_late += found;
    }
  }
  return absl::OkStatus();
}

}  // namespace mayfly::bench

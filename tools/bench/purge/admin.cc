#include "tools/bench/purge/admin.h"

#include <chrono>

#include "tools/bench/mongo.h"
#include "tools/bench/purge/pacer.h"

namespace mayfly::bench {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

absl::Status Admin::Advance(int64_t seconds) {
  return RunCommand(
      connection_,
      Json("{'setClock': {'advanceMS': " + std::to_string(seconds * 1000) + "}}").get(), "admin");
}

absl::StatusOr<Removed> Admin::GetRemoved() {
  // Only the one section.
  const Document command = Json("{'serverStatus': 1, 'none': 1, 'metrics': 1}");
  bson_t reply;
  bson_error_t error;
  if (!mongoc_client_command_simple(connection_, "admin", command.get(), nullptr, &reply, &error)) {
    bson_destroy(&reply);
    return FromError(error, "serverStatus");
  }
  Removed removed;
  const auto read = [&reply](const char* counter, int64_t* value) {
    bson_iter_t iter;
    bson_iter_t field;
    if (!bson_iter_init(&iter, &reply) || !bson_iter_find_descendant(&iter, counter, &field)) {
      return false;
    }
    *value = bson_iter_as_int64(&field);
    return true;
  };
  const bool complete = read("metrics.ttl.deletedDocuments", &removed.documents) &&
                        read("metrics.ttl.sweptIndexEntries", &removed.entries);
  bson_destroy(&reply);
  if (complete) return removed;
  return base::Error(base::ErrorCode::kInternalError, "serverStatus has no metrics.ttl");
}

absl::StatusOr<std::vector<Progress>> WatchRemoval(Admin& admin, const Watch& watch) {
  std::vector<Progress> seen;
  Pacer pacer;
  const Clock::time_point start = Clock::now();
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const Removed removed, admin.GetRemoved());
    const int64_t gone = removed.rows() - watch.before;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seen.empty() || seen.back().rows != gone) {
      seen.push_back({.seconds = seconds, .rows = gone});
    }
    if (gone >= watch.rows) return seen;
    if (seconds > watch.timeout_seconds) {
      return base::Error(base::ErrorCode::kExceededTimeLimit,
                         "only " + std::to_string(gone) + " of " + std::to_string(watch.rows) +
                             " rows were removed in time");
    }
    pacer.WaitFor(watch.every);
  }
}

}  // namespace mayfly::bench

// What is expired and not removed yet.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "engine/catalog/collection.h"
#include "engine/storage/kv.h"

namespace mayfly::ttl {

struct Backlog {
  int64_t documents = 0;
  bool partial = false;                  // there are more; counting them would take too long
  std::optional<int64_t> oldest_due_ms;  // since when the oldest of them is due
};

// Adds the backlog of a collection to `*sum`, counting until there are `limit` documents in all. A
// document that is due by two rules counts twice.
absl::Status AddBacklog(engine::Transaction& transaction, const engine::Collection& collection,
                        int64_t now_ms, int64_t limit, Backlog* sum);

}  // namespace mayfly::ttl

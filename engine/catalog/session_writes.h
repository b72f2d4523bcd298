// The last retryable write of each session, kept in the database it wrote to and committed with it,
// so that its repeat is answered and not done again, also after a crash.
//
// Rows of the catalog space, one for each session:
//   "w" session:16 bytes -> BSON {number: int64, at: date, reply: document}
// A row is of use while its session may live; older ones go in small steps with later writes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

// Touched only inside operations of its database.
class SessionWrites {
 public:
  // As long as a session lives without being used.
  static constexpr int64_t kKeepMs = 30 * 60 * 1000;
  static constexpr int64_t kSweepEveryMs = 60 * 1000;
  // Rows looked at by one step of the sweep.
  static constexpr int kSweepRows = 500;

  struct Write {
    int64_t number = 0;
    std::string reply;  // BSON bytes
    bool operator==(const Write&) const = default;
  };

  SessionWrites();

  // The last write that `session` (16 bytes) did in this database; nullopt if none is known.
  absl::StatusOr<std::optional<Write>> Find(Transaction& transaction, std::string_view session);
  // Written once per commit; forgotten if the operation is undone.
  void Remember(Transaction& transaction, std::string_view session, Write write, int64_t now_ms);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace mayfly::engine

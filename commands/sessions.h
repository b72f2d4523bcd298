// Logical sessions: which are known and when they were last used, and for each the reply of its
// last retryable write, so that a repeat of it is answered and not executed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/random.h"
#include "bson/builder.h"
#include "bson/view.h"

namespace mayfly::commands {

// The UUID of a session.
struct SessionId {
  std::array<uint8_t, 16> bytes{};
  bool operator==(const SessionId&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const SessionId& id) {
    return H::combine(std::move(h), id.bytes);
  }
  // {id: UUID}, as clients write an lsid.
  bson::Document ToLsid() const;
  std::string_view AsKey() const { return {reinterpret_cast<const char*>(bytes.data()), 16}; }
  std::string ToText() const;  // "0fbc7c5b-..."
};

// The session of {id: UUID} as it stands in a command. `where` names the field in errors. Errors:
// 14 if not a document or `id` not a UUID, 40414 without `id`, 40415 for other fields, 207 for a
// UUID that is not 16 bytes.
absl::StatusOr<SessionId> ParseSessionId(bson::ValueView lsid, std::string_view where);
// The session of an lsid that was checked before.
SessionId SessionIdOf(bson::View lsid);

// Error 225: the session has begun a write with number `newer`.
absl::Status TransactionTooOld(const SessionId& id, int64_t txn_number, int64_t newer);

struct SessionStats {
  int64_t active = 0;
  int64_t ended = 0;    // by endSessions and killSessions
  int64_t expired = 0;  // not used for kTimeoutMinutes
  int64_t writes_remembered = 0;
  int64_t writes_repeated = 0;
};

// Thread-safe.
class SessionRegistry {
 public:
  static constexpr int kTimeoutMinutes = 30;
  static constexpr size_t kMaxSessions = 1'000'000;
  // Bytes of remembered replies in all; beyond that the longest unused go.
  static constexpr size_t kMaxReplyBytes = 64 * 1024 * 1024;

  // `clock` must outlive the registry.
  explicit SessionRegistry(const base::Clock& clock, size_t max_sessions = kMaxSessions);

  // A new session. Error: 261 TooManyLogicalSessions.
  absl::StatusOr<SessionId> Start();
  // The session was used; one that is not known is from now on. Error: 261 TooManyLogicalSessions.
  absl::Status Touch(const SessionId& id);
  // Forgets the session; ok if there is none.
  void End(const SessionId& id);
  void EndAll();
  // Forgets sessions that were not used for kTimeoutMinutes; every use of a session does so too.
  void Expire();
  bool Contains(const SessionId& id) const;
  // Every session with its last use in wall-clock milliseconds, longest unused first.
  void ForEach(const std::function<void(const SessionId&, int64_t)>& visit) const;
  SessionStats Stats() const;

  // Before a write with a transaction number runs: what is known of it here. Error: 225
  // TransactionTooOld if the session has begun a later one.
  struct Found {
    // False: nothing is known of the session's writes, or the reply was too long ago; the database
    // that it wrote to may know more.
    bool is_known = false;
    std::optional<std::string> reply;  // of that write, if it was done before
  };
  absl::StatusOr<Found> FindReply(const SessionId& id, int64_t txn_number);
  // After it: `reply` is BSON bytes.
  void Remember(const SessionId& id, int64_t txn_number, std::string reply);
  // The write was undone after all.
  void Forget(const SessionId& id, int64_t txn_number);

 private:
  struct Session {
    SessionId id;
    int64_t last_use_ms = 0;   // SinceBootMs
    int64_t last_wall_ms = 0;  // NowMs
    int64_t txn_number = -1;
    bool has_reply = false;
    std::string reply;
  };
  using Order = std::list<Session>;

  absl::StatusOr<Session*> UseLocked(const SessionId& id);
  void EraseLocked(Order::iterator session);
  void ExpireLocked();
  void ShrinkRepliesLocked(const Session& keep);
  void DropReplyLocked(Session& session);

  const base::Clock& clock_;
  const size_t max_sessions_;
  mutable std::mutex mutex_;
  base::Random random_;
  Order order_;  // longest unused first
  absl::flat_hash_map<SessionId, Order::iterator> by_id_;
  size_t reply_bytes_ = 0;
  SessionStats stats_;
};

}  // namespace mayfly::commands

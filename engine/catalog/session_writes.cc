#include "engine/catalog/session_writes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "bson/builder.h"
#include "bson/view.h"

namespace mayfly::engine {

namespace {

constexpr char kSessionWriteRow = 'w';

std::string RowKey(std::string_view session) {
  std::string key(1, kSessionWriteRow);
  key.append(session);
  return key;
}

}  // namespace

struct SessionWrites::State {
  struct Pending {
    Write write;
    int64_t at_ms = 0;
  };
  // What the next commit writes.
  absl::flat_hash_map<std::string, Pending> pending;
  int64_t swept_ms = 0;
  std::string sweep_from;

  absl::Status Flush(Transaction& commit);
  absl::Status Sweep(Transaction& commit, int64_t now_ms);
};

absl::Status SessionWrites::State::Flush(Transaction& commit) {
  int64_t now_ms = 0;
  for (const auto& [session, pending] : pending) {
    bson::Builder row;
    row.Int64("number", pending.write.number).Date("at", pending.at_ms);
    row.Document("reply", bson::View(pending.write.reply));
    MAYFLY_RETURN_IF_ERROR(commit.PutKey(kCatalogSpace, RowKey(session), row.Finish().bytes()));
    now_ms = std::max(now_ms, pending.at_ms);
  }
  pending.clear();
  return Sweep(commit, now_ms);
}

absl::Status SessionWrites::State::Sweep(Transaction& commit, int64_t now_ms) {
  const int64_t since_ms = now_ms - swept_ms;
  if (since_ms >= 0 && since_ms < kSweepEveryMs) return absl::OkStatus();
  swept_ms = now_ms;
  std::vector<std::string> old;
  auto cursor = commit.NewKeyCursor(kCatalogSpace, Direction::kForward);
  cursor->Seek(RowKey(sweep_from));
  sweep_from.clear();
  for (int looked_at = 0;; ++looked_at) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more || cursor->key().front() != kSessionWriteRow) break;
    if (looked_at == kSweepRows) {
      sweep_from = cursor->key().substr(1);
      break;
    }
    const bson::ValueView at = bson::View(cursor->value()).Find("at");
    if (now_ms - at.AsDate() > kKeepMs) old.emplace_back(cursor->key());
  }
  cursor.reset();
  for (const std::string& key : old) {
    MAYFLY_RETURN_IF_ERROR(commit.DeleteKey(kCatalogSpace, key));
  }
  return absl::OkStatus();
}

SessionWrites::SessionWrites() : state_(std::make_shared<State>()) {}

absl::StatusOr<std::optional<SessionWrites::Write>> SessionWrites::Find(Transaction& transaction,
                                                                        std::string_view session) {
  const auto pending = state_->pending.find(std::string(session));
  if (pending != state_->pending.end()) return pending->second.write;
  MAYFLY_ASSIGN_OR_RETURN(const auto value, transaction.GetKey(kCatalogSpace, RowKey(session)));
  if (!value.has_value()) return std::nullopt;
  const bson::View row(*value);
  return Write{row.Find("number").AsInt64(), std::string(row.Find("reply").AsDocument().bytes())};
}

void SessionWrites::Remember(Transaction& transaction, std::string_view session, Write write,
                             int64_t now_ms) {
  std::optional<State::Pending> before;
  State::Pending& pending = state_->pending[std::string(session)];
  if (pending.at_ms != 0) before = std::move(pending);
  pending = {std::move(write), now_ms};
  transaction.OnRollback([state = state_, session = std::string(session), before] {
    if (before.has_value()) {
      state->pending[session] = *before;
    } else {
      state->pending.erase(session);
    }
  });
  transaction.BeforeCommit(state_.get(),
                           [state = state_](Transaction& commit) { return state->Flush(commit); });
}

}  // namespace mayfly::engine

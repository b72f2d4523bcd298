#include "commands/sessions.h"

#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "commands/arguments.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

}  // namespace

bson::Document SessionId::ToLsid() const {
  bson::Builder builder;
  builder.Binary("id", bson::kBinaryUuid,
                 {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return builder.Finish();
}

std::string SessionId::ToText() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

SessionId SessionIdOf(bson::View lsid) {
  SessionId id;
  const bson::ValueView value = lsid.Find("id");
  if (value.type() != bson::Type::kBinary) return id;
  const std::string_view bytes = value.AsBinary().bytes;
  if (bytes.size() == id.bytes.size()) std::memcpy(id.bytes.data(), bytes.data(), bytes.size());
  return id;
}

absl::StatusOr<SessionId> ParseSessionId(bson::ValueView lsid, std::string_view where) {
  if (!lsid.IsDocument()) return WrongTypeError(where, "lsid", lsid.type(), "object");
  const bson::View document = lsid.AsDocument();
  bson::ValueView id;
  for (const bson::Element& element : document) {
    if (element.key == "id") {
      id = element.value;
    } else if (element.key != "uid" && element.key != "txnNumber" && element.key != "txnUUID") {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field '", where, ".", element.key, "' is an unknown field."));
    }
  }
  if (id.IsNullish()) {
    return Error(ErrorCode::kIDLFailedToParse,
                 StrCat("BSON field '", where, ".id' is missing but a required field"));
  }
  if (id.type() != bson::Type::kBinary) return WrongTypeError(where, "id", id.type(), "binData");
  if (id.AsBinary().subtype != bson::kBinaryUuid) {
    return Error(ErrorCode::kTypeMismatch,
                 StrCat("BSON field '", where, ".id' is the wrong binData type, expected UUID"));
  }
  if (id.AsBinary().bytes.size() != 16) {
    return Error(ErrorCode::kInvalidUUID,
                 "uuid must be a 16-byte binary field with UUID (4) subtype");
  }
  return SessionIdOf(document);
}

absl::Status TransactionTooOld(const SessionId& id, int64_t txn_number, int64_t newer) {
  return Error(ErrorCode::kTransactionTooOld,
               StrCat("Retryable write with txnNumber ", txn_number, " is prohibited on session ",
                      id.ToText(), " because a newer retryable write with txnNumber ", newer,
                      " has already started on this session."));
}

SessionRegistry::SessionRegistry(const base::Clock& clock, size_t max_sessions)
    : clock_(clock), max_sessions_(max_sessions), random_(base::Random::FromSystem()) {}

absl::StatusOr<SessionId> SessionRegistry::Start() {
  const std::lock_guard lock(mutex_);
  SessionId id;
  random_.Fill(id.bytes.data(), id.bytes.size());
  id.bytes[6] = (id.bytes[6] & 0x0F) | 0x40;  // version 4
  id.bytes[8] = (id.bytes[8] & 0x3F) | 0x80;
  MAYFLY_RETURN_IF_ERROR(UseLocked(id).status());
  return id;
}

absl::Status SessionRegistry::Touch(const SessionId& id) {
  const std::lock_guard lock(mutex_);
  return UseLocked(id).status();
}

absl::StatusOr<SessionRegistry::Session*> SessionRegistry::UseLocked(const SessionId& id) {
  ExpireLocked();
  auto it = by_id_.find(id);
  if (it == by_id_.end()) {
    if (by_id_.size() >= max_sessions_) {
      return Error(ErrorCode::kTooManyLogicalSessions,
                   StrCat("Unable to add session ID ", id.ToText(),
                          " into the cache because the number of active sessions is too high"));
    }
    order_.push_back(Session{.id = id});
    it = by_id_.emplace(id, std::prev(order_.end())).first;
  } else {
    order_.splice(order_.end(), order_, it->second);
  }
  Session& session = *it->second;
  session.last_use_ms = clock_.SinceBootMs();
  session.last_wall_ms = clock_.NowMs();
  return &session;
}

void SessionRegistry::Expire() {
  const std::lock_guard lock(mutex_);
  ExpireLocked();
}

void SessionRegistry::ExpireLocked() {
  const int64_t limit = clock_.SinceBootMs() - int64_t{kTimeoutMinutes} * 60 * 1000;
  while (!order_.empty() && order_.front().last_use_ms < limit) {
    EraseLocked(order_.begin());
    ++stats_.expired;
  }
}

void SessionRegistry::EraseLocked(Order::iterator session) {
  DropReplyLocked(*session);
  by_id_.erase(session->id);
  order_.erase(session);
}

void SessionRegistry::End(const SessionId& id) {
  const std::lock_guard lock(mutex_);
  const auto it = by_id_.find(id);
  if (it == by_id_.end()) return;
  EraseLocked(it->second);
  ++stats_.ended;
}

void SessionRegistry::EndAll() {
  const std::lock_guard lock(mutex_);
  stats_.ended += static_cast<int64_t>(order_.size());
  by_id_.clear();
  order_.clear();
  reply_bytes_ = 0;
}

bool SessionRegistry::Contains(const SessionId& id) const {
  const std::lock_guard lock(mutex_);
  return by_id_.contains(id);
}

void SessionRegistry::ForEach(const std::function<void(const SessionId&, int64_t)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const Session& session : order_) visit(session.id, session.last_wall_ms);
}

SessionStats SessionRegistry::Stats() const {
  const std::lock_guard lock(mutex_);
  SessionStats stats = stats_;
  stats.active = static_cast<int64_t>(order_.size());
  return stats;
}

absl::StatusOr<SessionRegistry::Found> SessionRegistry::FindReply(const SessionId& id,
                                                                  int64_t txn_number) {
  const std::lock_guard lock(mutex_);
  MAYFLY_ASSIGN_OR_RETURN(Session * session, UseLocked(id));
  if (txn_number < session->txn_number)
    return TransactionTooOld(id, txn_number, session->txn_number);
  if (session->txn_number < 0) return Found{};
  if (txn_number > session->txn_number) return Found{.is_known = true};
  if (!session->has_reply) return Found{};
  ++stats_.writes_repeated;
  return Found{.is_known = true, .reply = session->reply};
}

void SessionRegistry::Remember(const SessionId& id, int64_t txn_number, std::string reply) {
  const std::lock_guard lock(mutex_);
  const auto used = UseLocked(id);
  if (!used.ok()) return;  // ended meanwhile, and others took its place
  Session& session = **used;
  if (txn_number < session.txn_number) return;
  DropReplyLocked(session);
  session.txn_number = txn_number;
  session.has_reply = true;
  session.reply = std::move(reply);
  reply_bytes_ += session.reply.size();
  ++stats_.writes_remembered;
  ShrinkRepliesLocked(session);
}

void SessionRegistry::Forget(const SessionId& id, int64_t txn_number) {
  const std::lock_guard lock(mutex_);
  const auto it = by_id_.find(id);
  if (it == by_id_.end() || it->second->txn_number != txn_number) return;
  DropReplyLocked(*it->second);
  it->second->txn_number = txn_number - 1;
}

void SessionRegistry::DropReplyLocked(Session& session) {
  reply_bytes_ -= session.reply.size();
  session.reply = std::string();
  session.has_reply = false;
}

void SessionRegistry::ShrinkRepliesLocked(const Session& keep) {
  for (auto it = order_.begin(); reply_bytes_ > kMaxReplyBytes && it != order_.end(); ++it) {
    if (&*it != &keep) DropReplyLocked(*it);
  }
}

}  // namespace mayfly::commands

#include "engine/cursor/cursor.h"

#include <utility>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "engine/catalog/record.h"

namespace mayfly::engine {

void Cursor::Attach(Transaction* transaction, int64_t now_ms, Interrupt* interrupt,
                    base::Random* random) {
  context_->transaction = transaction;
  context_->now_ms = now_ms;
  context_->evaluation.interrupt = interrupt;
  context_->evaluation.random = random;
  if (transaction != nullptr) stream_->Resume(*transaction);
}

void Cursor::Detach() {
  stream_->Suspend();
  in_first_batch_ = false;
  context_->transaction = nullptr;
  context_->reporter = nullptr;
  context_->evaluation.interrupt = nullptr;
  context_->evaluation.random = nullptr;
}

void Cursor::Invalidate(absl::Status why) {
  stream_.reset();
  context_.reset();
  keepers_.clear();
  collection_.reset();
  invalid_ = std::move(why);
}

absl::StatusOr<bool> Cursor::FillBatch(int64_t max_documents, bson::Builder* reply) {
  // Room for the rest of the reply and the array's keys.
  constexpr size_t kReserve = 4096;
  // A batch that has grown to this may well become the largest there is: its memory is taken in one
  // piece, instead of being doubled and copied.
  constexpr size_t kLargeBatch = 256 * 1024;
  bool reserved = false;
  int64_t documents = 0;
  ++batches_returned;
  Row row;
  while (max_documents < 0 || documents < max_documents) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, Next(&row));
    if (!more) return true;
    const bson::View document = row.doc();
    if (document.size() > static_cast<uint32_t>(base::kMaxInternalBsonSize)) {
      return base::Error(
          base::ErrorCode::kBSONObjectTooLarge,
          base::StrCat("BSONObj size: ", document.size(),
                       " is invalid. Size must be between 0 and ", base::kMaxInternalBsonSize));
    }
    const bool fits = reply->size() + document.size() + kReserve <= base::kMaxInternalBsonSize;
    if (!fits && documents > 0) {
      row.MakeOwned();
      pending_ = std::move(row);
      return false;
    }
    if (!reserved && reply->size() + document.size() > kLargeBatch) {
      reply->Reserve(base::kMaxInternalBsonSize);
      reserved = true;
    }
    reply->PushDocument(document);
    ++documents;
    ++documents_returned;
  }
  return limit > 0 && documents_returned >= limit;
}

absl::StatusOr<bool> Cursor::Next(Row* row) {
  while (true) {
    const bool waited = pending_.has_value();
    if (waited) {
      *row = *std::move(pending_);
      pending_.reset();
    } else {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, stream_->Next(row));
      if (!more) return false;
    }
    const bool read_earlier = !in_first_batch_ && (waited || context_->holds_documents);
    if (!read_earlier || row->record_id == kNoRecord) return true;
    MAYFLY_ASSIGN_OR_RETURN(const bool visible, IsStillVisible(row->record_id));
    if (visible) return true;
  }
}

absl::StatusOr<bool> Cursor::IsStillVisible(RecordId id) {
  if (collection_ == nullptr || collection_->dropped()) return true;
  const LastWriteRule& rule = collection_->last_write_rule();
  if (!rule.is_on()) return true;
  MAYFLY_ASSIGN_OR_RETURN(const auto found,
                          context_->transaction->GetRecord(collection_->state().records, id));
  return found.has_value() && !ReadRecord(*found).header.IsExpired(rule, context_->now_ms);
}

CursorRegistry::CursorRegistry(const base::Clock& clock)
    : clock_(clock), random_(base::Random::FromSystem()) {}

int64_t CursorRegistry::Add(std::unique_ptr<Cursor> cursor) {
  const std::lock_guard lock(mutex_);
  cursor->created_ms = cursor->last_use_ms = clock_.SinceBootMs();
  int64_t id = 0;
  while (id == 0 || entries_.contains(id)) {
    id = static_cast<int64_t>(random_.NextU64() & 0x7FFF'FFFF'FFFF'FFFFu);
  }
  std::string ns = cursor->ns();
  entries_.emplace(id, Entry{std::move(cursor), std::move(ns)});
  return id;
}

absl::StatusOr<std::unique_ptr<Cursor>> CursorRegistry::Take(int64_t id) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) {
    return base::Error(base::ErrorCode::kCursorNotFound,
                       base::StrCat("cursor id ", id, " not found"));
  }
  if (it->second.cursor == nullptr) {
    return base::Error(base::ErrorCode::kCursorInUse,
                       base::StrCat("cursor id ", id, " is already in use"));
  }
  return std::move(it->second.cursor);
}

void CursorRegistry::Return(int64_t id, std::unique_ptr<Cursor> cursor) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return;  // killed; the cursor ends here
  cursor->last_use_ms = clock_.SinceBootMs();
  it->second.cursor = std::move(cursor);
}

void CursorRegistry::Forget(int64_t id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(id);
}

bool CursorRegistry::Kill(int64_t id) {
  std::unique_ptr<Cursor> doomed;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end()) return false;
  doomed = std::move(it->second.cursor);
  entries_.erase(it);
  return true;
}

void CursorRegistry::KillIf(absl::FunctionRef<bool(const Cursor&)> matches) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) {
    return entry.second.cursor != nullptr && matches(*entry.second.cursor);
  });
}

void CursorRegistry::InvalidateIf(absl::FunctionRef<bool(const Cursor&)> matches,
                                  const absl::Status& why) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, entry] : entries_) {
    if (entry.cursor != nullptr && matches(*entry.cursor)) entry.cursor->Invalidate(why);
  }
}

int CursorRegistry::KillIdle(int64_t timeout_ms) {
  const int64_t now_ms = clock_.SinceBootMs();
  const std::lock_guard lock(mutex_);
  const auto killed = std::erase_if(entries_, [&](const auto& entry) {
    const Cursor* cursor = entry.second.cursor.get();
    return cursor != nullptr && !cursor->no_timeout && cursor->lsid.empty() &&
           now_ms - cursor->last_use_ms >= timeout_ms;
  });
  timed_out_ += static_cast<int64_t>(killed);
  return static_cast<int>(killed);
}

void CursorRegistry::ForEachIdle(absl::FunctionRef<void(int64_t id, const Cursor&)> visit) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (entry.cursor != nullptr) visit(id, *entry.cursor);
  }
}

std::string CursorRegistry::NamespaceOf(int64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  return it == entries_.end() ? std::string() : it->second.ns;
}

int64_t CursorRegistry::open() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(entries_.size());
}

int64_t CursorRegistry::timed_out() const {
  const std::lock_guard lock(mutex_);
  return timed_out_;
}

}  // namespace mayfly::engine

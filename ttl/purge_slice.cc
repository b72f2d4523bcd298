#include "ttl/purge_slice.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/status.h"
#include "engine/catalog/record.h"
#include "engine/collection/writer.h"
#include "engine/index/expiry_index.h"
#include "engine/index/index_keys.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::ttl {
namespace {

using engine::Collection;
using engine::ExpiryClass;
using engine::ExpiryEntry;
using engine::Index;
using engine::RecordId;
using engine::RemovalReason;

// Entries are collected and then removed in runs of this many, so that the cursor need not seek
// after every removal.
constexpr size_t kRun = 64;
// Records looked at in one go while entries of older documents are added.
constexpr int kBackfillRun = 256;

// The work of one slice in one collection.
class CollectionPurge {
 public:
  CollectionPurge(const engine::WriteContext& write, std::shared_ptr<Collection> collection,
                  const base::Clock& clock, int64_t deadline_us, int64_t documents_left,
                  RemovalObserver* observer)
      : write_(write),
        collection_(std::move(collection)),
        writer_(write, collection_),
        clock_(clock),
        deadline_us_(deadline_us),
        documents_left_(documents_left),
        observer_(observer) {}

  absl::Status Run(PurgeKinds kinds) {
    if (kinds.last_write && collection_->last_write_rule().is_on()) {
      MAYFLY_RETURN_IF_ERROR(Backfill());
      MAYFLY_RETURN_IF_ERROR(PurgeClass(ExpiryClass::kOwn, 0));
      const engine::LastWriteRule& rule = collection_->last_write_rule();
      if (rule.mode == engine::LastWriteRule::Mode::kDefault) {
        MAYFLY_RETURN_IF_ERROR(PurgeClass(ExpiryClass::kDefault, int64_t{rule.seconds} * 1000));
      }
    }
    if (kinds.date) {
      for (const auto& index : collection_->indexes()) {
        if (index->spec.IsDateTtl()) MAYFLY_RETURN_IF_ERROR(PurgeDates(index));
      }
    }
    writer_.Flush();
    return absl::OkStatus();
  }

  const SliceResult& result() const { return result_; }

 private:
  int64_t now_ms() const { return write_.evaluation.now_ms; }

  bool BudgetSpent() {
    if (result_.removed < documents_left_ && !write_.transaction.ShouldYield() &&
        clock_.MonotonicUs() < deadline_us_) {
      return false;
    }
    result_.more = true;
    return true;
  }

  void NoteDue(int64_t due_ms) {
    result_.next_due_ms = std::min(result_.next_due_ms.value_or(due_ms), due_ms);
  }

  // Adds the entries of documents that were there before the rule.
  absl::Status Backfill() {
    while (!collection_->state().backfill.done()) {
      const RecordId end = collection_->state().backfill.end;
      RecordId next = collection_->state().backfill.next;
      auto cursor = write_.transaction.NewRecordCursor(collection_->state().records,
                                                       engine::Direction::kForward);
      cursor->Seek(next);
      std::vector<std::string> keys;
      bool at_end = true;
      for (int i = 0; i < kBackfillRun; ++i) {
        MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
        if (!more || cursor->id() >= end) {
          next = end;
          break;
        }
        const auto entry =
            engine::ExpiryEntryOf(engine::ReadRecord(cursor->value()).header, cursor->id());
        if (entry.has_value()) keys.push_back(engine::ExpiryKey(*entry));
        next = cursor->id() + 1;
        at_end = false;
      }
      cursor.reset();
      for (const std::string& key : keys) {
        MAYFLY_RETURN_IF_ERROR(write_.transaction.PutKey(collection_->state().expiry, key, {}));
      }
      MAYFLY_RETURN_IF_ERROR(write_.catalog.Modify(
          write_.transaction, *collection_,
          [&](Collection::State& state) { state.backfill.next = at_end ? end : next; }));
      if (BudgetSpent()) break;
    }
    return absl::OkStatus();
  }

  // Removes what is due of one class: entries up to `now` less `lifetime_ms`.
  absl::Status PurgeClass(ExpiryClass expiry_class, int64_t lifetime_ms) {
    while (!BudgetSpent()) {
      std::vector<ExpiryEntry> due;
      auto cursor =
          write_.transaction.NewKeyCursor(collection_->state().expiry, engine::Direction::kForward);
      cursor->Seek(engine::ExpiryClassStart(expiry_class));
      while (due.size() < kRun) {
        MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
        if (!more) break;
        const ExpiryEntry entry = engine::ParseExpiryKey(cursor->key());
        if (entry.expiry_class != expiry_class) break;
        if (entry.moment_ms + lifetime_ms > now_ms()) {
          NoteDue(entry.moment_ms + lifetime_ms);
          break;
        }
        due.push_back(entry);
      }
      cursor.reset();
      if (due.empty()) return absl::OkStatus();
      for (const ExpiryEntry& entry : due) {
        MAYFLY_RETURN_IF_ERROR(RemoveDue(entry, entry.moment_ms + lifetime_ms));
        if (BudgetSpent()) return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  absl::Status RemoveDue(const ExpiryEntry& entry, int64_t due_ms) {
    MAYFLY_ASSIGN_OR_RETURN(const auto found,
                            write_.transaction.GetRecord(collection_->state().records, entry.id));
    const auto drop_entry = [&] {
      return write_.transaction.DeleteKey(collection_->state().expiry, engine::ExpiryKey(entry));
    };
    if (!found.has_value()) return drop_entry();
    const std::string bytes(*found);
    const engine::RecordView record = engine::ReadRecord(bytes);
    const auto current = engine::ExpiryEntryOf(record.header, entry.id);
    const bool stale = !current.has_value() || current->moment_ms != entry.moment_ms ||
                       current->expiry_class != entry.expiry_class;
    if (stale) return drop_entry();
    if (!record.header.IsExpired(collection_->last_write_rule(), now_ms())) return absl::OkStatus();
    return Remove(entry.id, record, RemovalReason::kLastWriteTtl, due_ms);
  }

  absl::Status Remove(RecordId id, const engine::RecordView& record, RemovalReason reason,
                      int64_t due_ms) {
    MAYFLY_RETURN_IF_ERROR(writer_.Remove(id, record, reason));
    ++result_.removed;
    if (observer_ != nullptr) {
      observer_->OnRemoved(collection_->ns(), record.document, reason, due_ms, now_ms());
    }
    return absl::OkStatus();
  }

  // Expiry by the date in the field of `index`.
  absl::Status PurgeDates(const std::shared_ptr<const Index>& index) {
    const int64_t lifetime_ms = int64_t{*index->spec.expire_after_seconds} * 1000;
    const engine::KeyEncoder encoder(engine::OrderingOf(index->spec), index->strings.get());
    const bson::Value lowest = bson::Value::Date(std::numeric_limits<int64_t>::min());
    const bson::Value cutoff = bson::Value::Date(now_ms() - lifetime_ms);
    std::string start;
    std::string end;
    engine::AppendRange(encoder, 0, {.low = lowest, .high = cutoff}, &start, &end);
    while (!BudgetSpent()) {
      MAYFLY_ASSIGN_OR_RETURN(const auto due, CollectEntries(*index, start, end));
      if (due.empty()) return NoteNextDate(*index, encoder, lifetime_ms);
      for (const auto& [key, id] : due) {
        MAYFLY_RETURN_IF_ERROR(RemoveDated(*index, key, id));
        if (BudgetSpent()) return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  using Entries = std::vector<std::pair<std::string, RecordId>>;

  absl::StatusOr<Entries> CollectEntries(const Index& index, std::string_view start,
                                         std::string_view end) {
    Entries entries;
    auto cursor = write_.transaction.NewKeyCursor(index.space, engine::Direction::kForward);
    cursor->Seek(start);
    while (entries.size() < kRun) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more || cursor->key() >= end) break;
      entries.emplace_back(cursor->key(),
                           engine::ParseEntry(index, cursor->key(), cursor->value()).id);
    }
    return entries;
  }

  absl::Status RemoveDated(const Index& index, const std::string& key, RecordId id) {
    MAYFLY_ASSIGN_OR_RETURN(const auto found,
                            write_.transaction.GetRecord(collection_->state().records, id));
    if (!found.has_value()) return write_.transaction.DeleteKey(index.space, key);
    const std::string bytes(*found);
    return Remove(id, engine::ReadRecord(bytes), RemovalReason::kDateTtl, now_ms());
  }

  // The next date of the index that is not due yet.
  absl::Status NoteNextDate(const Index& index, const engine::KeyEncoder& encoder,
                            int64_t lifetime_ms) {
    const bool descending = encoder.ordering().IsDescending(0);
    std::string low;
    std::string high;
    const bson::Value cutoff = bson::Value::Date(now_ms() - lifetime_ms);
    const bson::Value highest = bson::Value::Date(std::numeric_limits<int64_t>::max());
    engine::AppendRange(encoder, 0, {.low = cutoff, .high = highest, .low_inclusive = false}, &low,
                        &high);
    auto cursor = write_.transaction.NewKeyCursor(
        index.space, descending ? engine::Direction::kBackward : engine::Direction::kForward);
    cursor->Seek(descending ? high : low);
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more || cursor->key() < low) return absl::OkStatus();
      if (cursor->key() < high) break;
      if (!descending) return absl::OkStatus();
    }
    const engine::IndexEntry entry = engine::ParseEntry(index, cursor->key(), cursor->value());
    MAYFLY_ASSIGN_OR_RETURN(
        const auto values, engine::DecodeKey(entry.fields, entry.type_bits, encoder.ordering(), 1));
    NoteDue(values.front().view().AsDate() + lifetime_ms);
    return absl::OkStatus();
  }

  const engine::WriteContext& write_;
  std::shared_ptr<Collection> collection_;
  engine::CollectionWriter writer_;
  const base::Clock& clock_;
  const int64_t deadline_us_;
  const int64_t documents_left_;
  RemovalObserver* observer_;
  SliceResult result_;
};

bool HasRule(const Collection& collection) {
  if (collection.IsView()) return false;
  if (collection.last_write_rule().is_on()) return true;
  return std::any_of(collection.indexes().begin(), collection.indexes().end(),
                     [](const auto& index) { return index->spec.IsDateTtl(); });
}

// Collections with rules, those from `position` on first.
std::vector<std::shared_ptr<Collection>> InTurn(const engine::Catalog& catalog,
                                                const SlicePosition& position) {
  std::vector<std::shared_ptr<Collection>> collections;
  for (auto& collection : catalog.All()) {
    if (HasRule(*collection)) collections.push_back(std::move(collection));
  }
  const auto first = std::find_if(
      collections.begin(), collections.end(),
      [&](const auto& collection) { return collection->name() >= position.collection; });
  std::rotate(collections.begin(), first, collections.end());
  return collections;
}

}  // namespace

absl::StatusOr<SliceResult> RunPurgeSlice(engine::DatabaseHandle& database,
                                          engine::Transaction& transaction,
                                          const base::Clock& clock, PurgeKinds kinds,
                                          SliceBudget budget, SlicePosition* position,
                                          RemovalObserver* observer) {
  MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, database.GetCatalog(transaction));
  engine::EvaluationContext evaluation;
  evaluation.now_ms = clock.NowMs();
  const engine::WriteContext write{.transaction = transaction,
                                   .catalog = *catalog,
                                   .evaluation = evaluation,
                                   .modified_ms = evaluation.now_ms};
  const int64_t deadline_us = clock.MonotonicUs() + budget.max_us;
  SliceResult total;
  for (const auto& collection : InTurn(*catalog, *position)) {
    CollectionPurge purge(write, collection, clock, deadline_us,
                          budget.max_documents - total.removed, observer);
    // A failure undoes what was done in this collection only.
    const absl::Status status = transaction.WithSavepoint([&] { return purge.Run(kinds); });
    if (!status.ok()) {
      MAYFLY_LOG(err, "TTL", "removal in {} failed and will be tried again: {}", collection->ns(),
                 base::MessageOf(status));
      ++total.failed_collections;
      continue;
    }
    const SliceResult& result = purge.result();
    total.removed += result.removed;
    if (result.next_due_ms.has_value()) {
      total.next_due_ms =
          std::min(total.next_due_ms.value_or(*result.next_due_ms), *result.next_due_ms);
    }
    if (result.more) {
      position->collection = collection->name();
      total.more = true;
      return total;
    }
  }
  position->collection.clear();
  return total;
}

}  // namespace mayfly::ttl

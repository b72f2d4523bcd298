#include "engine/collection/writer.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/collection/index_builder.h"
#include "engine/collection/validation_details.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::engine {
namespace {

// Entries of a run that are put together.
constexpr size_t kRunEntries = 256;

bool IsUnique(const Index& index) { return index.spec.unique || index.spec.IsId(); }

// MongoDB addresses documents of a clustered collection by their `_id`.
constexpr size_t kMaxClusteredIdBytes = 8 * 1024 * 1024;

absl::Status CheckClusteredId(bson::View document) {
  const bson::ValueView id = document.Find("_id");
  // What MongoDB's key has besides the bytes: tag and end, or tag, size, subtype and end.
  const size_t bytes = id.IsString()                      ? id.AsString().size() + 2
                       : id.type() == bson::Type::kBinary ? id.AsBinary().bytes.size() + 7
                                                          : id.size() + 2;
  if (bytes <= kMaxClusteredIdBytes) return absl::OkStatus();
  return base::Error(5894900, "The _id of a document in a clustered collection is too large");
}

}  // namespace

void WarnOfMilliseconds(Collection& collection) {
  if (!collection.TakeEpochWarning()) return;
  MAYFLY_LOG(warn, "TTL",
             "{}: the attribute {} is read as Unix seconds, and a value of it looks like "
             "milliseconds; such documents do not expire",
             collection.ns(), collection.epoch_rule().attribute);
}

CollectionWriter::CollectionWriter(const WriteContext& context,
                                   std::shared_ptr<Collection> collection)
    : context_(context), collection_(std::move(collection)) {}

CollectionWriter::~CollectionWriter() { Flush(); }

void CollectionWriter::Flush() {
  if (due_ms_ != kNeverDue && context_.expiry_listener != nullptr) {
    context_.expiry_listener->OnRecordDue(collection_->database(), due_ms_);
  }
  due_ms_ = kNeverDue;
  if (documents_delta_ == 0 && bytes_delta_ == 0) return;
  context_.catalog.AddToCounters(context_.transaction, collection_, documents_delta_, bytes_delta_);
  documents_delta_ = 0;
  bytes_delta_ = 0;
}

bool CollectionWriter::IsVisible(const RecordView& record) const {
  return !record.header.IsExpired(collection_->last_write_rule(), context_.evaluation.now_ms);
}

absl::Status CollectionWriter::CheckValidator(bson::View document, bool was_valid) {
  const CollectionOptions& options = collection_->options();
  if (options.validator == nullptr || options.validation_off || context_.bypass_validation) {
    return absl::OkStatus();
  }
  if (!was_valid && !options.validation_strict) return absl::OkStatus();
  MatchContext match(context_.evaluation);
  MAYFLY_ASSIGN_OR_RETURN(const bool valid, options.validator->Matches(document, match));
  if (valid) return absl::OkStatus();
  if (!options.validation_error) {
    MAYFLY_LOG(warn, "STORAGE", "document would fail validation, collection {}", collection_->ns());
    return absl::OkStatus();
  }
  bson::Builder fields;
  fields.OpenDocument("errInfo").Append("failingDocumentId", document.Find("_id"));
  fields.OpenDocument("details");
  AppendValidationDetails(options.validator_document, document, context_.evaluation, &fields);
  fields.Close().Close();
  return base::WithErrorFields(
      base::Error(base::ErrorCode::kDocumentValidationFailure, "Document failed validation"),
      fields.Finish().bytes());
}

absl::Status CollectionWriter::CheckUnique(const Index& index, const IndexKeySet& keys,
                                           RecordId self, std::vector<RecordId>* expired) {
  Transaction& transaction = context_.transaction;
  for (const IndexKeySet::Key& key : keys.keys()) {
    MAYFLY_ASSIGN_OR_RETURN(const auto found, transaction.GetKey(index.space, key.fields));
    if (!found.has_value()) continue;
    const RecordId holder = ParseEntry(index, key.fields, *found).id;
    if (holder == self) continue;
    MAYFLY_ASSIGN_OR_RETURN(const auto record,
                            transaction.GetRecord(collection_->state().records, holder));
    if (!record.has_value()) continue;  // an entry that the sweep has yet to remove
    if (IsVisible(ReadRecord(*record))) {
      return DuplicateKeyError(*collection_, index,
                               {.fields = key.fields, .type_bits = key.type_bits});
    }
    expired->push_back(holder);
  }
  return absl::OkStatus();
}

absl::Status CollectionWriter::CheckPrepared(const Index& index, const IndexKeySet& keys,
                                             RecordId self, std::vector<RecordId>* expired) {
  Transaction& transaction = context_.transaction;
  for (const IndexKeySet::Key& key : keys.keys()) {
    std::vector<RecordId> holders;
    {
      auto cursor = transaction.NewKeyCursor(index.space, Direction::kForward);
      cursor->Seek(key.fields);
      while (true) {
        MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
        if (!more || !cursor->key().starts_with(key.fields)) break;
        const IndexEntry entry = ParseEntry(index, cursor->key(), cursor->value());
        if (entry.fields == key.fields && entry.id != self) holders.push_back(entry.id);
      }
    }
    for (const RecordId holder : holders) {
      MAYFLY_ASSIGN_OR_RETURN(const auto record,
                              transaction.GetRecord(collection_->state().records, holder));
      if (!record.has_value()) continue;
      if (IsVisible(ReadRecord(*record))) {
        return DuplicateKeyError(*collection_, index,
                                 {.fields = key.fields, .type_bits = key.type_bits});
      }
      expired->push_back(holder);
    }
  }
  return absl::OkStatus();
}

absl::Status CollectionWriter::CheckKeys(const Index& index, const IndexKeySet& keys, RecordId self,
                                         std::vector<RecordId>* expired) {
  if (index.spec.unique || index.spec.IsId()) return CheckUnique(index, keys, self, expired);
  if (index.spec.prepare_unique) return CheckPrepared(index, keys, self, expired);
  return absl::OkStatus();
}

absl::Status CollectionWriter::RemoveExpired(const std::vector<RecordId>& expired) {
  for (const RecordId id : expired) {
    MAYFLY_ASSIGN_OR_RETURN(const auto found,
                            context_.transaction.GetRecord(collection_->state().records, id));
    if (!found.has_value()) continue;  // listed twice
    const std::string bytes(*found);
    const RecordView record = ReadRecord(bytes);
    const auto due = record.header.ExpiresAtMs(collection_->last_write_rule());
    MAYFLY_RETURN_IF_ERROR(
        Remove(id, record, {.reason = RemovalReason::kLastWriteTtl, .due_ms = due.value_or(0)}));
  }
  return absl::OkStatus();
}

absl::Status CollectionWriter::NoteMultikey(const Index& index, uint32_t multikey_fields) {
  if ((multikey_fields & ~index.multikey_fields) == 0) return absl::OkStatus();
  const SpaceId space = index.space;
  return context_.catalog.Modify(context_.transaction, *collection_, [&](Collection::State& state) {
    for (auto& entry : state.indexes) {
      if (entry->space != space) continue;
      auto changed = std::make_shared<Index>(*entry);
      changed->multikey_fields |= multikey_fields;
      entry = std::move(changed);
    }
  });
}

void CollectionWriter::NoteDue(int64_t due_ms) {
  collection_->LowerNextDue(due_ms);
  due_ms_ = std::min(due_ms_, due_ms);
}

void CollectionWriter::NoteEpochMoment(const RecordView& record, int64_t due_ms) {
  if (LooksLikeMilliseconds(record.document.Find(collection_->epoch_rule().attribute))) {
    WarnOfMilliseconds(*collection_);
  }
  // One so far in the past that the guard keeps it is no reason to wake up.
  if (due_ms >= context_.evaluation.now_ms - kEpochGuardMs) NoteDue(due_ms);
}

void CollectionWriter::NoteDates(const Index& index, const IndexKeySet& keys) {
  if (!index.spec.IsDateTtl()) return;
  for (const auto& key : keys.keys()) {
    const auto values = DecodeKey(key.fields, key.type_bits, OrderingOf(index.spec), 1);
    if (!values.ok() || values->front().view().type() != bson::Type::kDate) continue;
    NoteDue(DateDueMs(values->front().view().AsDate(), *index.spec.expire_after_seconds));
  }
}

absl::Status CollectionWriter::PutExpiryEntry(SpaceId space, const ExpiryEntry& entry) {
  SetExpiryKey(entry, &expiry_key_);
  if (!in_run_) return context_.transaction.PutKey(space, expiry_key_, {});
  run_.Add(expiry_key_);
  return run_.size() < kRunEntries ? absl::OkStatus() : PutRun();
}

absl::Status CollectionWriter::PutRun() {
  if (run_.size() == 0) return absl::OkStatus();
  absl::Status status = InsertKeys(context_.transaction, collection_->state().expiry, run_);
  run_.Clear();
  return status;
}

absl::Status CollectionWriter::EndRun() {
  in_run_ = false;
  return PutRun();
}

absl::Status CollectionWriter::PutExpiryEntries(const RecordView& record, RecordId id) {
  if (const SpaceId space = collection_->state().expiry; space != 0) {
    const auto entry = ExpiryEntryOf(record.header, id);
    if (entry.has_value()) {
      const auto due = record.header.ExpiresAtMs(collection_->last_write_rule());
      if (due.has_value()) NoteDue(*due);
      MAYFLY_RETURN_IF_ERROR(PutExpiryEntry(space, *entry));
    }
  }
  const EpochRule& epoch = collection_->epoch_rule();
  if (!epoch.is_on()) return absl::OkStatus();
  const auto entry = EpochEntryOf(epoch.attribute, record.document, id);
  if (!entry.has_value()) return absl::OkStatus();
  NoteEpochMoment(record, entry->moment_ms);
  return context_.transaction.PutKey(epoch.space, ExpiryKey(*entry), {});
}

absl::Status CollectionWriter::DeleteExpiryEntries(const RecordView& record, RecordId id,
                                                   SpaceId except) {
  if (const SpaceId space = collection_->state().expiry; space != 0 && space != except) {
    const auto entry = ExpiryEntryOf(record.header, id);
    if (entry.has_value()) {
      MAYFLY_RETURN_IF_ERROR(PutRun());
      SetExpiryKey(*entry, &expiry_key_);
      MAYFLY_RETURN_IF_ERROR(context_.transaction.DeleteKey(space, expiry_key_));
    }
  }
  const EpochRule& epoch = collection_->epoch_rule();
  if (!epoch.is_on() || epoch.space == except) return absl::OkStatus();
  const auto entry = EpochEntryOf(epoch.attribute, record.document, id);
  if (!entry.has_value()) return absl::OkStatus();
  return context_.transaction.DeleteKey(epoch.space, ExpiryKey(*entry));
}

absl::Status CollectionWriter::PutEntries(const Index& index, const IndexKeySet& keys,
                                          RecordId id) {
  for (const IndexKeySet::Key& key : keys.keys()) {
    entry_.Set(index, key, id);
    MAYFLY_RETURN_IF_ERROR(context_.transaction.PutKey(index.space, entry_.key(), entry_.value()));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> CollectionWriter::ClaimUniqueKeys(RecordId id) {
  const auto& indexes = collection_->indexes();
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (!IsUnique(*indexes[i])) continue;
    for (const IndexKeySet::Key& key : new_keys_[i].keys()) {
      entry_.Set(*indexes[i], key, id);
      MAYFLY_ASSIGN_OR_RETURN(const bool free, InsertKey(context_.transaction, indexes[i]->space,
                                                         entry_.key(), entry_.value()));
      if (free) continue;
      MAYFLY_RETURN_IF_ERROR(ReleaseUniqueKeys(key, id));
      return false;
    }
  }
  return true;
}

absl::Status CollectionWriter::ReleaseUniqueKeys(const IndexKeySet::Key& taken, RecordId id) {
  const auto& indexes = collection_->indexes();
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (!IsUnique(*indexes[i])) continue;
    for (const IndexKeySet::Key& key : new_keys_[i].keys()) {
      if (&key == &taken) return absl::OkStatus();
      entry_.Set(*indexes[i], key, id);
      MAYFLY_RETURN_IF_ERROR(context_.transaction.DeleteKey(indexes[i]->space, entry_.key()));
    }
  }
  return absl::OkStatus();
}

absl::Status CollectionWriter::TakeUniqueKeys(RecordId id) {
  std::vector<RecordId> expired;
  const auto indexes = collection_->indexes();
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (!IsUnique(*indexes[i])) continue;
    MAYFLY_RETURN_IF_ERROR(CheckUnique(*indexes[i], new_keys_[i], kNoRecord, &expired));
  }
  MAYFLY_RETURN_IF_ERROR(RemoveExpired(expired));
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (IsUnique(*indexes[i])) MAYFLY_RETURN_IF_ERROR(PutEntries(*indexes[i], new_keys_[i], id));
  }
  return absl::OkStatus();
}

absl::StatusOr<RecordId> CollectionWriter::Insert(bson::View document) {
  MAYFLY_RETURN_IF_ERROR(CheckValidator(document, true));
  if (collection_->options().clustered) MAYFLY_RETURN_IF_ERROR(CheckClusteredId(document));
  const size_t count = collection_->indexes().size();
  if (new_keys_.size() < count) new_keys_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    MAYFLY_RETURN_IF_ERROR(
        ComputeIndexKeys(*collection_->indexes()[i], document, context_.evaluation, &new_keys_[i]));
  }
  std::vector<RecordId> expired;
  for (size_t i = 0; i < count; ++i) {
    const Index& index = *collection_->indexes()[i];
    if (IsUnique(index) || !index.spec.prepare_unique) continue;
    MAYFLY_RETURN_IF_ERROR(CheckPrepared(index, new_keys_[i], kNoRecord, &expired));
  }
  MAYFLY_RETURN_IF_ERROR(RemoveExpired(expired));
  const RecordId id = collection_->counters().next_record;
  MAYFLY_ASSIGN_OR_RETURN(const bool claimed, ClaimUniqueKeys(id));
  if (!claimed) MAYFLY_RETURN_IF_ERROR(TakeUniqueKeys(id));
  // From here on only the store can fail.
  context_.catalog.NextRecordId(context_.transaction, collection_);
  WriteRecord(context_.modified_ms, document, &record_);
  MAYFLY_RETURN_IF_ERROR(context_.transaction.PutRecord(collection_->state().records, id, record_));
  for (size_t i = 0; i < count; ++i) {
    // Held, as NoteMultikey() may replace it.
    const std::shared_ptr<const Index> index = collection_->indexes()[i];
    if (!IsUnique(*index)) MAYFLY_RETURN_IF_ERROR(PutEntries(*index, new_keys_[i], id));
    MAYFLY_RETURN_IF_ERROR(NoteMultikey(*index, new_keys_[i].multikey_fields()));
    NoteDates(*index, new_keys_[i]);
  }
  MAYFLY_RETURN_IF_ERROR(PutExpiryEntries(ReadRecord(record_), id));
  ++documents_delta_;
  bytes_delta_ += document.size();
  if (collection_->options().capped) MAYFLY_RETURN_IF_ERROR(EvictCapped());
  return id;
}

absl::Status CollectionWriter::ReplaceEntries(const Index& index, bson::View before,
                                              const IndexKeySet& keys, RecordId id) {
  Transaction& transaction = context_.transaction;
  MAYFLY_RETURN_IF_ERROR(ComputeIndexKeys(index, before, context_.evaluation, &old_keys_));
  for (const auto& key : old_keys_.keys()) {
    if (keys.Contains(key.fields)) continue;
    MAYFLY_RETURN_IF_ERROR(transaction.DeleteKey(index.space, EntryKey(index, key.fields, id)));
  }
  for (const auto& key : keys.keys()) {
    const IndexKeySet::Key* old = old_keys_.Find(key.fields);
    if (old != nullptr && old->type_bits == key.type_bits) continue;
    MAYFLY_RETURN_IF_ERROR(transaction.PutKey(index.space, EntryKey(index, key.fields, id),
                                              EntryValue(index, key.type_bits, id)));
  }
  return NoteMultikey(index, keys.multikey_fields());
}

absl::Status CollectionWriter::Replace(RecordId id, const RecordView& before, bson::View after) {
  bool was_valid = true;
  const CollectionOptions& options = collection_->options();
  if (options.validator != nullptr && !options.validation_strict) {
    MatchContext match(context_.evaluation);
    MAYFLY_ASSIGN_OR_RETURN(was_valid, options.validator->Matches(before.document, match));
  }
  MAYFLY_RETURN_IF_ERROR(CheckValidator(after, was_valid));
  std::vector<RecordId> expired;
  const auto indexes = collection_->indexes();
  if (new_keys_.size() < indexes.size()) new_keys_.resize(indexes.size());
  for (size_t i = 0; i < indexes.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(
        ComputeIndexKeys(*indexes[i], after, context_.evaluation, &new_keys_[i]));
    if (!indexes[i]->spec.IsId()) {
      MAYFLY_RETURN_IF_ERROR(CheckKeys(*indexes[i], new_keys_[i], id, &expired));
    }
  }
  MAYFLY_RETURN_IF_ERROR(RemoveExpired(expired));
  Transaction& transaction = context_.transaction;
  for (size_t i = 0; i < indexes.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(ReplaceEntries(*indexes[i], before.document, new_keys_[i], id));
    NoteDates(*indexes[i], new_keys_[i]);
  }
  WriteRecord(context_.modified_ms, after, &record_);
  MAYFLY_RETURN_IF_ERROR(transaction.PutRecord(collection_->state().records, id, record_));
  MAYFLY_RETURN_IF_ERROR(DeleteExpiryEntries(before, id));
  MAYFLY_RETURN_IF_ERROR(PutExpiryEntries(ReadRecord(record_), id));
  bytes_delta_ += static_cast<int64_t>(after.size()) - before.document.size();
  return absl::OkStatus();
}

void CollectionWriter::NoteRemoved(const RecordView& before, Removal removal) {
  --documents_delta_;
  bytes_delta_ -= before.document.size();
  const bool expired =
      removal.reason != RemovalReason::kUser && removal.reason != RemovalReason::kCapped;
  if (!expired || context_.removal_observer == nullptr) return;
  context_.transaction.OnCommit(
      [observer = context_.removal_observer,
       removed = RemovedDocument{.ns = collection_->ns(),
                                 .document = bson::Document(before.document),
                                 .reason = removal.reason,
                                 .due_ms = removal.due_ms,
                                 .removed_ms = context_.evaluation.now_ms}]() mutable {
        observer->OnRemoved(std::move(removed));
      });
}

absl::Status CollectionWriter::Remove(RecordId id, const RecordView& before, Removal removal) {
  Transaction& transaction = context_.transaction;
  for (const auto& index : collection_->indexes()) {
    // A document that an index cannot hold has no entries in it.
    if (!ComputeIndexKeys(*index, before.document, context_.evaluation, &old_keys_).ok()) continue;
    for (const auto& key : old_keys_.keys()) {
      const std::string entry = EntryKey(*index, key.fields, id);
      if (index->spec.unique || index->spec.IsId()) {
        // The key may belong to another record by now if this one was expired.
        MAYFLY_ASSIGN_OR_RETURN(const auto found, transaction.GetKey(index->space, entry));
        if (!found.has_value() || ParseEntry(*index, entry, *found).id != id) continue;
      }
      MAYFLY_RETURN_IF_ERROR(transaction.DeleteKey(index->space, entry));
    }
  }
  MAYFLY_RETURN_IF_ERROR(DeleteExpiryEntries(before, id));
  MAYFLY_RETURN_IF_ERROR(transaction.DeleteRecord(collection_->state().records, id));
  NoteRemoved(before, removal);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<RecordId>> CollectionWriter::FindDue(size_t limit) {
  std::vector<RecordId> due;
  const LastWriteRule& rule = collection_->last_write_rule();
  if (!rule.is_on()) return due;
  MAYFLY_RETURN_IF_ERROR(PutRun());
  const int64_t now_ms = context_.evaluation.now_ms;
  const auto add = [&](ExpiryClass expiry_class, int64_t due_before_ms) -> absl::Status {
    auto cursor =
        context_.transaction.NewKeyCursor(collection_->state().expiry, Direction::kForward);
    cursor->Seek(ExpiryClassStart(expiry_class));
    while (due.size() < limit) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more) break;
      const ExpiryEntry entry = ParseExpiryKey(cursor->key());
      if (entry.expiry_class != expiry_class || entry.moment_ms > due_before_ms) break;
      due.push_back(entry.id);
    }
    return absl::OkStatus();
  };
  if (rule.mode == LastWriteRule::Mode::kDefault) {
    MAYFLY_RETURN_IF_ERROR(add(ExpiryClass::kDefault, now_ms - int64_t{rule.seconds} * 1000));
  }
  MAYFLY_RETURN_IF_ERROR(add(ExpiryClass::kOwn, now_ms));
  return due;
}

absl::Status CollectionWriter::EvictCapped() {
  const CollectionOptions& options = collection_->options();
  const auto too_much = [&] {
    const CollectionCounters& counters = collection_->counters();
    const int64_t documents = counters.documents + documents_delta_;
    const int64_t bytes = counters.data_bytes + bytes_delta_;
    return documents > 1 &&
           (bytes > options.capped_size_bytes ||
            (options.capped_max_documents > 0 && documents > options.capped_max_documents));
  };
  // What nobody sees any more goes before what is still visible.
  constexpr size_t kRun = 64;
  while (too_much()) {
    MAYFLY_ASSIGN_OR_RETURN(const std::vector<RecordId> due, FindDue(kRun));
    const int64_t before = documents_delta_;
    MAYFLY_RETURN_IF_ERROR(RemoveExpired(due));
    if (documents_delta_ == before) break;
  }
  while (too_much()) {
    auto cursor =
        context_.transaction.NewRecordCursor(collection_->state().records, Direction::kForward);
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) break;
    const RecordId id = cursor->id();
    const std::string bytes(cursor->value());
    cursor.reset();
    MAYFLY_RETURN_IF_ERROR(Remove(id, ReadRecord(bytes), {.reason = RemovalReason::kCapped}));
  }
  return absl::OkStatus();
}

}  // namespace mayfly::engine

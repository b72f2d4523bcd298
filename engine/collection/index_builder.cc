#include "engine/collection/index_builder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/catalog/record.h"
#include "engine/collection/writer.h"
#include "engine/index/index_keys.h"

namespace mayfly::engine {
namespace {

// Entries are sorted and written in runs of this many bytes, so that neighbours on a page are
// written together.
constexpr size_t kRunBytes = 64 * 1024 * 1024;

struct PendingEntry {
  std::string key;
  std::string value;
};

class Builder {
 public:
  Builder(const WriteContext& context, const std::shared_ptr<Collection>& collection,
          const std::shared_ptr<const Index>& index, bool* yielded)
      : context_(context), collection_(collection), index_(index), yielded_(yielded) {}

  absl::Status Run() {
    if (index_->spec.IsLastWriteTtl()) return absl::OkStatus();
    auto cursor =
        context_.transaction.NewRecordCursor(collection_->state().records, Direction::kForward);
    int64_t done = 0;
    while (true) {
      if (context_.evaluation.interrupt != nullptr) {
        MAYFLY_RETURN_IF_ERROR(context_.evaluation.interrupt->Check());
      }
      if (context_.transaction.ShouldYield()) {
        ReportProgress(done);
        MAYFLY_RETURN_IF_ERROR(LetOthersRun());
      }
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more) break;
      MAYFLY_RETURN_IF_ERROR(Add(cursor->id(), ReadRecord(cursor->value())));
      ++done;
      if (bytes_ >= kRunBytes) MAYFLY_RETURN_IF_ERROR(WriteRun());
    }
    cursor.reset();
    MAYFLY_RETURN_IF_ERROR(WriteRun());
    MAYFLY_RETURN_IF_ERROR(AddHidden());
    return NoteMultikey();
  }

 private:
  void ReportProgress(int64_t done) {
    if (context_.evaluation.interrupt == nullptr) return;
    context_.evaluation.interrupt->ReportProgress("Index Build: scanning collection", done,
                                                  collection_->counters().documents);
  }

  // What was read must be written first: a writer may change the documents meanwhile.
  absl::Status LetOthersRun() {
    MAYFLY_RETURN_IF_ERROR(WriteRun());
    *yielded_ = true;
    MAYFLY_RETURN_IF_ERROR(context_.transaction.Yield());
    const auto& indexes = collection_->indexes();
    const bool there = std::any_of(indexes.begin(), indexes.end(), [&](const auto& other) {
      return other->space == index_->space;
    });
    if (!collection_->dropped() && there) return absl::OkStatus();
    return base::Error(base::ErrorCode::kIndexBuildAborted,
                       base::StrCat("Index build aborted: ", index_->spec.name,
                                    collection_->dropped() ? ": collection dropped" : ": dropped"));
  }

  absl::Status Add(RecordId id, const RecordView& record) {
    if (record.header.IsExpired(collection_->last_write_rule(), context_.evaluation.now_ms)) {
      hidden_.push_back(id);
      return absl::OkStatus();
    }
    MAYFLY_RETURN_IF_ERROR(ComputeIndexKeys(*index_, record.document, context_.evaluation, &keys_));
    multikey_ |= keys_.multikey_fields();
    for (const auto& key : keys_.keys()) {
      pending_.push_back(
          {EntryKey(*index_, key.fields, id), EntryValue(*index_, key.type_bits, id)});
      bytes_ += pending_.back().key.size() + pending_.back().value.size() + sizeof(PendingEntry);
    }
    return absl::OkStatus();
  }

  // Documents that have expired must not be in the way of the others or of the index: last come
  // those that fit, and the rest is removed. They have entries since a change of the rule may bring
  // them back.
  absl::Status AddHidden() {
    CollectionWriter writer(context_, collection_);
    for (const RecordId id : hidden_) {
      MAYFLY_ASSIGN_OR_RETURN(const auto found,
                              context_.transaction.GetRecord(collection_->state().records, id));
      if (!found.has_value()) continue;
      const std::string bytes(*found);
      const RecordView record = ReadRecord(bytes);
      MAYFLY_ASSIGN_OR_RETURN(const bool fits, Fits(record.document));
      if (!fits) {
        const auto due = record.header.ExpiresAtMs(collection_->last_write_rule());
        MAYFLY_RETURN_IF_ERROR(writer.Remove(
            id, record, {.reason = RemovalReason::kLastWriteTtl, .due_ms = due.value_or(0)}));
        continue;
      }
      multikey_ |= keys_.multikey_fields();
      for (const auto& key : keys_.keys()) {
        MAYFLY_RETURN_IF_ERROR(context_.transaction.PutKey(index_->space,
                                                           EntryKey(*index_, key.fields, id),
                                                           EntryValue(*index_, key.type_bits, id)));
      }
    }
    writer.Flush();
    return absl::OkStatus();
  }

  // Computes `keys_`; false if the index cannot hold them beside what it has.
  absl::StatusOr<bool> Fits(bson::View document) {
    if (!ComputeIndexKeys(*index_, document, context_.evaluation, &keys_).ok()) return false;
    if (!index_->spec.unique) return true;
    for (const auto& key : keys_.keys()) {
      MAYFLY_ASSIGN_OR_RETURN(const auto found,
                              context_.transaction.GetKey(index_->space, key.fields));
      if (found.has_value()) return false;
    }
    return true;
  }

  absl::Status WriteRun() {
    std::sort(pending_.begin(), pending_.end(),
              [](const PendingEntry& a, const PendingEntry& b) { return a.key < b.key; });
    const PendingEntry* previous = nullptr;
    for (const PendingEntry& entry : pending_) {
      if (index_->spec.unique) {
        bool taken = previous != nullptr && previous->key == entry.key;
        if (!taken) {
          MAYFLY_ASSIGN_OR_RETURN(taken, IsTaken(entry));
        }
        if (taken)
          return DuplicateKeyError(*collection_, *index_,
                                   ParseEntry(*index_, entry.key, entry.value));
      }
      MAYFLY_RETURN_IF_ERROR(context_.transaction.PutKey(index_->space, entry.key, entry.value));
      previous = &entry;
    }
    pending_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

  // By another document that is there; what a writer has put for the same one does not count.
  absl::StatusOr<bool> IsTaken(const PendingEntry& entry) {
    MAYFLY_ASSIGN_OR_RETURN(const auto found,
                            context_.transaction.GetKey(index_->space, entry.key));
    if (!found.has_value()) return false;
    const RecordId holder = ParseEntry(*index_, entry.key, *found).id;
    if (holder == ParseEntry(*index_, entry.key, entry.value).id) return false;
    MAYFLY_ASSIGN_OR_RETURN(const auto record,
                            context_.transaction.GetRecord(collection_->state().records, holder));
    return record.has_value() && !ReadRecord(*record).header.IsExpired(
                                     collection_->last_write_rule(), context_.evaluation.now_ms);
  }

  absl::Status NoteMultikey() {
    if (multikey_ == 0) return absl::OkStatus();
    return context_.catalog.Modify(context_.transaction, *collection_,
                                   [&](Collection::State& state) {
                                     for (auto& entry : state.indexes) {
                                       if (entry->space != index_->space) continue;
                                       auto changed = std::make_shared<Index>(*entry);
                                       changed->multikey_fields |= multikey_;
                                       entry = std::move(changed);
                                     }
                                   });
  }

  const WriteContext& context_;
  std::shared_ptr<Collection> collection_;
  std::shared_ptr<const Index> index_;
  bool* yielded_;
  IndexKeySet keys_;
  std::vector<PendingEntry> pending_;
  std::vector<RecordId> hidden_;  // expired documents
  size_t bytes_ = 0;
  uint32_t multikey_ = 0;
};

absl::Status MarkReady(const WriteContext& context, Collection& collection,
                       const std::vector<std::shared_ptr<const Index>>& added) {
  return context.catalog.Modify(context.transaction, collection, [&](Collection::State& state) {
    for (auto& entry : state.indexes) {
      const bool is_new = std::any_of(added.begin(), added.end(), [&](const auto& index) {
        return index->space == entry->space;
      });
      if (!is_new) continue;
      auto changed = std::make_shared<Index>(*entry);
      changed->building = false;
      entry = std::move(changed);
    }
  });
}

}  // namespace

absl::Status BuildIndexes(const WriteContext& context,
                          const std::shared_ptr<Collection>& collection,
                          const std::vector<IndexSpec>& specs) {
  const bool has_documents = collection->counters().documents > 0;
  std::vector<std::shared_ptr<const Index>> added;
  for (const IndexSpec& spec : specs) {
    MAYFLY_ASSIGN_OR_RETURN(
        auto index,
        context.catalog.AddIndex(context.transaction, *collection, spec,
                                 has_documents ? IndexState::kBuilding : IndexState::kReady));
    index->usage->since_ms = context.evaluation.now_ms;
    added.push_back(std::move(index));
  }
  if (!has_documents) return absl::OkStatus();
  bool yielded = false;
  absl::Status status;
  for (const auto& index : added) {
    status = Builder(context, collection, index, &yielded).Run();
    if (!status.ok()) break;
  }
  if (status.ok()) return MarkReady(context, *collection, added);
  // What was committed by yielding is not undone by the error.
  if (!yielded || collection->dropped()) return status;
  for (const auto& index : added) {
    const auto& all = collection->indexes();
    const bool there = std::any_of(all.begin(), all.end(),
                                   [&](const auto& other) { return other->space == index->space; });
    if (!there) continue;
    MAYFLY_RETURN_IF_ERROR(context.catalog.DropIndex(context.transaction, *collection, *index));
  }
  MAYFLY_RETURN_IF_ERROR(context.transaction.Yield());
  return status;
}

namespace {

// MongoDB's identifiers of clustered records do not tell how a number was written. It fails where
// it would name one that is not finite.
absl::Status CheckSayable(bson::ValueView id) {
  if (!id.IsNumber()) return absl::OkStatus();
  if (bson::IsNaN(id)) return base::Error(50819, "cannot name the NaN of a duplicate _id");
  if (bson::IsInfinite(id))
    return base::Error(50826, "cannot name the infinity of a duplicate _id");
  return absl::OkStatus();
}

}  // namespace

absl::Status DuplicateKeyError(const Collection& collection, const Index& index,
                               const IndexEntry& entry) {
  const bson::Document value = EntryDocument(index, entry);
  if (collection.options().clustered && index.spec.IsId()) {
    MAYFLY_RETURN_IF_ERROR(CheckSayable(value.view().First().value));
  }
  std::string text = base::StrCat("E11000 duplicate key error collection: ", collection.ns(),
                                  " index: ", index.spec.name);
  if (index.spec.collation.has_value()) {
    text += base::StrCat(" collation: ", bson::ToShellText(*index.spec.collation));
  }
  text += base::StrCat(" dup key: ", bson::ToShellText(value));
  bson::Builder fields;
  fields.Document("keyPattern", index.spec.key).Document("keyValue", value);
  return base::WithErrorFields(base::Error(base::ErrorCode::kDuplicateKey, text),
                               fields.Finish().bytes());
}

}  // namespace mayfly::engine

#include "engine/collection/checker.h"

#include <algorithm>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/validate.h"
#include "engine/catalog/record.h"
#include "engine/index/expiry_index.h"
#include "engine/index/index_keys.h"

namespace mayfly::engine {
namespace {

// A report says so many errors in words; more only add to no purpose.
constexpr size_t kMaxErrors = 100;

class Checker {
 public:
  Checker(Transaction& transaction, const EvaluationContext& context, const Collection& collection)
      : transaction_(transaction), context_(context), collection_(collection) {}

  absl::StatusOr<CheckReport> Run(bool full) {
    const CollectionCounters before = collection_.counters();
    MAYFLY_RETURN_IF_ERROR(CheckRecords(full));
    report_.indexes = collection_.ReadyIndexes();
    for (const auto& index : report_.indexes) MAYFLY_RETURN_IF_ERROR(CheckIndex(*index));
    // While others write, what was counted is the number of no single moment.
    const CollectionCounters& now = collection_.counters();
    const bool unchanged = before.documents == now.documents &&
                           before.data_bytes == now.data_bytes &&
                           before.next_record == now.next_record;
    const int64_t stored = report_.records + report_.hidden_records;
    if (unchanged && stored != now.documents) {
      Report(base::StrCat("the counter says ", collection_.counters().documents,
                          " documents, there are ", stored));
    }
    return std::move(report_);
  }

 private:
  void Report(std::string error) {
    if (report_.errors.size() < kMaxErrors) report_.errors.push_back(std::move(error));
  }

  bool IsHidden(const RecordView& record) const {
    return record.header.IsExpired(collection_.last_write_rule(), context_.now_ms);
  }

  // Between records and entries others get to run; each is checked as it is at that moment.
  absl::Status BeforeNext() {
    if (context_.interrupt != nullptr) MAYFLY_RETURN_IF_ERROR(context_.interrupt->Check());
    if (!transaction_.ShouldYield()) return absl::OkStatus();
    MAYFLY_RETURN_IF_ERROR(transaction_.Yield());
    if (!collection_.dropped()) return absl::OkStatus();
    return base::Error(base::ErrorCode::kNamespaceNotFound,
                       base::StrCat("collection dropped: '", collection_.ns(), "'"));
  }

  bool IsThere(const Index& index) const {
    const auto& indexes = collection_.indexes();
    return std::any_of(indexes.begin(), indexes.end(),
                       [&](const auto& other) { return other->space == index.space; });
  }

  absl::Status CheckRecords(bool full) {
    auto cursor = transaction_.NewRecordCursor(collection_.state().records, Direction::kForward);
    while (true) {
      MAYFLY_RETURN_IF_ERROR(BeforeNext());
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more) return absl::OkStatus();
      const RecordId id = cursor->id();
      const std::string bytes(cursor->value());
      const RecordView record = ReadRecord(bytes);
      ++(IsHidden(record) ? report_.hidden_records : report_.records);
      const size_t header = reinterpret_cast<const char*>(record.document.data()) - bytes.data();
      if (!bson::ValidateDocument(std::string_view(bytes).substr(header)).ok()) {
        ++report_.invalid_documents;
        Report(base::StrCat("record ", id, " is not a valid document"));
        continue;
      }
      if (full) MAYFLY_RETURN_IF_ERROR(CheckEntriesOf(id, record));
    }
  }

  absl::Status CheckEntriesOf(RecordId id, const RecordView& record) {
    for (const auto& index : collection_.indexes()) {
      if (index->building) continue;
      MAYFLY_RETURN_IF_ERROR(ComputeIndexKeys(*index, record.document, context_, &keys_));
      for (const auto& key : keys_.keys()) {
        const std::string entry = EntryKey(*index, key.fields, id);
        MAYFLY_ASSIGN_OR_RETURN(const auto found, transaction_.GetKey(index->space, entry));
        const bool right = found.has_value() && ParseEntry(*index, entry, *found).id == id;
        if (!right) {
          Report(base::StrCat("record ", id, " has no entry in index ", index->spec.name, " for ",
                              bson::ToShellText(EntryDocument(
                                  *index, {.fields = key.fields, .type_bits = key.type_bits}))));
        }
      }
    }
    return CheckExpiryEntriesOf(id, record);
  }

  static bool Awaits(const ExpiryBackfill& backfill, RecordId id) {
    return id >= backfill.next && id < backfill.end;
  }

  absl::Status CheckExpiryEntriesOf(RecordId id, const RecordView& record) {
    const Collection::State& state = collection_.state();
    if (state.expiry != 0 && !Awaits(state.backfill, id)) {
      MAYFLY_RETURN_IF_ERROR(
          CheckExpiryEntry(state.expiry, ExpiryEntryOf(record.header, id), "the expiry index"));
    }
    const EpochRule& epoch = state.epoch;
    if (!epoch.is_on() || Awaits(epoch.backfill, id)) return absl::OkStatus();
    return CheckExpiryEntry(epoch.space, EpochEntryOf(epoch.attribute, record.document, id),
                            "the index of the epoch attribute");
  }

  absl::Status CheckExpiryEntry(SpaceId space, const std::optional<ExpiryEntry>& entry,
                                std::string_view where) {
    if (!entry.has_value()) return absl::OkStatus();
    MAYFLY_ASSIGN_OR_RETURN(const auto found, transaction_.GetKey(space, ExpiryKey(*entry)));
    if (!found.has_value()) Report(base::StrCat("record ", entry->id, " has no entry in ", where));
    return absl::OkStatus();
  }

  absl::Status CheckIndex(const Index& index) {
    if (!index.spec.HasEntries()) {
      report_.keys_per_index.push_back(report_.records);  // each has its `_ts`
      return absl::OkStatus();
    }
    int64_t keys = 0;
    if (!IsThere(index)) {
      report_.keys_per_index.push_back(0);
      return absl::OkStatus();
    }
    auto cursor = transaction_.NewKeyCursor(index.space, Direction::kForward);
    while (true) {
      MAYFLY_RETURN_IF_ERROR(BeforeNext());
      if (!IsThere(index)) break;  // dropped meanwhile
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
      if (!more) break;
      const std::string key(cursor->key());
      const std::string value(cursor->value());
      const IndexEntry entry = ParseEntry(index, key, value);
      MAYFLY_ASSIGN_OR_RETURN(const auto found,
                              transaction_.GetRecord(collection_.state().records, entry.id));
      if (!found.has_value()) {
        ++report_.pending_entries;
        continue;
      }
      const std::string bytes(*found);
      if (!IsHidden(ReadRecord(bytes))) ++keys;
      MAYFLY_RETURN_IF_ERROR(ComputeIndexKeys(index, ReadRecord(bytes).document, context_, &keys_));
      if (!keys_.Contains(entry.fields)) {
        Report(base::StrCat("index ", index.spec.name, " has an entry that record ", entry.id,
                            " does not have"));
      }
    }
    report_.keys_per_index.push_back(keys);
    return absl::OkStatus();
  }

  Transaction& transaction_;
  const EvaluationContext& context_;
  const Collection& collection_;
  IndexKeySet keys_;
  CheckReport report_;
};

}  // namespace

absl::StatusOr<CheckReport> CheckCollection(Transaction& transaction,
                                            const EvaluationContext& context,
                                            const Collection& collection, bool full) {
  return Checker(transaction, context, collection).Run(full);
}

}  // namespace mayfly::engine

#include "engine/exec/scan_streams.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/set_path.h"
#include "engine/catalog/record.h"
#include "engine/expression/path.h"
#include "engine/index/index_keys.h"
#include "engine/keys/key_encoder.h"
#include "engine/storage/bulk_access.h"

namespace mayfly::engine {
namespace {

// Whole documents, or rows with nothing but a record id, of records that may be gone or expired.
enum class Yields : uint8_t { kDocuments, kIds };

bool GiveId(RecordId id, Row* row) {
  row->Borrow(bson::View(), id);
  return true;
}

// What all scans have in common: the collection, and reading one of its records.
class ScanStream : public Stream {
 protected:
  ScanStream(ExecutionContext& context, std::shared_ptr<Collection> collection)
      : context_(context),
        collection_(std::move(collection)),
        name_(collection_->name()),
        checked_version_(collection_->version()) {}

  absl::Status BeforeRow() {
    MAYFLY_RETURN_IF_ERROR(LetOthersRun(context_));
    if (collection_->version() != checked_version_) [[unlikely]]
      return CheckCollection();
    return absl::OkStatus();
  }

  bool IsVisible(const RecordView& record) const {
    return !record.header.IsExpired(collection_->last_write_rule(), context_.now_ms);
  }

  // Fetches a record found through an index; false if it is gone or expired.
  absl::StatusOr<bool> Fetch(RecordId id, Row* row) {
    return Take(context_.transaction->GetRecord(collection_->state().records, id), id, row);
  }

  absl::StatusOr<bool> Take(absl::StatusOr<std::optional<std::string_view>> fetched, RecordId id,
                            Row* row) {
    MAYFLY_ASSIGN_OR_RETURN(const auto bytes, std::move(fetched));
    if (!bytes.has_value()) return false;
    const RecordView record = ReadRecord(*bytes);
    if (!IsVisible(record)) return false;
    ++context_.documents_examined;
    row->Borrow(record.document, id);
    return true;
  }

  ExecutionContext& context_;
  std::shared_ptr<Collection> collection_;

 private:
  // It may have been dropped or renamed while others ran.
  absl::Status CheckCollection() {
    if (collection_->dropped()) return CollectionDropped(*collection_);
    if (collection_->name() != name_) {
      return base::Error(base::ErrorCode::kQueryPlanKilled,
                         base::StrCat("collection renamed from '", collection_->database(), ".",
                                      name_, "' to '", collection_->ns(), "'"));
    }
    checked_version_ = collection_->version();
    return absl::OkStatus();
  }

  std::string name_;
  uint64_t checked_version_;
};

class NothingStream : public Stream {
 public:
  absl::StatusOr<bool> Next(Row*) override { return false; }
};

class CollectionScanStream : public ScanStream {
 public:
  CollectionScanStream(ExecutionContext& context, std::shared_ptr<Collection> collection,
                       Direction direction)
      : ScanStream(context, std::move(collection)), direction_(direction) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (true) {
      MAYFLY_RETURN_IF_ERROR(BeforeRow());
      if (cursor_ == nullptr) {
        MAYFLY_ASSIGN_OR_RETURN(const bool open, Open());
        if (!open) return false;
      }
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor_->Next());
      if (!more) {
        cursor_.reset();
        return false;
      }
      last_ = cursor_->id();
      const RecordView record = ReadRecord(cursor_->value());
      if (!IsVisible(record)) continue;
      ++context_.documents_examined;
      row->Borrow(record.document, last_);
      return true;
    }
  }

  void Suspend() override { cursor_.reset(); }

 private:
  // Opens the cursor behind the last record given. Capped collections lose their oldest records; a
  // place that is gone says that the reader has missed some, unless it may have expired.
  absl::StatusOr<bool> Open() {
    const bool may_be_overwritten =
        collection_->options().capped && !collection_->last_write_rule().is_on();
    if (last_ != kNoRecord && may_be_overwritten) {
      MAYFLY_ASSIGN_OR_RETURN(const auto place,
                              context_.transaction->GetRecord(collection_->state().records, last_));
      if (!place.has_value()) {
        return base::Error(base::ErrorCode::kCappedPositionLost,
                           base::StrCat("CollectionScan died due to position in capped collection "
                                        "being deleted. Last seen record id: RecordId(",
                                        last_, ")"));
      }
    }
    cursor_ = context_.transaction->NewRecordCursor(collection_->state().records, direction_);
    if (last_ == kNoRecord) return true;
    if (direction_ == Direction::kForward) {
      cursor_->Seek(last_ + 1);
    } else {
      if (last_ == 1) return false;
      cursor_->Seek(last_ - 1);
    }
    return true;
  }

  Direction direction_;
  std::unique_ptr<RecordCursor> cursor_;
  RecordId last_ = kNoRecord;
};

class IdLookupStream : public ScanStream {
 public:
  IdLookupStream(ExecutionContext& context, std::shared_ptr<Collection> collection,
                 const AccessPath& path, Yields yields)
      : ScanStream(context, std::move(collection)),
        yields_(yields),
        index_(path.index),
        key_(path.ranges.front().start) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (done_) return false;
    done_ = true;
    MAYFLY_RETURN_IF_ERROR(BeforeRow());
    MAYFLY_ASSIGN_OR_RETURN(const auto found, context_.transaction->GetKey(index_->space, key_));
    if (!found.has_value()) return false;
    const RecordId id = ParseEntry(*index_, key_, *found).id;
    if (yields_ == Yields::kIds) {
      ++context_.keys_examined;
      return GiveId(id, row);
    }
    MAYFLY_ASSIGN_OR_RETURN(const bool visible, Fetch(id, row));
    if (visible) ++context_.keys_examined;
    return visible;
  }

 private:
  const Yields yields_;
  std::shared_ptr<const Index> index_;
  std::string key_;
  bool done_ = false;
};

class IndexScanStream : public ScanStream {
 public:
  IndexScanStream(ExecutionContext& context, std::shared_ptr<Collection> collection,
                  const AccessPath& path, Yields yields, std::vector<int> covered = {})
      : ScanStream(context, std::move(collection)),
        yields_(yields),
        covered_(std::move(covered)),
        index_(path.index),
        direction_(path.direction),
        ranges_(path.ranges),
        may_repeat_(path.index->IsMultikey() || path.index->spec.IsWildcard()) {
    if (direction_ == Direction::kBackward) std::reverse(ranges_.begin(), ranges_.end());
  }

  absl::StatusOr<bool> Next(Row* row) override {
    while (range_ < ranges_.size()) {
      MAYFLY_RETURN_IF_ERROR(BeforeRow());
      MAYFLY_RETURN_IF_ERROR(CheckIndex());
      MAYFLY_ASSIGN_OR_RETURN(const bool more, NextKey());
      if (!more) {
        ++range_;
        last_key_.clear();
        positioned_ = false;
        continue;
      }
      const IndexEntry entry = ParseEntry(*index_, cursor_->key(), cursor_->value());
      if (may_repeat_ && !seen_.insert(entry.id).second) continue;
      if (yields_ == Yields::kIds) return GiveId(entry.id, row);
      if (context_.index_keys) [[unlikely]]
        row->index_key = bson::Value::FromDocument(EntryDocument(*index_, entry));
      if (!covered_.empty() && !may_repeat_ && EntriesAreDocuments(*collection_)) {
        MAYFLY_ASSIGN_OR_RETURN(const bool tells, GiveFields(entry, row));
        if (tells) return true;
      }
      MAYFLY_ASSIGN_OR_RETURN(const bool visible, FetchNext(entry.id, row));
      if (visible) return true;
      --context_.keys_examined;  // for clients the key is not there either
    }
    cursor_.reset();
    lookup_.reset();
    return false;
  }

  void Suspend() override {
    cursor_.reset();
    lookup_.reset();
    positioned_ = false;
  }

 private:
  // The index may have been dropped while others ran.
  absl::Status CheckIndex() {
    if (collection_->version() == index_version_) return absl::OkStatus();
    for (const auto& index : collection_->indexes()) {
      if (index->space != index_->space) continue;
      index_version_ = collection_->version();
      may_repeat_ = may_repeat_ || index->IsMultikey();
      return absl::OkStatus();
    }
    return base::Error(base::ErrorCode::kQueryPlanKilled,
                       base::StrCat("index '", index_->spec.name, "' dropped"));
  }

  // Makes the row of the entry. False where that does not tell: null may stand for a missing field.
  absl::StatusOr<bool> GiveFields(const IndexEntry& entry, Row* row) {
    MAYFLY_ASSIGN_OR_RETURN(
        const std::vector<bson::Value> values,
        DecodeKey(entry.fields, entry.type_bits, OrderingOf(index_->spec), covered_.back() + 1));
    for (const int field : covered_) {
      if (values[field].IsNullish()) return false;
    }
    bson::Builder builder;
    bool dotted = false;
    for (const int field : covered_) {
      const std::string& path = index_->spec.fields[field].path;
      if (path.find('.') != std::string::npos) {
        dotted = true;
      } else {
        builder.Append(path, values[field]);
      }
    }
    bson::Document document = builder.Finish();
    for (const int field : covered_) {
      const std::string& path = index_->spec.fields[field].path;
      if (!dotted || path.find('.') == std::string::npos) continue;
      document = WithPath(document, absl::StrSplit(path, '.'), values[field]);
    }
    row->Borrow(bson::View(), entry.id);
    row->Own(std::move(document));
    return true;
  }

  // Most scans that fetch a second record fetch many.
  absl::StatusOr<bool> FetchNext(RecordId id, Row* row) {
    if (!std::exchange(fetched_, true)) return Fetch(id, row);
    if (lookup_ == nullptr) {
      lookup_ = NewRecordLookup(*context_.transaction, collection_->state().records);
    }
    return Take(lookup_->Get(id), id, row);
  }

  absl::StatusOr<bool> NextKey() {
    const KeyRange& range = ranges_[range_];
    if (cursor_ == nullptr) cursor_ = context_.transaction->NewKeyCursor(index_->space, direction_);
    if (!positioned_) {
      if (!last_key_.empty()) {
        cursor_->Seek(last_key_);
      } else {
        cursor_->Seek(direction_ == Direction::kForward ? range.start : range.end);
      }
      positioned_ = true;
    }
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor_->Next());
      if (!more) return false;
      const std::string_view key = cursor_->key();
      ++context_.keys_examined;
      // After a resumption the first key may be the last one given; backward, the first may be the
      // excluded end.
      if (key == last_key_ || (direction_ == Direction::kBackward && key >= range.end)) continue;
      if (direction_ == Direction::kForward ? key >= range.end : key < range.start) return false;
      last_key_.assign(key);
      return true;
    }
  }

  const Yields yields_;
  const std::vector<int> covered_;  // positions in the key; empty: documents are wanted
  std::shared_ptr<const Index> index_;
  Direction direction_;
  std::vector<KeyRange> ranges_;
  size_t range_ = 0;
  std::unique_ptr<KeyCursor> cursor_;
  std::unique_ptr<RecordLookup> lookup_;
  bool fetched_ = false;
  bool positioned_ = false;
  std::string last_key_;
  bool may_repeat_;
  uint64_t index_version_ = 0;
  absl::flat_hash_set<RecordId> seen_;
};

class UnionStream : public Stream {
 public:
  explicit UnionStream(std::vector<std::unique_ptr<Stream>> branches)
      : branches_(std::move(branches)) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (current_ < branches_.size()) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, branches_[current_]->Next(row));
      if (!more) {
        ++current_;
        continue;
      }
      if (seen_.insert(row->record_id).second) return true;
    }
    return false;
  }

  void Suspend() override {
    if (current_ < branches_.size()) branches_[current_]->Suspend();
  }
  void Resume(Transaction& transaction) override {
    if (current_ < branches_.size()) branches_[current_]->Resume(transaction);
  }

 private:
  std::vector<std::unique_ptr<Stream>> branches_;
  size_t current_ = 0;
  absl::flat_hash_set<RecordId> seen_;
};

// All documents in order of `_id`.
AccessPath ClusteredScan(const Collection& collection, Direction direction) {
  AccessPath path;
  path.kind = AccessPath::Kind::kIndexScan;
  path.direction = direction;
  path.index = collection.indexes().front();
  KeyRange everything;
  AppendAfterPrefix(&everything.end);
  path.ranges.push_back(std::move(everything));
  return path;
}

// Of a collection's documents those that have a value at one of some paths: not missing, not null,
// and no empty array.
class HoldingStream : public Stream {
 public:
  HoldingStream(std::unique_ptr<Stream> source, const std::vector<std::string>& paths)
      : source_(std::move(source)), paths_(paths.begin(), paths.end()) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, source_->Next(row));
      if (!more) return false;
      for (const Path& path : paths_) {
        if (VisitPath(path, row->doc(), LeafArray::kWhole, HasValue)) return true;
      }
    }
  }

  void Suspend() override { source_->Suspend(); }

 private:
  static bool HasValue(bson::ValueView value, int64_t) {
    return !value.IsNullish() && !(value.IsArray() && value.AsDocument().empty());
  }

  std::unique_ptr<Stream> source_;
  std::vector<Path> paths_;
};

std::unique_ptr<Stream> MakeStream(ExecutionContext& context,
                                   std::shared_ptr<Collection> collection, const AccessPath& path,
                                   Yields yields);

std::unique_ptr<Stream> MakeCollectionScan(ExecutionContext& context,
                                           std::shared_ptr<Collection> collection,
                                           const AccessPath& path, Yields yields) {
  if (!path.only_with.empty()) {
    AccessPath all = path;
    all.only_with.clear();
    return std::make_unique<HoldingStream>(
        MakeStream(context, std::move(collection), all, Yields::kDocuments), path.only_with);
  }
  collection->CountScan();
  if (collection->options().clustered) {
    const AccessPath by_id = ClusteredScan(*collection, path.direction);
    return std::make_unique<IndexScanStream>(context, std::move(collection), by_id, yields);
  }
  return std::make_unique<CollectionScanStream>(context, std::move(collection), path.direction);
}

std::unique_ptr<Stream> MakeStream(ExecutionContext& context,
                                   std::shared_ptr<Collection> collection, const AccessPath& path,
                                   Yields yields) {
  switch (path.kind) {
    case AccessPath::Kind::kNothing:
      return std::make_unique<NothingStream>();
    case AccessPath::Kind::kCollectionScan:
      return MakeCollectionScan(context, std::move(collection), path, yields);
    case AccessPath::Kind::kIdLookup:
      ++path.index->usage->operations;
      return std::make_unique<IdLookupStream>(context, std::move(collection), path, yields);
    case AccessPath::Kind::kIndexScan:
      ++path.index->usage->operations;
      return std::make_unique<IndexScanStream>(context, std::move(collection), path, yields);
    case AccessPath::Kind::kUnion: {
      std::vector<std::unique_ptr<Stream>> branches;
      branches.reserve(path.branches.size());
      for (const AccessPath& branch : path.branches) {
        branches.push_back(MakeStream(context, collection, branch, yields));
      }
      return std::make_unique<UnionStream>(std::move(branches));
    }
  }
  return std::make_unique<NothingStream>();
}

}  // namespace

absl::Status LetOthersRun(ExecutionContext& context) {
  if (context.evaluation.interrupt != nullptr) {
    MAYFLY_RETURN_IF_ERROR(context.evaluation.interrupt->Check());
  }
  if (!context.transaction->ShouldYield()) [[likely]]
    return absl::OkStatus();
  if (context.before_yield) context.before_yield();
  return context.transaction->Yield();
}

absl::Status CollectionDropped(const Collection& collection) {
  return base::Error(base::ErrorCode::kQueryPlanKilled,
                     base::StrCat("collection dropped: '", collection.ns(), "'"));
}

std::unique_ptr<Stream> MakeScanStream(ExecutionContext& context,
                                       std::shared_ptr<Collection> collection,
                                       const AccessPath& path) {
  return MakeStream(context, std::move(collection), path, Yields::kDocuments);
}

std::unique_ptr<Stream> MakeCoveredStream(ExecutionContext& context,
                                          std::shared_ptr<Collection> collection,
                                          const AccessPath& path, std::vector<int> fields) {
  ++path.index->usage->operations;
  return std::make_unique<IndexScanStream>(context, std::move(collection), path, Yields::kDocuments,
                                           std::move(fields));
}

bool EntriesAreDocuments(const Collection& collection) {
  return !collection.last_write_rule().is_on() && !collection.sweep().pending;
}

std::unique_ptr<Stream> MakeIdStream(ExecutionContext& context,
                                     std::shared_ptr<Collection> collection,
                                     const AccessPath& path) {
  return MakeStream(context, std::move(collection), path, Yields::kIds);
}

}  // namespace mayfly::engine

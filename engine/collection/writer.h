// Writes single documents of one collection with all their index entries, expiry entry and
// counters.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/view.h"
#include "engine/catalog/record.h"
#include "engine/collection/write_context.h"
#include "engine/index/expiry_index.h"
#include "engine/index/index_keys.h"
#include "engine/storage/bulk_access.h"

namespace mayfly::engine {

// Logs, once for each collection, that values of its epoch attribute look like milliseconds.
void WarnOfMilliseconds(Collection& collection);

// Each call checks everything before it changes anything, so one that fails has changed nothing.
// Make one per collection and command; call Flush before Transaction::Yield and at the end.
class CollectionWriter {
 public:
  // `collection` must be no view.
  CollectionWriter(const WriteContext& context, std::shared_ptr<Collection> collection);
  ~CollectionWriter();
  CollectionWriter(const CollectionWriter&) = delete;
  CollectionWriter& operator=(const CollectionWriter&) = delete;

  // `document` must have an `_id` that is legal and be small enough. Errors: 11000 DuplicateKey
  // with keyPattern and keyValue; 121 DocumentValidationFailure with errInfo; 171.
  absl::StatusOr<RecordId> Insert(bson::View document);
  // Replaces the stored `before` (not borrowed from the store) by `after`. The record id stays.
  absl::Status Replace(RecordId id, const RecordView& before, bson::View after);
  struct Removal {
    RemovalReason reason = RemovalReason::kUser;
    int64_t due_ms = 0;  // with the rules of expiry
  };
  // Removes the stored `before` (not borrowed from the store).
  absl::Status Remove(RecordId id, const RecordView& before, Removal removal);

  // Parts of Remove, for the purge, which removes many records at once and their entries later.
  // Entries in the expiry indexes but the one in `except`.
  absl::Status DeleteExpiryEntries(const RecordView& record, RecordId id, SpaceId except = 0);
  // Counters and observer: the record of `before` has been deleted.
  void NoteRemoved(const RecordView& before, Removal removal);

  // From here to EndRun(), which must be called before anybody else looks at the collection, the
  // rule's entries are gathered and put many at a time: most of the price of a single one is that
  // of finding its place.
  void BeginRun() { in_run_ = true; }
  absl::Status EndRun();

  // Hands the difference of the counters to the catalog, and tells when what was written is due.
  void Flush();

  const std::shared_ptr<Collection>& collection() const { return collection_; }
  const WriteContext& context() const { return context_; }

 private:
  static constexpr int64_t kNeverDue = std::numeric_limits<int64_t>::max();

  absl::Status CheckValidator(bson::View document, bool was_valid);
  // 11000 unless every key is free, held by `self`, or held by a record that is gone or expired;
  // ids of the expired are added to `*expired`.
  absl::Status CheckUnique(const Index& index, const IndexKeySet& keys, RecordId self,
                           std::vector<RecordId>* expired);
  // Puts the entries of all unique indexes for `new_keys_`; false, with nothing changed, if one of
  // their keys is taken, by whatever.
  absl::StatusOr<bool> ClaimUniqueKeys(RecordId id);
  // Takes back what ClaimUniqueKeys() put before it came to `taken`.
  absl::Status ReleaseUniqueKeys(const IndexKeySet::Key& taken, RecordId id);
  // The long way: who holds the keys, and whether he may be removed for it.
  absl::Status TakeUniqueKeys(RecordId id);
  absl::Status PutEntries(const Index& index, const IndexKeySet& keys, RecordId id);
  // The same for an index that is to become unique, whose entries do not tell yet.
  absl::Status CheckPrepared(const Index& index, const IndexKeySet& keys, RecordId self,
                             std::vector<RecordId>* expired);
  absl::Status CheckKeys(const Index& index, const IndexKeySet& keys, RecordId self,
                         std::vector<RecordId>* expired);
  absl::Status RemoveExpired(const std::vector<RecordId>& expired);
  absl::Status NoteMultikey(const Index& index, uint32_t multikey_fields);
  absl::Status PutExpiryEntries(const RecordView& record, RecordId id);
  absl::Status PutExpiryEntry(SpaceId space, const ExpiryEntry& entry);
  // Puts what was gathered in a run.
  absl::Status PutRun();
  // A document was written that will be due: the collection is told now, the listener by Flush().
  void NoteDue(int64_t due_ms);
  void NoteEpochMoment(const RecordView& record, int64_t due_ms);
  // The same for each date that a document has in a date index.
  void NoteDates(const Index& index, const IndexKeySet& keys);
  absl::Status EvictCapped();
  // The first of the records that are due by last write, at most `limit`.
  absl::StatusOr<std::vector<RecordId>> FindDue(size_t limit);
  absl::Status ReplaceEntries(const Index& index, bson::View before, const IndexKeySet& keys,
                              RecordId id);
  bool IsVisible(const RecordView& record) const;

  WriteContext context_;
  std::shared_ptr<Collection> collection_;
  int64_t documents_delta_ = 0;
  int64_t bytes_delta_ = 0;
  int64_t due_ms_ = kNeverDue;  // the earliest moment the listener has not been told
  bool in_run_ = false;
  KeyRun run_;                         // of the last-write rule
  std::string expiry_key_;             // scratch
  std::string record_;                 // scratch
  std::vector<IndexKeySet> new_keys_;  // scratch, one per index
  IndexKeySet old_keys_;               // scratch
  EntryBytes entry_;                   // scratch
};

}  // namespace mayfly::engine

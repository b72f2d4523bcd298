// Pull streams of documents: what a plan is made of.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

// One document on its way through a plan. `doc()` is either borrowed from storage, valid until the
// stream below moves, or owned by the row. Moving a row keeps owned bytes valid.
class Row {
 public:
  bson::View doc() const { return owned_ ? owned_->view() : borrowed_; }
  void Borrow(bson::View view, RecordId id) {
    owned_.reset();
    borrowed_ = view;
    record_id = id;
  }
  void Own(bson::Document document) { owned_ = std::move(document); }
  // Copies borrowed bytes; afterwards the row is independent of storage.
  void MakeOwned() {
    if (!owned_) owned_.emplace(borrowed_);
  }
  bson::Document TakeDocument() {
    MakeOwned();
    return *std::move(owned_);
  }

  RecordId record_id = kNoRecord;  // kNoRecord once the document is no longer a stored one
  // Metadata read by {$meta: ...}: the sort key array, and scores set by stages that make them.
  bson::Value sort_key;
  std::optional<double> text_score;
  std::optional<double> near_distance;
  bson::Value near_point;
  bson::Value index_key;  // {a: 1, ...}: by which key of an index it was found; if asked for

 private:
  bson::View borrowed_;
  std::optional<bson::Document> owned_;
};

// A source of rows. Single-threaded. Streams own the streams they pull from.
class Stream {
 public:
  virtual ~Stream() = default;
  // Fills `*row` and returns true, or returns false at the end. After false or an error it is not
  // called again.
  virtual absl::StatusOr<bool> Next(Row* row) = 0;
  // Between batches of a cursor: lets go of everything that belongs to the current operation
  // (storage cursors, borrowed bytes) and remembers the position. Then Resume() with the next
  // operation's transaction.
  virtual void Suspend() {}
  virtual void Resume(Transaction& transaction) {}
};

}  // namespace mayfly::engine

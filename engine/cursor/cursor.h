// Open cursors between batches: a stream with its position and everything the stream refers to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/random.h"
#include "bson/builder.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// Used by one command at a time.
class Cursor {
 public:
  // What the stream refers to (filter, collation, projection ...), destroyed after it.
  using Keepers = std::vector<std::shared_ptr<const void>>;

  Cursor(std::string ns, std::unique_ptr<ExecutionContext> context, std::unique_ptr<Stream> stream,
         Keepers keepers)
      : ns_(std::move(ns)),
        keepers_(std::move(keepers)),
        context_(std::move(context)),
        stream_(std::move(stream)) {}

  const std::string& ns() const { return ns_; }
  ExecutionContext& context() { return *context_; }

  // The stored collection that the documents come from. What a later batch gives of documents that
  // were read for an earlier one is looked at again: it may have expired meanwhile.
  void set_collection(std::shared_ptr<Collection> collection) {
    collection_ = std::move(collection);
  }

  // Sets the operation that the next batch runs in.
  void Attach(Transaction* transaction, int64_t now_ms, Interrupt* interrupt, base::Random* random);
  // Lets go of it.
  void Detach();

  // What it reads is gone for good: lets go of everything, and the next batch is the error `why`.
  void Invalidate(absl::Status why);
  // Not ok: what the next batch will fail with.
  const absl::Status& invalid() const { return invalid_; }

  // Appends documents to the innermost open array of `*reply`, until there are `max_documents` of
  // them (negative: no limit), the reply would grow beyond the size of a document, or the stream
  // ends. True if it ended.
  absl::StatusOr<bool> FillBatch(int64_t max_documents, bson::Builder* reply);

  // Tailable: the end of the stream is not the end of the cursor.
  bool tailable = false;
  bool await_data = false;
  bool no_timeout = false;
  // False: the documents are in memory, and no operation is needed to go on.
  bool needs_storage = true;
  bson::Document lsid;     // of the session that opened it; empty: none
  bson::Document command;  // that opened it, for currentOp
  int64_t created_ms = 0;  // as the next one, SinceBootMs of the registry's clock
  int64_t last_use_ms = 0;
  int64_t documents_returned = 0;
  int64_t batches_returned = 0;
  // After so many the stream has ended, though it was not asked once more; 0: no limit.
  int64_t limit = 0;

 private:
  // Fills `*row` with the next one that is still visible; false at the end.
  absl::StatusOr<bool> Next(Row* row);
  absl::StatusOr<bool> IsStillVisible(RecordId id);

  std::string ns_;
  Keepers keepers_;
  std::unique_ptr<ExecutionContext> context_;
  std::unique_ptr<Stream> stream_;
  std::shared_ptr<Collection> collection_;  // may be null
  bool in_first_batch_ = true;
  // A row that did not fit into the last batch.
  std::optional<Row> pending_;
  absl::Status invalid_;
};

// Thread-safe. A cursor that a command uses is out of the registry and comes back by Return.
class CursorRegistry {
 public:
  explicit CursorRegistry(const base::Clock& clock);

  // Gives the cursor its id, positive and hard to guess.
  int64_t Add(std::unique_ptr<Cursor> cursor);
  // Errors: 43 CursorNotFound, 235 CursorInUse.
  absl::StatusOr<std::unique_ptr<Cursor>> Take(int64_t id);
  // Back into the registry, unless it was killed meanwhile.
  void Return(int64_t id, std::unique_ptr<Cursor> cursor);
  // The cursor that was taken is exhausted or failed.
  void Forget(int64_t id);
  // False if there is none. One in use ends when its command does.
  bool Kill(int64_t id);
  // All of a session.
  void KillIf(absl::FunctionRef<bool(const Cursor&)> matches);
  // Those of a database that was dropped stay until they are asked for more or killed, but hold
  // nothing of it any longer.
  void InvalidateIf(absl::FunctionRef<bool(const Cursor&)> matches, const absl::Status& why);
  // Ends cursors unused for `timeout_ms` unless they are exempt or belong to a session, with which
  // they end; returns how many.
  int KillIdle(int64_t timeout_ms);
  // Those that no command uses, in order of their ids. `visit` must be quick and not call back.
  void ForEachIdle(absl::FunctionRef<void(int64_t id, const Cursor&)> visit) const;
  // The namespace of a cursor, free or in use; empty if there is none. For getMore's and
  // killCursors' checks.
  std::string NamespaceOf(int64_t id) const;
  int64_t open() const;
  int64_t timed_out() const;

 private:
  struct Entry {
    std::unique_ptr<Cursor> cursor;  // null while in use
    std::string ns;
  };

  const base::Clock& clock_;
  mutable std::mutex mutex_;
  base::Random random_;
  std::map<int64_t, Entry> entries_;
  int64_t timed_out_ = 0;
};

}  // namespace mayfly::engine

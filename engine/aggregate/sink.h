// What a pipeline that writes ends in: $out and $merge. Documents are handed over in batches, and a
// sink holds nothing of its target between the calls, so that each batch can be an operation of its
// own, and of another database than the one that is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/aggregate/host.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// The collection that $out makes under another name, until it takes the target's place.
class OutTarget {
 public:
  virtual ~OutTarget() = default;
  // Makes it, with the options and indexes of the one that is there now.
  virtual absl::Status Create() = 0;
  virtual absl::Status Write(bson::View document) = 0;
  // Error: 125 if options or indexes of the one that is there have changed since Create().
  virtual absl::Status Finish() = 0;
  // Ok if it was never made.
  virtual absl::Status Drop() = 0;
};

// The target of $merge, made by the first insert if it is missing. Documents are looked up by the
// `on` fields.
class MergeTarget {
 public:
  virtual ~MergeTarget() = default;
  // Whether documents without a value in the `on` fields can be told from each other: the index has
  // them.
  virtual bool HasNulls() const = 0;
  // The document in which the `on` fields have the values of `key`, a document with exactly those
  // (dotted) fields.
  virtual absl::StatusOr<std::optional<bson::Document>> Find(bson::View key) = 0;
  virtual absl::Status Insert(bson::View document) = 0;
  // `before` is what Find() gave. False, with nothing done, if that is not there any more.
  virtual absl::StatusOr<bool> Replace(bson::View before, bson::View after) = 0;
};

// Opens targets within one operation of their database.
class TargetHost {
 public:
  virtual ~TargetHost() = default;
  // `temporary` is the name until the end. Errors: 166 if the target is a view, 17152 if it is
  // capped.
  virtual absl::StatusOr<std::unique_ptr<OutTarget>> OpenOut(const Namespace& target,
                                                             std::string_view temporary) = 0;
  // `on` is empty if the command names no fields: `_id` then. Errors: 51183 if no unique index
  // covers exactly `on`, 166 if the target is a view.
  virtual absl::StatusOr<std::unique_ptr<MergeTarget>> OpenMerge(
      const Namespace& target, const std::vector<std::string>& on) = 0;
};

class Sink {
 public:
  // So much is written together at most.
  static constexpr size_t kBatchBytes = 16 * 1024 * 1024;
  static constexpr size_t kBatchDocuments = 100'000;

  virtual ~Sink() = default;
  virtual const Namespace& target() const = 0;
  // What forbids the pipeline even to be explained. Writes nothing.
  virtual absl::Status Check(TargetHost& host) = 0;
  // Before anything is read.
  virtual absl::Status Begin(TargetHost& host) = 0;
  // A document that fails may leave others of the batch written, those behind it as well; the first
  // failure is returned, and then no other batch may follow.
  virtual absl::Status Write(std::vector<bson::Document> batch, TargetHost& host) = 0;
  virtual absl::Status End(TargetHost& host) = 0;
  // After a failure of any of these, or of the source: cleans up. What $merge has written stays.
  virtual absl::Status Abandon(TargetHost& host) = 0;
};

// All of it within one operation: reads `source` to its end and writes its documents. After an
// error the operation must be committed all the same, as what is written by then stays.
absl::Status WriteAll(Stream& source, Sink& sink, TargetHost& host);

}  // namespace mayfly::engine

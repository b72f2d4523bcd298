// Updates: operator documents ({$set: ...}), replacement documents and pipelines, parsed once and
// applied to any number of documents. Sources of the rules: MongoDB's documented update language,
// to the error code.
//
// A parsed Update is immutable and may be shared by threads. It owns what it needs of its
// arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "engine/expression/context.h"

namespace mayfly::engine {

class FilterNode;
class Variables;

// What one update statement brings besides `u`.
struct UpdateParseContext {
  const EvaluationContext* evaluation =
      nullptr;                            // never null; its collation must outlive the Update
  const Variables* variables = nullptr;   // `let`, for pipelines; null: none
  std::vector<bson::View> array_filters;  // `arrayFilters`
  std::optional<bson::View> constants;    // `c`, allowed for pipelines only (51198)
  bool multi = false;                     // refuses replacement documents (9)
  bool keep_empty_timestamps = false;     // bypassEmptyTsReplacement
};

// What applying to one document depends on.
struct UpdateApplyContext {
  const EvaluationContext* evaluation = nullptr;  // never null
  // Index of the array element the filter matched, for `$`; nullopt if it matched none.
  std::optional<uint32_t> matched_index;
};

// Field names at the top level that an update may write. Lets index maintenance skip indexes on
// other fields.
struct UpdatedFields {
  bool all = false;  // replacement or pipeline: any field may change, `names` is empty
  std::vector<std::string> names;
};

class Update {
 public:
  virtual ~Update() = default;

  // `u` is the document or array of an update statement or findAndModify. Errors: 9 FailedToParse,
  // 2 BadValue, 40 ConflictingUpdateOperators, 52, 56, 66 ... as MongoDB gives them before any
  // document is looked at.
  static absl::StatusOr<std::unique_ptr<const Update>> Parse(bson::ValueView u,
                                                             const UpdateParseContext& context);

  // The new bytes of the stored document `doc`, or nullopt if the update changes nothing. Errors:
  // 28 PathNotViable, 66 ImmutableField, 2, 14, 15 (nested too deep), 17419 (larger than 16 MiB)
  // ...
  virtual absl::StatusOr<std::optional<bson::Document>> Apply(
      bson::View doc, const UpdateApplyContext& context) const = 0;

  // The document that an upsert with this update and `filter` inserts: equality conditions of the
  // filter, then the update; `_id` comes first and is `generated_id` if neither gives one. Errors
  // besides those of Apply: 54 if the filter gives one path two values, 53 if `_id` has a type it
  // must not have, 17420 (larger than 16 MiB).
  absl::StatusOr<bson::Document> MakeUpsertDocument(const FilterNode& filter,
                                                    const UpdateApplyContext& context,
                                                    const bson::ObjectId& generated_id) const;

  virtual bool is_replacement() const { return false; }
  virtual bool is_pipeline() const { return false; }
  // True if Apply needs UpdateApplyContext::matched_index, so that the filter has to find it.
  virtual bool needs_matched_index() const { return false; }
  virtual const UpdatedFields& updated_fields() const = 0;

 protected:
  // Applies to `seed`, the fields an upsert takes from its filter.
  virtual absl::StatusOr<bson::Document> ApplyToSeed(bson::View seed,
                                                     const UpdateApplyContext& context) const = 0;
};

}  // namespace mayfly::engine

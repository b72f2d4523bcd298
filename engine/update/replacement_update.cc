// Updates by a whole document that takes the place of the old one.
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "engine/update/update_kinds.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

bool IsEmptyTimestamp(bson::ValueView value) {
  return value.type() == bson::Type::kTimestamp && value.AsTimestamp() == bson::Timestamp{};
}

class ReplacementUpdate : public Update {
 public:
  ReplacementUpdate(bson::View replacement, bool fills_timestamps)
      : replacement_(replacement), fills_timestamps_(fills_timestamps) {
    updated_fields_.all = true;
  }

  // Differs from "the result has the same bytes" on purpose: a replacement without `_id` always
  // counts as a modification, as in MongoDB.
  absl::StatusOr<std::optional<bson::Document>> Apply(
      bson::View doc, const UpdateApplyContext& context) const override {
    if (doc.bytes() == replacement_.bytes()) return std::nullopt;
    MAYFLY_ASSIGN_OR_RETURN(bson::Document result, ApplyToSeed(doc, context));
    MAYFLY_RETURN_IF_ERROR(CheckUpdatedSize(result));
    return result;
  }

  bool is_replacement() const override { return true; }
  const UpdatedFields& updated_fields() const override { return updated_fields_; }

 protected:
  absl::StatusOr<bson::Document> ApplyToSeed(bson::View seed,
                                             const UpdateApplyContext& context) const override {
    if (!fills_timestamps_) return WithIdOf(seed, replacement_);
    bson::Builder builder;
    for (const bson::Element& element : replacement_.view()) {
      if (element.key != "_id" && IsEmptyTimestamp(element.value)) {
        builder.Timestamp(element.key, TimestampNow(*context.evaluation));
      } else {
        builder.Append(element);
      }
    }
    return WithIdOf(seed, builder.Finish());
  }

 private:
  bson::Document replacement_;
  bool fills_timestamps_;
  UpdatedFields updated_fields_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Update>> ParseReplacementUpdate(
    bson::View u, const UpdateParseContext& context) {
  if (context.multi) {
    return Error(ErrorCode::kFailedToParse,
                 "multi update is not supported for replacement-style update");
  }
  if (!context.array_filters.empty()) {
    return Error(ErrorCode::kFailedToParse,
                 "arrayFilters may not be specified for replacement-style updates");
  }
  bool fills_timestamps = false;
  for (const bson::Element& element : u) {
    if (!element.key.empty() && element.key[0] == '$') {
      return Error(ErrorCode::kDollarPrefixedFieldName,
                   StrCat("The dollar ($) prefixed field '", element.key, "' in '", element.key,
                          "' is not allowed in the context of an update's replacement document. "
                          "Consider using an aggregation pipeline with $replaceWith."));
    }
    fills_timestamps |= IsEmptyTimestamp(element.value) && !context.keep_empty_timestamps;
  }
  MAYFLY_RETURN_IF_ERROR(CheckStoredDepth(u));
  return std::make_unique<ReplacementUpdate>(u, fills_timestamps);
}

}  // namespace mayfly::engine

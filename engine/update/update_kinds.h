// The three kinds of updates, made by Update::Parse.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/update/update.h"

namespace mayfly::engine {

// {$set: {...}, ...}
absl::StatusOr<std::unique_ptr<const Update>> ParseOperatorUpdate(
    bson::View u, const UpdateParseContext& context);
// {field: value, ...}
absl::StatusOr<std::unique_ptr<const Update>> ParseReplacementUpdate(
    bson::View u, const UpdateParseContext& context);
// [{$set: {...}}, ...]
absl::StatusOr<std::unique_ptr<const Update>> ParsePipelineUpdate(
    bson::View u, const UpdateParseContext& context);

// What all kinds check about a finished document.

// 17419 if it is larger than a stored document may be.
absl::Status CheckUpdatedSize(const bson::Document& doc);
// 15 Overflow if it is nested deeper than a stored document may be.
absl::Status CheckStoredDepth(bson::View doc);
// A document to take the place of `before`: with `_id` first, `before`'s if it has none. 66 if both
// have one and they differ.
absl::StatusOr<bson::Document> WithIdOf(bson::View before, bson::View after);
// The moment that $currentDate and empty timestamps at the top level get.
bson::Timestamp TimestampNow(const EvaluationContext& evaluation);

}  // namespace mayfly::engine

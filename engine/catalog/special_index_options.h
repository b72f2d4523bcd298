// The options of indexes that hold more than plain values: text, geospatial and wildcard indexes.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bson/builder.h"
#include "bson/value.h"
#include "engine/catalog/index_spec.h"

namespace mayfly::engine {

// The kind that a requested key pattern asks for, and whether the pattern fits it; kAscending:
// none. Errors: 67 CannotCreateIndex for fields that do not go together, 7246201 for two wildcards,
// 31303 for two hashed fields, 16801 unless a 2d field is the first.
absl::StatusOr<IndexKind> SpecialKindOf(bson::View key);

// The key pattern as it is kept: that of a text index names its terms, not its fields.
bson::Document KeptKey(bson::View key, IndexKind special);

// Reads the options of `special` from the requested specification and appends them as listIndexes
// shows them. Options of other kinds are refused where MongoDB refuses them, else ignored. Errors:
// 67, 72 InvalidOptions, 14 TypeMismatch, 2 BadValue and 9 FailedToParse; 7246209 for a
// wildcardProjection that leaves other fields of the index in; those of projections.
absl::Status AppendSpecialOptions(bson::View requested, IndexKind special, bson::Builder* stored);

}  // namespace mayfly::engine

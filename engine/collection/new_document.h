// Makes a document ready to be stored: `_id` present, legal and first, zero timestamps filled,
// limits kept.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "bson/object_id.h"
#include "bson/value.h"
#include "bson/view.h"
#include "engine/expression/cluster_clock.h"

namespace mayfly::engine {

struct NewDocumentContext {
  bson::ObjectIdGenerator& ids;
  int64_t now_ms = 0;
  ClusterClock* cluster_clock = nullptr;  // for empty timestamps; null: numbers within the second
  bool keep_empty_timestamps = false;     // bypassEmptyTsReplacement
};

// The document to store: `document` itself, or a changed copy in `*scratch`. Errors: 2 BadValue if
// larger than 16 MiB, 53 InvalidIdField, 52 DollarPrefixedFieldName inside `_id`, 15 Overflow if
// nested deeper than a stored document may be.
absl::StatusOr<bson::View> PrepareNewDocument(bson::View document,
                                              const NewDocumentContext& context,
                                              bson::Document* scratch);

// 53 or 52 unless `id` may be an `_id`.
absl::Status CheckId(bson::ValueView id);

}  // namespace mayfly::engine

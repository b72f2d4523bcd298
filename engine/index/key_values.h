// Which keys a document has in an index: the values of the indexed fields, arrays expanded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "bson/view.h"
#include "engine/catalog/index_spec.h"

namespace mayfly::engine {

struct DocumentKeysInfo {
  // Bit i: there was an array on the path of field i.
  uint32_t multikey_fields = 0;
  // At least one indexed field exists in the document; a sparse index leaves the document out
  // otherwise.
  bool any_field_exists = false;
};

// Calls `sink` with one tuple of values (one per field, missing where the field is missing,
// undefined for an empty array) for each key of the document; the same tuple may come more than
// once. The views point into `document`. Error: 171 CannotIndexParallelArrays if two fields walk
// through different arrays.
//
// Rules are MongoDB's: an array at the end of a path gives a key for each element, an array on the
// way is walked through element by element, a numeric component selects a position of an array.
absl::StatusOr<DocumentKeysInfo> ForEachKey(
    std::span<const IndexField> fields, bson::View document,
    absl::FunctionRef<void(std::span<const bson::ValueView>)> sink);

}  // namespace mayfly::engine

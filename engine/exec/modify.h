// Finds the documents that an update or delete is about, one after the other, safely against the
// changes it makes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "engine/catalog/record.h"
#include "engine/exec/execution_context.h"
#include "engine/plan/access_path.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

// A stored document that matched. `record` is a copy, so it stays while the collection changes.
struct Match {
  RecordId id = kNoRecord;
  RecordView record;
  // Index of the array element the filter matched, for the positional operator.
  std::optional<uint32_t> array_index;
};

enum class Positions : uint8_t { kIgnore, kRecord };
// kOne: `visit` ends the search with its first call, so nothing has to be collected beforehand.
enum class Many : uint8_t { kOne, kAll };

// Calls `visit` for every matching document until it returns false. No document is visited twice,
// even if `visit` moves it in the index that is scanned.
absl::Status VisitMatches(ExecutionContext& context, const std::shared_ptr<Collection>& collection,
                          const FilterNode& filter, const AccessPath& path, Positions positions,
                          Many many, absl::FunctionRef<absl::StatusOr<bool>(const Match&)> visit);

// The record as it is now, if it is there, visible and still matches; for documents found earlier.
absl::Status VisitRecord(ExecutionContext& context, const Collection& collection,
                         const FilterNode& filter, RecordId id, Positions positions,
                         absl::FunctionRef<absl::StatusOr<bool>(const Match&)> visit, bool* go_on);

}  // namespace mayfly::engine

// How many documents there are and how large, without looking at them where that is possible.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"

namespace mayfly::engine {

// All visible documents of the collection: the counter, less the expired part of the expiry index.
absl::StatusOr<int64_t> CountVisible(ExecutionContext& context,
                                     const std::shared_ptr<Collection>& collection);

struct Extent {
  int64_t documents = 0;
  int64_t bytes = 0;
};

// The same with their bytes. Exact as long as at most kMaxMeasured documents are hidden; beyond
// that hidden ones count with the average size.
inline constexpr int64_t kMaxMeasured = 10'000;
absl::StatusOr<Extent> MeasureVisible(ExecutionContext& context,
                                      const std::shared_ptr<Collection>& collection);

}  // namespace mayfly::engine

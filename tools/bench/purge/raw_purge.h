// The baseline: the same rows with the same indexes, deleted by SQLite alone in the best known way.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace mayfly::bench {

struct RawPurge {
  double seconds = 0;
  int64_t documents = 0;

  double rate() const { return seconds > 0 ? static_cast<double>(documents) / seconds : 0; }
};

// Fills tables in `folder` (raw_store.h: documents, `_id`, `indexes` secondary ones, and the index
// by due moment) and deletes all of it: documents first, then each index in one walk, in
// transactions of a size that a server would use.
absl::StatusOr<RawPurge> MeasureRawPurge(const std::string& folder, int64_t documents, int indexes);

}  // namespace mayfly::bench

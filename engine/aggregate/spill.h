// Rows that do not fit into memory, in temporary files that vanish with the object (and with the
// process).
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "engine/stream/stream.h"

namespace mayfly::engine {

// A row on its way through a file, with the key it is ordered by, if there is one.
struct SpilledRow {
  std::vector<bson::Value> key;
  int64_t sequence = 0;
  Row row;
};

// Written once from front to back, then read the same way. Errors: 14031 OutOfDiskSpace, 1 for all
// other failures of the file.
class SpillFile {
 public:
  // In the folder for temporary files ($TMPDIR).
  static absl::StatusOr<std::unique_ptr<SpillFile>> Make();
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  absl::Status Write(const SpilledRow& row);
  // Ends the writing and goes to the front.
  absl::Status Rewind();
  // False at the end.
  absl::StatusOr<bool> Read(SpilledRow* row);

 private:
  explicit SpillFile(std::FILE* file) : file_(file) {}

  std::FILE* file_;
};

}  // namespace mayfly::engine

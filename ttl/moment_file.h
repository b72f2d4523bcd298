// Keeps the last moment in a small file beside the databases.
#pragma once

#include <string>

#include "absl/functional/any_invocable.h"
#include "ttl/clock_guard.h"

namespace mayfly::ttl {

// The file holds one line: milliseconds since 1970 in decimal. It is replaced as a whole. What
// cannot be written is logged once and otherwise of no consequence.
class MomentFile : public MomentStore {
 public:
  // `ahead_ms` says by how much tests have moved the clock: the file has the real time, which is
  // also the one after a restart.
  MomentFile(std::string path, absl::AnyInvocable<int64_t()> ahead_ms);

  std::optional<int64_t> Load() override;
  void Save(int64_t moment_ms) override;

 private:
  const std::string path_;
  absl::AnyInvocable<int64_t()> ahead_ms_;
  bool warned_ = false;
};

}  // namespace mayfly::ttl

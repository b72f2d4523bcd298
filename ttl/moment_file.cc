#include "ttl/moment_file.h"

#include <charconv>
#include <cstdio>
#include <fstream>
#include <utility>

#include "base/log.h"

namespace mayfly::ttl {

MomentFile::MomentFile(std::string path, absl::AnyInvocable<int64_t()> ahead_ms)
    : path_(std::move(path)), ahead_ms_(std::move(ahead_ms)) {}

std::optional<int64_t> MomentFile::Load() {
  std::ifstream file(path_);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  int64_t moment_ms = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), moment_ms);
  if (error != std::errc() || end != line.data() + line.size()) {
    MAYFLY_LOG(warn, "TTL", "{} is not legible; the time of the last run is not known", path_);
    return std::nullopt;
  }
  return moment_ms + ahead_ms_();
}

void MomentFile::Save(int64_t moment_ms) {
  const std::string fresh = path_ + ".new";
  {
    std::ofstream file(fresh, std::ios::trunc);
    file << moment_ms - ahead_ms_() << '\n';
    file.flush();
    if (file && std::rename(fresh.c_str(), path_.c_str()) == 0) return;
  }
  if (!std::exchange(warned_, true)) MAYFLY_LOG(warn, "TTL", "cannot write {}", path_);
}

}  // namespace mayfly::ttl

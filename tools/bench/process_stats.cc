#include "tools/bench/process_stats.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace mayfly::bench {

ProcessStats ReadProcess(int pid) {
  ProcessStats stats;
  const std::string root = "/proc/" + std::to_string(pid);
  std::ifstream stat(root + "/stat");
  std::string text;
  if (std::getline(stat, text)) {
    // The name in parentheses may hold spaces; the fields after it are counted from 3.
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string field;
    int64_t ticks = 0;
    for (int number = 3; number <= 15 && fields >> field; ++number) {
      if (number >= 14) ticks += std::stoll(field);
    }
    stats.cpu_us = ticks * (1'000'000 / sysconf(_SC_CLK_TCK));
  }
  std::ifstream status(root + "/status");
  while (std::getline(status, text)) {
    std::istringstream fields(text);
    std::string name;
    int64_t kilobytes = 0;
    if (!(fields >> name >> kilobytes)) continue;
    if (name == "VmRSS:") stats.rss_bytes = kilobytes * 1024;
    if (name == "RssAnon:") stats.rss_anon_bytes = kilobytes * 1024;
  }
  return stats;
}

int64_t FolderBytes(const std::string& folder) {
  int64_t total = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    struct stat info {};
    if (stat(entry.path().c_str(), &info) == 0) total += static_cast<int64_t>(info.st_blocks) * 512;
  }
  return total;
}

}  // namespace mayfly::bench

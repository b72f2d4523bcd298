// What /proc tells about another process: CPU time and memory, and the size of a folder's files.
#pragma once

#include <cstdint>
#include <string>

namespace mayfly::bench {

struct ProcessStats {
  int64_t cpu_us = 0;
  int64_t rss_bytes = 0;
  int64_t rss_anon_bytes = 0;
};

// All zero for a process that is not there; CPU time counts in steps of the kernel's tick (10 ms).
ProcessStats ReadProcess(int pid);

// The allocated bytes of the files directly below `folder`, 0 when there are none.
int64_t FolderBytes(const std::string& folder);

}  // namespace mayfly::bench

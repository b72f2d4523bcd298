// What the operating system tells about this machine and this process. Reads /proc; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace mayfly::commands {

struct MachineFacts {
  std::string hostname;
  std::string architecture;  // "x86_64"
  std::string os_name;       // "Debian GNU/Linux 12 (bookworm)"
  std::string kernel;        // "6.1.0-13-amd64"
  std::string kernel_text;   // /proc/version
  std::string libc_version;
  std::string cpu_name;
  std::string cpu_mhz;
  std::string cpu_features;
  int32_t cores = 1;            // that are online
  int32_t cores_available = 1;  // that this process may use
  int32_t physical_cores = 1;
  int32_t sockets = 1;
  int32_t numa_nodes = 1;
  int64_t memory_mb = 0;
  int64_t memory_limit_mb = 0;  // of this process' control group, or all
  int64_t page_bytes = 0;
  int64_t pages = 0;
  int64_t max_open_files = 0;
};
MachineFacts ReadMachineFacts();

struct ProcessUse {
  int64_t resident_bytes = 0;
  int64_t virtual_bytes = 0;
  int64_t user_us = 0;    // processor time
  int64_t system_us = 0;  // the same in the kernel
  int64_t max_resident_kb = 0;
  int64_t soft_faults = 0;
  int64_t hard_faults = 0;
  int64_t blocks_read = 0;
  int64_t blocks_written = 0;
  int64_t voluntary_switches = 0;
  int64_t involuntary_switches = 0;
  int32_t threads = 0;
};
ProcessUse ReadProcessUse();

}  // namespace mayfly::commands

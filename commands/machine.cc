#include "commands/machine.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace mayfly::commands {
namespace {

constexpr int64_t kMebibyte = 1024 * 1024;

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value behind `name` and `separator` in a line such as "model name : ...", or false.
bool Read(std::string_view line, std::string_view name, char separator, std::string* value) {
  if (!line.starts_with(name)) return false;
  const size_t at = line.find(separator);
  if (at == std::string_view::npos) return false;
  std::string_view rest = line.substr(at + 1);
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '"')) rest.remove_prefix(1);
  while (!rest.empty() && (rest.back() == ' ' || rest.back() == '"')) rest.remove_suffix(1);
  *value = std::string(rest);
  return true;
}

int64_t ToInteger(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void ReadOsName(MachineFacts* facts) {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (Read(line, "PRETTY_NAME", '=', &facts->os_name)) return;
  }
}

void ReadProcessors(MachineFacts* facts) {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> sockets;
  std::set<std::string> cores;
  std::string socket;
  std::string value;
  for (std::string line; std::getline(file, line);) {
    if (Read(line, "model name", ':', &value)) facts->cpu_name = value;
    if (Read(line, "cpu MHz", ':', &value)) facts->cpu_mhz = value;
    if (Read(line, "flags", ':', &value)) facts->cpu_features = value;
    if (Read(line, "physical id", ':', &value)) sockets.insert(socket = value);
    if (Read(line, "core id", ':', &value)) cores.insert(socket + "/" + value);
  }
  facts->cores = std::max<int32_t>(1, static_cast<int32_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  facts->physical_cores = cores.empty() ? facts->cores : static_cast<int32_t>(cores.size());
  facts->sockets = std::max<int32_t>(1, static_cast<int32_t>(sockets.size()));
  cpu_set_t usable;
  facts->cores_available =
      sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : facts->cores;
}

void ReadNumaNodes(MachineFacts* facts) {
  std::error_code ignored;
  int32_t nodes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/devices/system/node", ignored)) {
    const std::string name = entry.path().filename();
    if (name.size() > 4 && name.starts_with("node") && name[4] >= '0' && name[4] <= '9') ++nodes;
  }
  facts->numa_nodes = std::max(1, nodes);
}

void ReadMemory(MachineFacts* facts) {
  facts->page_bytes = sysconf(_SC_PAGESIZE);
  facts->pages = sysconf(_SC_PHYS_PAGES);
  facts->memory_mb = facts->pages * facts->page_bytes / kMebibyte;
  facts->memory_limit_mb = facts->memory_mb;
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const int64_t limit_mb = ToInteger(FirstLine(path)) / kMebibyte;
    if (limit_mb > 0) facts->memory_limit_mb = std::min(facts->memory_limit_mb, limit_mb);
  }
}

int64_t Microseconds(const timeval& time) {
  return time.tv_sec * int64_t{1'000'000} + time.tv_usec;
}

}  // namespace

MachineFacts ReadMachineFacts() {
  MachineFacts facts;
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) == 0) facts.hostname = name;
  utsname system{};
  if (uname(&system) == 0) {
    facts.architecture = system.machine;
    facts.kernel = system.release;
  }
  facts.kernel_text = FirstLine("/proc/version");
  facts.libc_version = gnu_get_libc_version();
  ReadOsName(&facts);
  ReadProcessors(&facts);
  ReadNumaNodes(&facts);
  ReadMemory(&facts);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    facts.max_open_files = static_cast<int64_t>(std::min<rlim_t>(files.rlim_cur, INT32_MAX));
  }
  return facts;
}

ProcessUse ReadProcessUse() {
  ProcessUse use;
  std::istringstream statm(FirstLine("/proc/self/statm"));
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  const int64_t page = sysconf(_SC_PAGESIZE);
  use.virtual_bytes = size * page;
  use.resident_bytes = resident * page;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    use.user_us = Microseconds(usage.ru_utime);
    use.system_us = Microseconds(usage.ru_stime);
    use.max_resident_kb = usage.ru_maxrss;
    use.soft_faults = usage.ru_minflt;
    use.hard_faults = usage.ru_majflt;
    use.blocks_read = usage.ru_inblock;
    use.blocks_written = usage.ru_oublock;
    use.voluntary_switches = usage.ru_nvcsw;
    use.involuntary_switches = usage.ru_nivcsw;
  }
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    use.threads += entry.exists(ignored) ? 1 : 0;
  }
  return use;
}

}  // namespace mayfly::commands

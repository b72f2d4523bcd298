// hostInfo: the machine this server runs on.
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/machine.h"

namespace mayfly::commands {
namespace {

absl::Status RunHostInfo(CommandContext& context, const Arguments&, bson::Builder& reply) {
  const MachineFacts facts = ReadMachineFacts();
  reply.OpenDocument("system").Date("currentTime", context.now_ms);
  reply.String("hostname", facts.hostname);
  reply.Int32("cpuAddrSize", 8 * static_cast<int32_t>(sizeof(void*)));
  reply.Int64("memSizeMB", facts.memory_mb).Int64("memLimitMB", facts.memory_limit_mb);
  reply.Int32("numCores", facts.cores);
  reply.Int32("numCoresAvailableToProcess", facts.cores_available);
  reply.Int32("numPhysicalCores", facts.physical_cores).Int32("numCpuSockets", facts.sockets);
  reply.String("cpuArch", facts.architecture).Bool("numaEnabled", facts.numa_nodes > 1);
  reply.Int32("numNumaNodes", facts.numa_nodes).Close();

  reply.OpenDocument("os").String("type", "Linux").String("name", facts.os_name);
  reply.String("version", base::StrCat("Kernel ", facts.kernel)).Close();

  reply.OpenDocument("extra").String("versionString", facts.kernel_text);
  reply.String("libcVersion", facts.libc_version).String("kernelVersion", facts.kernel);
  reply.String("cpuString", facts.cpu_name).String("cpuFrequencyMHz", facts.cpu_mhz);
  reply.String("cpuFeatures", facts.cpu_features).Int64("pageSize", facts.page_bytes);
  reply.Int64("numPages", facts.pages).Int64("maxOpenFiles", facts.max_open_files).Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "hostInfo",
     .place = Place::kWorker,
     .flags = kNoApiVersion | kNoConcerns,
     .run = RunHostInfo,
     .help = "The machine this server runs on: processors, memory, operating system."},
};

}  // namespace

std::span<const CommandRow> HostInfoCommands() { return kRows; }

}  // namespace mayfly::commands

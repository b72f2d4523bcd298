// buildInfo: the version of MongoDB that is offered, and how this program was built.
#include "base/limits.h"
#include "base/strings.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/version.h"

namespace mayfly::commands {
namespace {

#ifdef NDEBUG
constexpr bool kDebug = false;
#else
constexpr bool kDebug = true;
#endif
#ifdef __clang__
constexpr std::string_view kCompiler = "clang " __VERSION__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif
#ifdef __aarch64__
constexpr std::string_view kArchitecture = "aarch64";
#else
constexpr std::string_view kArchitecture = "x86_64";
#endif

absl::Status RunBuildInfo(CommandContext& context, const Arguments&, bson::Builder& reply) {
  reply.String("version", kMongoVersion);
  reply.String("gitVersion", base::StrCat("mayfly-", context.services.facts.version));
  reply.OpenArray("modules").Close();
  reply.String("allocator", "system").String("javascriptEngine", "none");
  reply.String("sysInfo", "deprecated").OpenArray("versionArray");
  for (const int32_t part : kMongoVersionArray) reply.PushInt32(part);
  reply.Close();
  reply.OpenDocument("openssl").String("running", "disabled").String("compiled", "disabled");
  reply.Close();
  reply.OpenDocument("buildEnvironment").String("cxx", kCompiler);
  reply.String("target_arch", kArchitecture).String("target_os", "linux").Close();
  reply.Int32("bits", 8 * static_cast<int32_t>(sizeof(void*))).Bool("debug", kDebug);
  reply.Int32("maxBsonObjectSize", base::kMaxBsonObjectSize);
  reply.OpenArray("storageEngines").PushString("sqlite").PushString("memory").Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "buildInfo",
     .alias = "buildinfo",
     .flags = kHandshake,
     .run = RunBuildInfo,
     .help = "The version of MongoDB that is offered, and how this program was built."},
};

}  // namespace

std::span<const CommandRow> BuildInfoCommands() { return kRows; }

}  // namespace mayfly::commands

// The program mayfly. Exit codes as mongod's: 0 after an orderly end, 2 for wrong options, 48 if an
// address cannot be listened on, 100 for everything else that keeps it from starting.
#include <cstdio>
#include <string>

#include "base/log.h"
#include "base/status.h"
#include "base/strings.h"
#include "server/memory_settings.h"
#include "server/options.h"
#include "server/server.h"

namespace {

constexpr int kBadOptions = 2;
constexpr int kNetError = 48;
constexpr int kCannotStart = 100;

int Fail(const absl::Status& status, int exit_code) {
  std::fprintf(stderr, "mayfly: %s\n", std::string(mayfly::base::MessageOf(status)).c_str());
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  mayfly::server::ConfigureMemory();
  auto command_line = mayfly::server::ParseCommandLine(argc, argv);
  if (!command_line.ok()) return Fail(command_line.status(), kBadOptions);
  if (command_line->text.has_value()) {
    std::fputs(command_line->text->c_str(), stdout);
    return 0;
  }
  const mayfly::server::Options& options = command_line->options;
  const absl::Status log = mayfly::base::ConfigureLog({.path = options.log_path,
                                                       .append = options.log_append,
                                                       .quiet = options.quiet,
                                                       .debug = options.verbosity > 0});
  if (!log.ok()) return Fail(log, kCannotStart);

  mayfly::server::Server server(options);
  const absl::Status started = server.Start();
  if (!started.ok()) {
    const bool is_network =
        mayfly::base::CodeOf(started) == mayfly::base::ErrorCode::kHostUnreachable;
    return Fail(started, is_network ? kNetError : kCannotStart);
  }
  mayfly::base::EndOfStartup();
  std::printf("Mayfly %s listening on %s\n", mayfly::server::kVersion,
              server.ConnectionString().c_str());
  std::fflush(stdout);
  server.Run();
  MAYFLY_LOG(info, "control", "shut down");
  return 0;
}

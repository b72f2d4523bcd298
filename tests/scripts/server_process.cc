#include "tests/scripts/server_process.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::test {
namespace {

constexpr std::string_view kListening = "listening on mongodb://";

// The port in "... listening on mongodb://127.0.0.1:27017"; 0 if the line is another one.
uint16_t PortIn(std::string_view line) {
  const size_t start = line.find(kListening);
  if (start == std::string_view::npos) return 0;
  line.remove_prefix(start + kListening.size());
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return 0;
  uint16_t port = 0;
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), port);
  return port;
}

std::string_view Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The library that changes what a process sees of the clock; empty if it is not installed.
std::string FindFakeTime() {
  glob_t found{};
  std::string path;
  if (glob("/usr/lib/*/faketime/libfaketimeMT.so.1", 0, nullptr, &found) == 0) {
    path = found.gl_pathv[0];
  }
  globfree(&found);
  return path;
}

}  // namespace

ServerProcess::ServerProcess(std::string binary, std::string db_path)
    : binary_(std::move(binary)), db_path_(std::move(db_path)) {}

ServerProcess::~ServerProcess() { Kill(); }

void ServerProcess::Exec(int output, const std::string& preload, int64_t ahead_s) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (ahead_s != 0) {
    setenv("LD_PRELOAD", preload.c_str(), 1);
    setenv("FAKETIME", base::StrCat(ahead_s > 0 ? "+" : "", ahead_s).c_str(), 1);
    // Set like this, only the wall clock is off, as after a wrong setting of it.
    setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1", 1);
    // A build with the address sanitizer refuses to start behind another library, and works there.
    setenv("ASAN_OPTIONS",
           base::StrCat(Environment("ASAN_OPTIONS"), ":verify_asan_link_order=0").c_str(), 1);
  }
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const std::string port = std::to_string(port_);
  execl(binary_.c_str(), binary_.c_str(), "--dbpath", db_path_.c_str(), "--port", port.c_str(),
        "--enableTestCommands", "--nounixsocket", nullptr);
  std::perror("execl");
  _exit(127);
}

absl::Status ServerProcess::Start(int64_t ahead_s) {
  const std::string preload = ahead_s == 0 ? "" : FindFakeTime();
  if (ahead_s != 0 && preload.empty()) {
    return base::Error(base::ErrorCode::kInternalError,
                       "libfaketime is missing: tools/setup --tests");
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return base::Error(base::ErrorCode::kInternalError, "pipe2");
  pid_ = fork();
  if (pid_ == 0) Exec(ends[1], preload, ahead_s);
  close(ends[1]);
  output_ = ends[0];
  absl::Status status = AwaitListening();
  // From here on somebody must read, or the server would block when the pipe is full.
  reader_ = std::thread([this] {
    char chunk[4096];
    for (ssize_t n; (n = read(output_, chunk, sizeof chunk)) > 0;) {
      const std::lock_guard lock(mutex_);
      log_.append(chunk, n);
    }
  });
  return status;
}

absl::Status ServerProcess::AwaitListening() {
  std::string line;
  for (char c; read(output_, &c, 1) == 1;) {
    {
      const std::lock_guard lock(mutex_);
      log_.push_back(c);
    }
    if (c != '\n') {
      line.push_back(c);
      continue;
    }
    if (const uint16_t port = PortIn(line); port != 0) {
      port_ = port;
      return absl::OkStatus();
    }
    line.clear();
  }
  return base::Error(base::ErrorCode::kInternalError, "the server ended before it listened");
}

int ServerProcess::Wait() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  if (reader_.joinable()) reader_.join();
  close(std::exchange(output_, -1));
  return status;
}

absl::Status ServerProcess::Stop() {
  kill(pid_, SIGTERM);
  const int status = Wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return base::Error(base::ErrorCode::kInternalError,
                     WIFEXITED(status)
                         ? base::StrCat("the server ended with ", WEXITSTATUS(status))
                         : base::StrCat("the server was ended by signal ", WTERMSIG(status)));
}

void ServerProcess::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  Wait();
}

std::string ServerProcess::log() {
  const std::lock_guard lock(mutex_);
  return log_;
}

}  // namespace mayfly::test

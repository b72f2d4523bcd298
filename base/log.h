// The log: one line an event, to standard output or a file, with severity and component as mongod's
// has.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "spdlog/spdlog.h"

namespace mayfly::base {

// MAYFLY_LOG(warn, "ttl", "purge of {} paused: {}", ns, reason): component first, then an fmt
// pattern.
#define MAYFLY_LOG(severity, component, ...) \
  ::spdlog::log(::spdlog::level::severity, "{:<8} {}", component, ::fmt::format(__VA_ARGS__))

struct LogOptions {
  std::string path;  // empty: standard output
  bool append = false;
  bool quiet = false;  // warnings and errors only
  bool debug = false;
};

// Once, at the start, before other threads log. Error: the file cannot be opened.
absl::Status ConfigureLog(const LogOptions& options);

// One line as it was logged.
struct LogLine {
  int64_t time_ms = 0;  // wall clock
  char severity = 'I';  // the first letter of trace, debug, info, warning, error, critical
  std::string component;
  std::string text;
};
struct LogLines {
  int64_t total = 0;  // ever logged; `lines` are the newest of them
  std::deque<LogLine> lines;
};
// The newest lines, and the warnings that were logged before EndOfStartup(). Empty unless
// ConfigureLog() was called.
LogLines RecentLogLines();
LogLines StartupWarnings();
void EndOfStartup();

// Changes what ConfigureLog() chose: debug lines from level 1 on; `quiet`: warnings and errors
// only.
void SetLogVerbosity(int level, bool quiet);

// The log file gets the time added to its name, and a new one is begun. Nothing happens if the log
// is no file. Errors: 37 FileRenameFailed, 39 FileStreamFailed.
absl::Status RotateLog(int64_t now_ms);

// Collects the log's lines while it lives. For tests: make it before the threads that log, destroy
// it after them.
class LogCapture {
 public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  // What was logged since the last call. Any thread.
  std::vector<std::string> TakeLines();

 private:
  class Sink;
  std::shared_ptr<Sink> sink_;
  std::shared_ptr<spdlog::logger> before_;
};

}  // namespace mayfly::base

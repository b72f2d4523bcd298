// The log: one line an event, to standard output or a file, with severity and component as mongod's
// has.
#pragma once

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

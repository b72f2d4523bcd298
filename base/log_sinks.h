// Where log lines go: a file that can be rotated, and a memory of the newest ones.
#pragma once

#include <deque>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "base/log.h"
#include "spdlog/details/file_helper.h"
#include "spdlog/sinks/base_sink.h"

namespace mayfly::base {

// Keeps the newest lines, and the warnings up to EndOfStartup(). Thread-safe.
class MemorySink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  static constexpr size_t kMaxLines = 1024;

  LogLines Recent();
  LogLines Warnings();
  void EndOfStartup();

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  static void Add(LogLines* lines, LogLine line);

  LogLines recent_;
  LogLines warnings_;
  bool starting_ = true;
};

// Thread-safe. The constructor throws spdlog::spdlog_ex if the file cannot be opened.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  FileSink(const std::string& path, bool append);
  // The file gets `suffix` added to its name, and a new one is begun. Error: 37 FileRenameFailed.
  absl::Status Rotate(const std::string& suffix);

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;

 private:
  std::string path_;
  spdlog::details::file_helper file_;
};

}  // namespace mayfly::base

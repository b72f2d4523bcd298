#include "base/log_sinks.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::base {
namespace {

// Lines begin with the component, which MAYFLY_LOG sets in so many columns.
constexpr size_t kComponentColumns = 8;

LogLine ToLine(const spdlog::details::log_msg& message) {
  LogLine line;
  line.time_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(message.time.time_since_epoch())
          .count();
  line.severity = static_cast<char>(*spdlog::level::to_short_c_str(message.level));
  std::string_view text(message.payload.data(), message.payload.size());
  const size_t end = text.find(' ');
  if (end != std::string_view::npos && text.size() > kComponentColumns) {
    line.component = std::string(text.substr(0, end));
    text.remove_prefix(std::max(end, kComponentColumns) + 1);
  }
  line.text = std::string(text);
  return line;
}

}  // namespace

void MemorySink::Add(LogLines* lines, LogLine line) {
  ++lines->total;
  lines->lines.push_back(std::move(line));
  if (lines->lines.size() > kMaxLines) lines->lines.pop_front();
}

void MemorySink::sink_it_(const spdlog::details::log_msg& message) {
  LogLine line = ToLine(message);
  if (starting_ && message.level >= spdlog::level::warn) Add(&warnings_, line);
  Add(&recent_, std::move(line));
}

LogLines MemorySink::Recent() {
  const std::lock_guard lock(mutex_);
  return recent_;
}

LogLines MemorySink::Warnings() {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

void MemorySink::EndOfStartup() {
  const std::lock_guard lock(mutex_);
  starting_ = false;
}

FileSink::FileSink(const std::string& path, bool append) : path_(path) {
  file_.open(path, !append);
}

absl::Status FileSink::Rotate(const std::string& suffix) {
  const std::lock_guard lock(mutex_);
  const std::string to = StrCat(path_, ".", suffix);
  std::error_code error;
  if (std::filesystem::exists(to, error)) {
    return Error(ErrorCode::kFileRenameFailed,
                 StrCat("Rotation of the log failed: ", to, " already exists"));
  }
  std::filesystem::rename(path_, to, error);
  if (error) {
    return Error(ErrorCode::kFileRenameFailed,
                 StrCat("Rotation of the log failed: ", path_, ": ", error.message()));
  }
  try {
    file_.reopen(/*truncate=*/false);
  } catch (const spdlog::spdlog_ex& exception) {
    return Error(ErrorCode::kFileStreamFailed, StrCat("cannot open the log: ", exception.what()));
  }
  return absl::OkStatus();
}

void FileSink::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t text;
  formatter_->format(message, text);
  file_.write(text);
}

void FileSink::flush_() { file_.flush(); }

}  // namespace mayfly::base

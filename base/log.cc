#include "base/log.h"

#include <mutex>
#include <utility>

#include "absl/time/time.h"
#include "base/log_sinks.h"
#include "base/status.h"
#include "base/strings.h"
#include "spdlog/sinks/base_sink.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace mayfly::base {

namespace {

template <typename Sink>
std::shared_ptr<Sink> FindSink() {
  for (const spdlog::sink_ptr& sink : spdlog::default_logger()->sinks()) {
    if (auto found = std::dynamic_pointer_cast<Sink>(sink)) return found;
  }
  return nullptr;
}

}  // namespace

absl::Status ConfigureLog(const LogOptions& options) {
  std::shared_ptr<spdlog::logger> logger;
  try {
    spdlog::sink_ptr sink;
    if (options.path.empty()) {
      sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
    } else {
      sink = std::make_shared<FileSink>(options.path, options.append);
    }
    const std::initializer_list<spdlog::sink_ptr> sinks = {sink, std::make_shared<MemorySink>()};
    logger = std::make_shared<spdlog::logger>("", sinks);
  } catch (const spdlog::spdlog_ex& error) {
    return Error(ErrorCode::kFileStreamFailed, StrCat("cannot open the log: ", error.what()));
  }
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %L %v");
  logger->set_level(options.quiet   ? spdlog::level::warn
                    : options.debug ? spdlog::level::debug
                                    : spdlog::level::info);
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
  return absl::OkStatus();
}

class LogCapture::Sink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<std::string> TakeLines() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    lines_.emplace_back(message.payload.data(), message.payload.size());
  }
  void flush_() override {}

 private:
  std::vector<std::string> lines_;
};

LogLines RecentLogLines() {
  const auto memory = FindSink<MemorySink>();
  return memory == nullptr ? LogLines() : memory->Recent();
}

LogLines StartupWarnings() {
  const auto memory = FindSink<MemorySink>();
  return memory == nullptr ? LogLines() : memory->Warnings();
}

void EndOfStartup() {
  if (const auto memory = FindSink<MemorySink>()) memory->EndOfStartup();
}

void SetLogVerbosity(int level, bool quiet) {
  spdlog::default_logger()->set_level(level > 0 ? spdlog::level::debug
                                      : quiet   ? spdlog::level::warn
                                                : spdlog::level::info);
}

absl::Status RotateLog(int64_t now_ms) {
  const auto file = FindSink<FileSink>();
  if (file == nullptr) return absl::OkStatus();
  return file->Rotate(
      absl::FormatTime("%Y-%m-%dT%H-%M-%S", absl::FromUnixMillis(now_ms), absl::UTCTimeZone()));
}

LogCapture::LogCapture() : sink_(std::make_shared<Sink>()), before_(spdlog::default_logger()) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("capture", sink_));
}

LogCapture::~LogCapture() { spdlog::set_default_logger(before_); }

std::vector<std::string> LogCapture::TakeLines() { return sink_->TakeLines(); }

}  // namespace mayfly::base

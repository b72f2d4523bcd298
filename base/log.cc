#include "base/log.h"

#include <mutex>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "spdlog/sinks/base_sink.h"
#include "spdlog/sinks/basic_file_sink.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace mayfly::base {

absl::Status ConfigureLog(const LogOptions& options) {
  std::shared_ptr<spdlog::logger> logger;
  try {
    spdlog::sink_ptr sink;
    if (options.path.empty()) {
      sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.path, !options.append);
    }
    logger = std::make_shared<spdlog::logger>("", std::move(sink));
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

LogCapture::LogCapture() : sink_(std::make_shared<Sink>()), before_(spdlog::default_logger()) {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("capture", sink_));
}

LogCapture::~LogCapture() { spdlog::set_default_logger(before_); }

std::vector<std::string> LogCapture::TakeLines() { return sink_->TakeLines(); }

}  // namespace mayfly::base

#include "base/log.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "spdlog/sinks/basic_file_sink.h"
#include "spdlog/sinks/ostream_sink.h"
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

LogCapture::LogCapture() : before_(spdlog::default_logger()) {
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_, /*force_flush=*/true);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("capture", std::move(sink)));
}

LogCapture::~LogCapture() { spdlog::set_default_logger(before_); }

std::vector<std::string> LogCapture::Lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(text_.str());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace mayfly::base

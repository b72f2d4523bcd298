// The log: one line an event, to standard output, with severity and component as mongod's has.
#pragma once

#include "spdlog/spdlog.h"

namespace mayfly::base {

// LOG(warn, "ttl", "purge of {} paused: {}", ns, reason): component first, then an fmt pattern.
#define MAYFLY_LOG(severity, component, ...) \
  ::spdlog::log(::spdlog::level::severity, "{:<8} {}", component, ::fmt::format(__VA_ARGS__))

}  // namespace mayfly::base

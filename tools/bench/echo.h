// The socket's ceiling: an Asio server that sends back what it gets, and clients that wait for it.
#pragma once

#include <memory>

#include "tools/bench/workload.h"

namespace mayfly::bench {

// As many connections as there are clients, all driven by one thread; every operation is a round
// trip of 316 bytes on each of them.
std::unique_ptr<Client> RawEcho(const ClientArguments& arguments);

}  // namespace mayfly::bench

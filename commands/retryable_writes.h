// Retryable writes: a write that carries a session and a transaction number is done once, however
// often it comes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "commands/arguments.h"
#include "commands/command.h"
#include "commands/sessions.h"
#include "engine/storage/kv.h"

namespace mayfly::commands {

struct RetryableWrite {
  SessionId session;
  int64_t number = 0;
};

// The session and number of a command that has both.
std::optional<RetryableWrite> RetryableWriteOf(const CommonArguments& common);

// Whether the command may have a transaction number. Errors: 20 on a standalone server, 360 for
// what is no write.
absl::Status CheckTransactionNumber(const CommandRow& row, bool replica_set);

// The write was done with this reply. It is forgotten again if `transaction` is undone; null: the
// command had none. Both run inside the operation, so that a repeat that waits behind the first run
// finds it.
void RememberWrite(SessionRegistry& sessions, const RetryableWrite& write, std::string reply,
                   engine::Transaction* transaction);

}  // namespace mayfly::commands

// Retryable writes: a write that carries a session and a transaction number is done once, however
// often it comes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "commands/arguments.h"
#include "commands/command.h"
#include "commands/sessions.h"

namespace mayfly::commands {

struct RetryableWrite {
  SessionId session;
  int64_t number = 0;
};

// The session and number of a command that has both.
std::optional<RetryableWrite> RetryableWriteOf(const CommonArguments& common);

// Whether the command may have a transaction number. Errors: 20 on a standalone server, 50768 for
// what is no write, unless it is `in_transaction`.
absl::Status CheckTransactionNumber(const CommandRow& row, bool replica_set, bool in_transaction);

// The reply of the write if it was done before, from memory or, when the server has started since,
// from the database it wrote to. Inside the operation. Error: 225 TransactionTooOld.
absl::StatusOr<std::optional<std::string>> FindFirstReply(SessionRegistry& sessions,
                                                          const RetryableWrite& write,
                                                          const CommandContext& context);

// The write was done with this reply; kept with what it wrote. It is forgotten again if the
// operation is undone. Inside the operation, so that a repeat that waits behind the first run finds
// it.
void RememberWrite(SessionRegistry& sessions, const RetryableWrite& write, std::string reply,
                   const CommandContext& context);

}  // namespace mayfly::commands

#include "commands/retryable_writes.h"

#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"

namespace mayfly::commands {

std::optional<RetryableWrite> RetryableWriteOf(const CommonArguments& common) {
  if (common.lsid.IsMissing() || common.txn_number.IsMissing()) return std::nullopt;
  return RetryableWrite{SessionIdOf(common.lsid.AsDocument()),
                        bson::ToInt64Truncated(common.txn_number)};
}

absl::Status CheckTransactionNumber(const CommandRow& row, bool replica_set) {
  if (!replica_set) {
    return base::Error(base::ErrorCode::kIllegalOperation,
                       "Transaction numbers are only allowed on a replica set member or mongos");
  }
  if (row.place == Place::kWrite || (row.flags & kUnsupported) != 0) return absl::OkStatus();
  return base::Error(
      360,
      base::StrCat("txnNumber may only be provided for multi-document transactions and retryable "
                   "write commands. autocommit:false was not provided, and ",
                   row.name, " is not a retryable write command."));
}

void RememberWrite(SessionRegistry& sessions, const RetryableWrite& write, std::string reply,
                   engine::Transaction* transaction) {
  sessions.Remember(write.session, write.number, std::move(reply));
  if (transaction == nullptr) return;
  transaction->OnRollback([&sessions, write] { sessions.Forget(write.session, write.number); });
}

}  // namespace mayfly::commands

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

absl::Status CheckTransactionNumber(const CommandRow& row, bool replica_set, bool in_transaction) {
  if (!replica_set) {
    return base::Error(base::ErrorCode::kIllegalOperation,
                       "Transaction numbers are only allowed on a replica set member or mongos");
  }
  if (in_transaction || row.place == Place::kWrite || (row.flags & kUnsupported) != 0) {
    return absl::OkStatus();
  }
  return base::Error(
      50768,
      base::StrCat("txnNumber may only be provided for multi-document transactions and retryable "
                   "write commands. autocommit:false was not provided, and ",
                   row.name, " is not a retryable write command."));
}

absl::StatusOr<std::optional<std::string>> FindFirstReply(SessionRegistry& sessions,
                                                          const RetryableWrite& write,
                                                          const CommandContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(SessionRegistry::Found found,
                          sessions.FindReply(write.session, write.number));
  if (found.is_known || context.database == nullptr) return std::move(found.reply);
  MAYFLY_ASSIGN_OR_RETURN(auto kept, context.database->session_writes().Find(
                                         *context.transaction, write.session.AsKey()));
  if (!kept.has_value() || kept->number < write.number) return std::nullopt;
  if (kept->number > write.number) {
    return TransactionTooOld(write.session, write.number, kept->number);
  }
  return std::move(kept->reply);
}

void RememberWrite(SessionRegistry& sessions, const RetryableWrite& write, std::string reply,
                   const CommandContext& context) {
  if (engine::Transaction* transaction = context.transaction; transaction != nullptr) {
    context.database->session_writes().Remember(*transaction, write.session.AsKey(),
                                                {write.number, reply}, context.now_ms);
    transaction->OnRollback([&sessions, write] { sessions.Forget(write.session, write.number); });
  }
  sessions.Remember(write.session, write.number, std::move(reply));
}

}  // namespace mayfly::commands

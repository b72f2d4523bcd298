// commitTransaction and abortTransaction: how a transaction ends. None can be begun yet, so what is
// left is what MongoDB answers where there is none.
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/sessions.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"recoveryToken", ArgType::kDocument, ArgUse::kIgnored, "of sharded clusters"},
};

absl::Status Run(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const CommonArguments& common = arguments.common();
  const std::string_view name = context.invocation.body.First().key;
  if (common.autocommit.IsMissing()) {
    return Error(ErrorCode::kCommandFailed, StrCat(name, " must be run within a transaction"));
  }
  const int64_t number = bson::ToInt64Truncated(common.txn_number);
  // 225 if the session has begun something later.
  MAYFLY_RETURN_IF_ERROR(
      context.services.sessions.FindReply(SessionIdOf(common.lsid.AsDocument()), number).status());
  return Error(
      ErrorCode::kNoSuchTransaction,
      StrCat("Given transaction number ", number, " does not match any in-progress transactions."));
}

constexpr CommandRow Row(std::string_view name, std::string_view help) {
  return {.name = name,
          .flags = kAdminOnly | kEndsTransaction | kInTransaction | kTakesWriteConcern,
          .run = Run,
          .arguments = kArguments,
          .help = help};
}

constexpr CommandRow kRows[] = {
    Row("abortTransaction", "Transactions cannot be begun yet: there is none to undo."),
    Row("commitTransaction", "Transactions cannot be begun yet: there is none to keep."),
};

}  // namespace

std::span<const CommandRow> TransactionCommands() { return kRows; }

}  // namespace mayfly::commands

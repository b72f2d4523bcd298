// findAndModify: changes or removes one document and returns it.
#include "base/status.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/modify_statement.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::array kArguments = {
    ArgSpec{"query", ArgType::kDocument, ArgUse::kOptional, "which document"},
    ArgSpec{"sort", ArgType::kDocument, ArgUse::kOptional, "which of several"},
    ArgSpec{"remove", ArgType::kFlag, ArgUse::kOptional, "remove it"},
    ArgSpec{"update", ArgType::kAny, ArgUse::kOptional, "or change it"},
    ArgSpec{"new", ArgType::kFlag, ArgUse::kOptional, "return it as it is afterwards"},
    ArgSpec{"fields", ArgType::kDocument, ArgUse::kOptional, "projection of the document returned"},
    ArgSpec{"upsert", ArgType::kFlag, ArgUse::kOptional, "insert if nothing matches"},
    ArgSpec{"bypassDocumentValidation", ArgType::kFlag, ArgUse::kOptional,
            "skip the collection's validator"},
    ArgSpec{"bypassEmptyTsReplacement", ArgType::kBool, ArgUse::kOptional,
            "store Timestamp(0, 0) as it is"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"arrayFilters", ArgType::kArray, ArgUse::kOptional, "which elements $[name] means"},
    ArgSpec{"hint", ArgType::kAny, ArgUse::kOptional, "the index to use"},
    ArgSpec{"let", ArgType::kDocument, ArgUse::kOptional, "variables for expressions"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"stmtId", ArgType::kNumber, ArgUse::kIgnored, "of retryable writes"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

absl::Status CheckCombination(const Arguments& arguments) {
  const bool remove = arguments.Flag(Arg("remove"));
  const bool has_update = arguments.Has(Arg("update"));
  const auto refuse = [](std::string_view text) { return Error(ErrorCode::kFailedToParse, text); };
  if (!remove && !has_update) return refuse("Either an update or remove=true must be specified");
  if (!remove) return absl::OkStatus();
  if (has_update) return refuse("Cannot specify both an update and remove=true");
  if (arguments.Flag(Arg("upsert")))
    return refuse("Cannot specify both upsert=true and remove=true");
  if (arguments.Flag(Arg("new"))) {
    return refuse(
        "Cannot specify both new=true and remove=true; 'remove' always returns the deleted "
        "document");
  }
  if (arguments.Has(Arg("arrayFilters")))
    return refuse("Cannot specify arrayFilters and remove=true");
  return absl::OkStatus();
}

absl::Status CheckTypes(const Arguments& arguments) {
  const bson::ValueView update = arguments[Arg("update")];
  if (!update.IsMissing() && !update.IsContainer()) {
    return Error(ErrorCode::kFailedToParse, "Update argument must be either an object or an array");
  }
  const bson::ValueView hint = arguments[Arg("hint")];
  if (!hint.IsMissing() && !hint.IsDocument() && !hint.IsString()) {
    return Error(ErrorCode::kFailedToParse, "Hint must be a string or an object");
  }
  return absl::OkStatus();
}

absl::StatusOr<ModifyStatement> ReadStatement(const Arguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(CheckCombination(arguments));
  MAYFLY_RETURN_IF_ERROR(CheckTypes(arguments));
  ModifyStatement statement;
  statement.query = arguments.Document(Arg("query"));
  statement.update = arguments[Arg("update")];
  MAYFLY_ASSIGN_OR_RETURN(statement.array_filters, arguments.Documents(Arg("arrayFilters")));
  statement.let = arguments.Document(Arg("let"));
  statement.sort = arguments.Document(Arg("sort"));
  statement.fields = arguments.Document(Arg("fields"));
  statement.collation = arguments[Arg("collation")];
  statement.hint = arguments[Arg("hint")];
  statement.upsert = arguments.Flag(Arg("upsert"));
  statement.keep_empty_timestamps = arguments.Flag(Arg("bypassEmptyTsReplacement"));
  statement.return_after = arguments.Flag(Arg("new"));
  statement.return_before = !statement.return_after;
  return statement;
}

absl::Status RunFindAndModify(CommandContext& context, const Arguments& arguments,
                              bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[Arg("collectionUUID")], name,
                                             context.FindCollection(name).get()));
  MAYFLY_ASSIGN_OR_RETURN(const ModifyStatement statement, ReadStatement(arguments));
  ModifyResult result;
  if (context.transaction != nullptr) {
    engine::WriteContext write = MakeWriteContext(context);
    write.bypass_validation = arguments.Flag(Arg("bypassDocumentValidation"));
    MAYFLY_ASSIGN_OR_RETURN(result, RunModify(context, write, name, statement));
  }
  const bool inserted = !result.upserted_id.IsMissing();
  reply.OpenDocument("lastErrorObject")
      .Int32("n", inserted ? 1 : static_cast<int32_t>(result.matched));
  if (!statement.update.IsMissing()) reply.Bool("updatedExisting", !inserted && result.matched > 0);
  if (inserted) reply.Append("upserted", result.upserted_id);
  reply.Close();
  reply.Append("value", result.document.IsMissing() ? bson::Value::Null() : result.document);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "findAndModify",
     .alias = "findandmodify",
     .place = Place::kWrite,
     .flags = kInTransaction | kCreatesDatabase,
     .run = RunFindAndModify,
     .arguments = kArguments,
     .help = "Changes or removes one document and returns it."},
};

}  // namespace

std::span<const CommandRow> FindAndModifyCommands() { return kRows; }

}  // namespace mayfly::commands

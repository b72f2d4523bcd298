// update and delete: statements over documents of one collection.
#include "base/status.h"
#include "base/strings.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/modify_statement.h"
#include "commands/state.h"
#include "commands/write_errors.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

constexpr std::array kUpdateArguments = {
    ArgSpec{"updates", ArgType::kArray, ArgUse::kRequired, "the statements"},
    ArgSpec{"ordered", ArgType::kBool, ArgUse::kOptional, "stop at the first error (default true)"},
    ArgSpec{"bypassDocumentValidation", ArgType::kFlag, ArgUse::kOptional,
            "skip the collection's validator"},
    ArgSpec{"bypassEmptyTsReplacement", ArgType::kBool, ArgUse::kOptional,
            "store Timestamp(0, 0) as it is"},
    ArgSpec{"let", ArgType::kDocument, ArgUse::kOptional, "variables for expressions"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"stmtId", ArgType::kNumber, ArgUse::kIgnored, "of retryable writes"},
    ArgSpec{"stmtIds", ArgType::kArray, ArgUse::kIgnored, "of retryable writes"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

constexpr std::array kDeleteArguments = {
    ArgSpec{"deletes", ArgType::kArray, ArgUse::kRequired, "the statements"},
    ArgSpec{"ordered", ArgType::kBool, ArgUse::kOptional, "stop at the first error (default true)"},
    ArgSpec{"let", ArgType::kDocument, ArgUse::kOptional, "variables for expressions"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"stmtId", ArgType::kNumber, ArgUse::kIgnored, "of retryable writes"},
    ArgSpec{"stmtIds", ArgType::kArray, ArgUse::kIgnored, "of retryable writes"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

// Fields of one element of `updates` and `deletes`, checked like a command's arguments.
constexpr std::array kUpdateFields = {
    ArgSpec{"q", ArgType::kDocument, ArgUse::kRequired, "which documents"},
    ArgSpec{"u", ArgType::kAny, ArgUse::kRequired, "what to do with them"},
    ArgSpec{"c", ArgType::kDocument, ArgUse::kOptional, "constants for a pipeline"},
    ArgSpec{"upsert", ArgType::kFlag, ArgUse::kOptional, "insert if nothing matches"},
    ArgSpec{"multi", ArgType::kFlag, ArgUse::kOptional, "all documents that match"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"arrayFilters", ArgType::kArray, ArgUse::kOptional, "which elements $[name] means"},
    ArgSpec{"hint", ArgType::kHint, ArgUse::kOptional, "the index to use"},
    ArgSpec{"sort", ArgType::kDocument, ArgUse::kOptional, "which of several documents"},
    ArgSpec{"upsertSupplied", ArgType::kFlag, ArgUse::kIgnored, "of $merge between servers"},
    ArgSpec{"sampleId", ArgType::kBinary, ArgUse::kIgnored, "of sharding"},
    ArgSpec{"allowShardKeyUpdatesWithoutFullShardKeyInQuery", ArgType::kFlag, ArgUse::kIgnored,
            "of sharding"},
};

constexpr std::array kDeleteFields = {
    ArgSpec{"q", ArgType::kDocument, ArgUse::kRequired, "which documents"},
    ArgSpec{"limit", ArgType::kNumber, ArgUse::kRequired, "0: all, 1: one"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"hint", ArgType::kHint, ArgUse::kOptional, "the index to use"},
    ArgSpec{"sampleId", ArgType::kBinary, ArgUse::kIgnored, "of sharding"},
};

bool IsIdEquality(ValueView query) {
  if (!query.IsDocument()) return false;
  const bson::Element first = query.AsDocument().First();
  return first.key == "_id" && !first.value.IsContainer() &&
         first.value.type() != bson::Type::kRegex;
}

// One statement about one `_id`.
bool IsShortBatch(const Invocation& invocation, std::string_view list) {
  constexpr uint32_t kShortBytes = 16 * 1024;
  if (invocation.body.size() > kShortBytes || invocation.sequences.size() > 1) return false;
  if (invocation.sequences.size() == 1) {
    const auto& documents = invocation.sequences.front().documents;
    return documents.size() == 1 && documents.front().size() <= kShortBytes &&
           IsIdEquality(documents.front().Find("q"));
  }
  const ValueView statements = invocation.body.Find(list);
  if (!statements.IsArray() || statements.AsDocument().Count() != 1) return false;
  const ValueView statement = statements.AsDocument().First().value;
  return statement.IsDocument() && IsIdEquality(statement.AsDocument().Find("q"));
}

// Reads one element of the list with the same checks as a command's arguments.
template <size_t N>
absl::StatusOr<Arguments> ReadStatement(bson::View statement, std::string_view list,
                                        const std::array<ArgSpec, N>& specs) {
  return Arguments::ParseFields(statement, list, specs);
}

absl::StatusOr<ModifyStatement> ReadUpdate(bson::View element, const Arguments& command) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                          ReadStatement(element, "update.updates", kUpdateFields));
  constexpr auto kField = [](std::string_view name) consteval {
    return ArgIndex(kUpdateFields, name);
  };
  ModifyStatement statement;
  statement.query = fields.Document(kField("q"));
  statement.update = fields[kField("u")];
  if (!statement.update.IsContainer()) {
    return Error(ErrorCode::kFailedToParse, "Update argument must be either an object or an array");
  }
  statement.multi = fields.Flag(kField("multi"));
  statement.upsert = fields.Flag(kField("upsert"));
  statement.collation = fields[kField("collation")];
  statement.hint = fields[kField("hint")];
  statement.sort = fields.Document(kField("sort"));
  if (fields.Has(kField("c"))) statement.constants = fields.Document(kField("c"));
  MAYFLY_ASSIGN_OR_RETURN(statement.array_filters, fields.Documents(kField("arrayFilters")));
  statement.let = command.Document(ArgIndex(kUpdateArguments, "let"));
  statement.keep_empty_timestamps =
      command.Flag(ArgIndex(kUpdateArguments, "bypassEmptyTsReplacement"));
  if (statement.multi && !statement.sort.empty()) {
    return Error(ErrorCode::kFailedToParse, "Cannot specify sort with multi=true");
  }
  return statement;
}

absl::StatusOr<ModifyStatement> ReadDelete(bson::View element, const Arguments& command) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                          ReadStatement(element, "delete.deletes", kDeleteFields));
  constexpr auto kField = [](std::string_view name) consteval {
    return ArgIndex(kDeleteFields, name);
  };
  ModifyStatement statement;
  statement.query = fields.Document(kField("q"));
  const int64_t limit = fields.Integer(kField("limit"), 0);
  if (limit != 0 && limit != 1) {
    return Error(ErrorCode::kFailedToParse,
                 StrCat("The limit field in delete objects must be 0 or 1. Got ", limit));
  }
  statement.multi = limit == 0;
  statement.collation = fields[kField("collation")];
  statement.hint = fields[kField("hint")];
  statement.let = command.Document(ArgIndex(kDeleteArguments, "let"));
  return statement;
}

struct BatchTotals {
  int64_t matched = 0;
  int64_t modified = 0;
  int64_t deleted = 0;
  std::vector<std::pair<int32_t, bson::Value>> upserted;
  WriteErrors errors;
};

absl::Status RunStatement(CommandContext& context, const engine::WriteContext& write,
                          std::string_view name, const ModifyStatement& statement, int32_t index,
                          BatchTotals* totals) {
  MAYFLY_RETURN_IF_ERROR(context.state->user_write_block.Check(context.database_name()));
  MAYFLY_ASSIGN_OR_RETURN(ModifyResult result, RunModify(context, write, name, statement));
  totals->matched += result.matched;
  totals->modified += result.modified;
  totals->deleted += result.deleted;
  if (!result.upserted_id.IsMissing())
    totals->upserted.emplace_back(index, std::move(result.upserted_id));
  return absl::OkStatus();
}

using ReadElement = absl::StatusOr<ModifyStatement> (*)(bson::View, const Arguments&);

absl::StatusOr<BatchTotals> RunBatch(CommandContext& context, const Arguments& arguments,
                                     std::string_view name, size_t list, size_t ordered,
                                     ReadElement read, OpCounter counter, bool bypass_validation) {
  MAYFLY_ASSIGN_OR_RETURN(const auto elements, arguments.Documents(list));
  MAYFLY_RETURN_IF_ERROR(CheckBatchSize(elements.size()));
  MAYFLY_RETURN_IF_ERROR(FindStored(context, name).status());
  std::vector<ModifyStatement> statements;
  statements.reserve(elements.size());
  for (const bson::View element : elements) {
    MAYFLY_ASSIGN_OR_RETURN(ModifyStatement statement, read(element, arguments));
    statements.push_back(std::move(statement));
  }
  context.services.metrics.Count(counter, static_cast<int64_t>(statements.size()));
  BatchTotals totals;
  if (context.transaction == nullptr) return totals;
  engine::WriteContext write = MakeWriteContext(context);
  write.bypass_validation = bypass_validation;
  for (size_t i = 0; i < statements.size(); ++i) {
    absl::Status status =
        RunStatement(context, write, name, statements[i], static_cast<int32_t>(i), &totals);
    if (status.ok()) continue;
    if (EndsCommand(status)) return status;
    totals.errors.Add(static_cast<int32_t>(i), std::move(status));
    if (arguments.Flag(ordered, true)) break;
  }
  return totals;
}

absl::Status RunUpdate(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  constexpr auto kArg = [](std::string_view name) consteval {
    return ArgIndex(kUpdateArguments, name);
  };
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[kArg("collectionUUID")], name,
                                             context.FindCollection(name).get()));
  MAYFLY_ASSIGN_OR_RETURN(
      const BatchTotals totals,
      RunBatch(context, arguments, name, kArg("updates"), kArg("ordered"), ReadUpdate,
               OpCounter::kUpdate, arguments.Flag(kArg("bypassDocumentValidation"))));
  reply.Int32("n",
              static_cast<int32_t>(totals.matched + static_cast<int64_t>(totals.upserted.size())));
  if (!totals.upserted.empty()) {
    reply.OpenArray("upserted");
    for (const auto& [index, id] : totals.upserted) {
      reply.PushOpenDocument().Int32("index", index).Append("_id", id).Close();
    }
    reply.Close();
  }
  reply.Int32("nModified", static_cast<int32_t>(totals.modified));
  totals.errors.AppendTo(reply);
  return absl::OkStatus();
}

absl::Status RunDelete(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  constexpr auto kArg = [](std::string_view name) consteval {
    return ArgIndex(kDeleteArguments, name);
  };
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[kArg("collectionUUID")], name,
                                             context.FindCollection(name).get()));
  MAYFLY_ASSIGN_OR_RETURN(const BatchTotals totals,
                          RunBatch(context, arguments, name, kArg("deletes"), kArg("ordered"),
                                   ReadDelete, OpCounter::kDelete, false));
  reply.Int32("n", static_cast<int32_t>(totals.deleted));
  totals.errors.AppendTo(reply);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "update",
     .place = Place::kWrite,
     .flags = kInTransaction | kCreatesDatabase | kOwnWriteBlock | kSilentUnacknowledged,
     .run = RunUpdate,
     .arguments = kUpdateArguments,
     .help = "Changes documents, or inserts them if none matches.",
     .is_short = [](const Invocation& invocation) { return IsShortBatch(invocation, "updates"); }},
    {.name = "delete",
     .place = Place::kWrite,
     .flags = kInTransaction | kOwnWriteBlock | kSilentUnacknowledged,
     .run = RunDelete,
     .arguments = kDeleteArguments,
     .help = "Removes documents.",
     .is_short = [](const Invocation& invocation) { return IsShortBatch(invocation, "deletes"); }},
};

}  // namespace

std::span<const CommandRow> UpdateCommands() { return kRows; }

}  // namespace mayfly::commands

// bulkWrite: inserts, updates and deletes over several collections and databases in one command.
//
// Statements run in order; neighbours in one database share an operation. Results come as a cursor.
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/cursor_reply.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/modify_statement.h"
#include "commands/state.h"
#include "commands/write_errors.h"
#include "engine/catalog/namespace.h"
#include "engine/collection/new_document.h"
#include "engine/collection/writer.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"ops", ArgType::kArray, ArgUse::kRequired, "the statements"},
    ArgSpec{"nsInfo", ArgType::kArray, ArgUse::kRequired, "the namespaces that they name by index"},
    ArgSpec{"ordered", ArgType::kBool, ArgUse::kOptional, "stop at the first error (default true)"},
    ArgSpec{"errorsOnly", ArgType::kBool, ArgUse::kOptional, "only report statements that failed"},
    ArgSpec{"bypassDocumentValidation", ArgType::kFlag, ArgUse::kOptional, "skip validators"},
    ArgSpec{"let", ArgType::kDocument, ArgUse::kOptional, "variables for expressions"},
    ArgSpec{"cursor", ArgType::kDocument, ArgUse::kOptional, "{batchSize} of the results"},
    ArgSpec{"bypassEmptyTsReplacement", ArgType::kBool, ArgUse::kOptional,
            "store Timestamp(0, 0) as it is"},
    ArgSpec{"stmtId", ArgType::kNumber, ArgUse::kIgnored, "of retryable writes"},
    ArgSpec{"stmtIds", ArgType::kArray, ArgUse::kIgnored, "of retryable writes"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

constexpr std::array kNamespaceFields = {
    ArgSpec{"ns", ArgType::kString, ArgUse::kRequired, "database.collection"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

constexpr std::array kInsertFields = {
    ArgSpec{"insert", ArgType::kNumber, ArgUse::kRequired, "index of the namespace"},
    ArgSpec{"document", ArgType::kDocument, ArgUse::kRequired, "the document"},
};

constexpr std::array kUpdateFields = {
    ArgSpec{"update", ArgType::kNumber, ArgUse::kRequired, "index of the namespace"},
    ArgSpec{"filter", ArgType::kDocument, ArgUse::kRequired, "which documents"},
    ArgSpec{"updateMods", ArgType::kAny, ArgUse::kRequired, "what to do with them"},
    ArgSpec{"sort", ArgType::kDocument, ArgUse::kOptional, "which of several documents"},
    ArgSpec{"multi", ArgType::kBool, ArgUse::kOptional, "all documents that match"},
    ArgSpec{"upsert", ArgType::kBool, ArgUse::kOptional, "insert if nothing matches"},
    ArgSpec{"arrayFilters", ArgType::kArray, ArgUse::kOptional, "which elements $[name] means"},
    ArgSpec{"hint", ArgType::kAny, ArgUse::kOptional, "the index to use"},
    ArgSpec{"constants", ArgType::kDocument, ArgUse::kOptional, "constants for a pipeline"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"sampleId", ArgType::kBinary, ArgUse::kIgnored, "of sharding"},
};

constexpr std::array kDeleteFields = {
    ArgSpec{"delete", ArgType::kNumber, ArgUse::kRequired, "index of the namespace"},
    ArgSpec{"filter", ArgType::kDocument, ArgUse::kRequired, "which documents"},
    ArgSpec{"multi", ArgType::kBool, ArgUse::kOptional, "all documents that match"},
    ArgSpec{"hint", ArgType::kAny, ArgUse::kOptional, "the index to use"},
    ArgSpec{"collation", ArgType::kDocument, ArgUse::kOptional, "how strings compare"},
    ArgSpec{"sampleId", ArgType::kBinary, ArgUse::kIgnored, "of sharding"},
};

enum class Kind : uint8_t { kInsert, kUpdate, kDelete };

struct Target {
  engine::NamespaceView ns;
  bson::ValueView uuid;
};

struct Statement {
  Kind kind = Kind::kInsert;
  size_t target = 0;
  bson::View document;     // insert
  ModifyStatement modify;  // update, delete
};

absl::StatusOr<std::vector<Target>> ReadTargets(const Arguments& arguments) {
  MAYFLY_ASSIGN_OR_RETURN(const auto elements, arguments.Documents(Arg("nsInfo")));
  std::vector<Target> targets;
  for (const bson::View element : elements) {
    MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                            Arguments::ParseFields(element, "bulkWrite.nsInfo", kNamespaceFields));
    Target target{.ns = engine::SplitNamespace(fields.String(0)), .uuid = fields[1]};
    MAYFLY_RETURN_IF_ERROR(engine::CheckDatabaseName(target.ns.database));
    MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(target.ns.database, target.ns.collection));
    targets.push_back(target);
  }
  return targets;
}

absl::Status CheckHint(bson::ValueView hint) {
  if (hint.IsMissing() || hint.IsDocument() || hint.IsString()) return absl::OkStatus();
  return Error(ErrorCode::kFailedToParse, "Hint must be a string or an object");
}

absl::StatusOr<Statement> ReadInsert(bson::View element, const Arguments&) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                          Arguments::ParseFields(element, "bulkWrite.ops", kInsertFields));
  return Statement{.kind = Kind::kInsert,
                   .target = static_cast<size_t>(fields.Integer(0, 0)),
                   .document = fields.Document(1)};
}

absl::StatusOr<Statement> ReadUpdate(bson::View element, const Arguments& command) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                          Arguments::ParseFields(element, "bulkWrite.ops", kUpdateFields));
  constexpr auto kField = [](std::string_view name) consteval {
    return ArgIndex(kUpdateFields, name);
  };
  Statement statement{.kind = Kind::kUpdate, .target = static_cast<size_t>(fields.Integer(0, 0))};
  ModifyStatement& modify = statement.modify;
  modify.query = fields.Document(kField("filter"));
  modify.update = fields[kField("updateMods")];
  if (!modify.update.IsContainer()) {
    return Error(ErrorCode::kFailedToParse, "Update argument must be either an object or an array");
  }
  modify.sort = fields.Document(kField("sort"));
  modify.multi = fields.Flag(kField("multi"));
  modify.upsert = fields.Flag(kField("upsert"));
  modify.hint = fields[kField("hint")];
  MAYFLY_RETURN_IF_ERROR(CheckHint(modify.hint));
  if (fields.Has(kField("constants"))) modify.constants = fields.Document(kField("constants"));
  modify.collation = fields[kField("collation")];
  MAYFLY_ASSIGN_OR_RETURN(modify.array_filters, fields.Documents(kField("arrayFilters")));
  modify.let = command.Document(Arg("let"));
  modify.keep_empty_timestamps = command.Flag(Arg("bypassEmptyTsReplacement"));
  if (modify.multi && !modify.sort.empty()) {
    return Error(ErrorCode::kFailedToParse, "Cannot specify sort with multi=true");
  }
  return statement;
}

absl::StatusOr<Statement> ReadDelete(bson::View element, const Arguments& command) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                          Arguments::ParseFields(element, "bulkWrite.ops", kDeleteFields));
  constexpr auto kField = [](std::string_view name) consteval {
    return ArgIndex(kDeleteFields, name);
  };
  Statement statement{.kind = Kind::kDelete, .target = static_cast<size_t>(fields.Integer(0, 0))};
  statement.modify.query = fields.Document(kField("filter"));
  statement.modify.multi = fields.Flag(kField("multi"));
  statement.modify.hint = fields[kField("hint")];
  MAYFLY_RETURN_IF_ERROR(CheckHint(statement.modify.hint));
  statement.modify.collation = fields[kField("collation")];
  statement.modify.let = command.Document(Arg("let"));
  return statement;
}

struct StatementRow {
  std::string_view name;
  absl::StatusOr<Statement> (*read)(bson::View, const Arguments&);
};

constexpr StatementRow kStatements[] = {
    {"insert", ReadInsert}, {"update", ReadUpdate}, {"delete", ReadDelete}};

absl::StatusOr<std::vector<Statement>> ReadStatements(const Arguments& arguments, size_t targets) {
  MAYFLY_ASSIGN_OR_RETURN(const auto elements, arguments.Documents(Arg("ops")));
  MAYFLY_RETURN_IF_ERROR(CheckBatchSize(elements.size()));
  std::vector<Statement> statements;
  statements.reserve(elements.size());
  for (const bson::View element : elements) {
    const std::string_view name = element.First().key;
    const StatementRow* row = nullptr;
    for (const StatementRow& candidate : kStatements) {
      if (candidate.name == name) row = &candidate;
    }
    if (row == nullptr) {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field 'bulkWrite.ops.", name, "' is an unknown field."));
    }
    MAYFLY_ASSIGN_OR_RETURN(Statement statement, row->read(element, arguments));
    if (statement.target >= targets) {
      return Error(ErrorCode::kBadValue,
                   "BulkWrite ops entry names a namespace that nsInfo does not have");
    }
    statements.push_back(std::move(statement));
  }
  return statements;
}

struct Totals {
  int32_t errors = 0;
  int32_t inserted = 0;
  int32_t matched = 0;
  int32_t modified = 0;
  int32_t upserted = 0;
  int32_t deleted = 0;
};

class Bulk {
 public:
  Bulk(CommandContext& context, const Arguments& arguments, const std::vector<Target>& targets,
       const std::vector<Statement>& statements)
      : context_(context),
        targets_(targets),
        statements_(statements),
        ordered_(arguments.Flag(Arg("ordered"), true)),
        errors_only_(arguments.Flag(Arg("errorsOnly"))),
        bypass_validation_(arguments.Flag(Arg("bypassDocumentValidation"))),
        keep_empty_timestamps_(arguments.Flag(Arg("bypassEmptyTsReplacement"))) {}

  absl::Status Run() {
    size_t next = 0;
    while (next < statements_.size() && !stopped_) {
      MAYFLY_RETURN_IF_ERROR(RunGroup(&next));
    }
    return absl::OkStatus();
  }

  const Totals& totals() const { return totals_; }
  std::vector<bson::Document> TakeResults() { return std::move(results_); }

 private:
  // Runs statements from `*next` on for as long as they are about one database.
  absl::Status RunGroup(size_t* next) {
    const std::string_view database = targets_[statements_[*next].target].ns.database;
    MAYFLY_ASSIGN_OR_RETURN(const auto handle, context_.services.engine.Open(
                                                   database, engine::Store::IfMissing::kCreate));
    return handle->storage().Run(
        {.access = engine::Access::kWrite}, [&](engine::Transaction& transaction) -> absl::Status {
          Invocation inner = context_.invocation;
          inner.database = database;
          CommandContext local(context_.services, inner);
          local.now_ms = context_.now_ms;
          local.evaluation = context_.evaluation;
          local.interrupt = context_.interrupt;
          local.database = handle.get();
          local.transaction = &transaction;
          MAYFLY_ASSIGN_OR_RETURN(local.catalog, handle->GetCatalog(transaction));
          while (*next < statements_.size() && !stopped_ &&
                 targets_[statements_[*next].target].ns.database == database) {
            MAYFLY_RETURN_IF_ERROR(RunOne(local, *next));
            ++*next;
          }
          return absl::OkStatus();
        });
  }

  absl::Status RunOne(CommandContext& local, size_t index) {
    const Statement& statement = statements_[index];
    // Each has a time of its own.
    local.evaluation.cluster_time = context_.state->cluster_clock.Tick(context_.now_ms);
    bson::Builder result;
    absl::Status status = Execute(local, statement, static_cast<int32_t>(index), result);
    if (!status.ok()) {
      if (EndsCommand(status)) return status;
      ++totals_.errors;
      stopped_ = ordered_;
      AppendFailure(status, statement, static_cast<int32_t>(index));
      return absl::OkStatus();
    }
    if (!errors_only_) results_.push_back(result.Finish());
    return absl::OkStatus();
  }

  void AppendFailure(const absl::Status& status, const Statement& statement, int32_t index) {
    bson::Builder result;
    result.Double("ok", 0)
        .Int32("idx", index)
        .Int32("code", static_cast<int>(base::CodeOf(status)));
    const std::string fields = base::ErrorFieldsOf(status);
    if (!fields.empty()) result.AppendAll(bson::View(std::string_view(fields)));
    result.String("errmsg", base::MessageOf(status)).Int32("n", 0);
    if (statement.kind == Kind::kUpdate) result.Int32("nModified", 0);
    results_.push_back(result.Finish());
  }

  absl::Status Execute(CommandContext& local, const Statement& statement, int32_t index,
                       bson::Builder& result) {
    const Target& target = targets_[statement.target];
    MAYFLY_RETURN_IF_ERROR(context_.state->user_write_block.Check(target.ns.database));
    MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(local, target.uuid, target.ns.collection,
                                               local.FindCollection(target.ns.collection).get()));
    engine::WriteContext write = MakeWriteContext(local);
    write.bypass_validation = bypass_validation_;
    if (statement.kind == Kind::kInsert)
      return Insert(local, write, target, statement, index, result);
    MAYFLY_ASSIGN_OR_RETURN(const ModifyResult done,
                            RunModify(local, write, target.ns.collection, statement.modify));
    result.Double("ok", 1).Int32("idx", index);
    if (statement.kind == Kind::kDelete) {
      totals_.deleted += static_cast<int32_t>(done.deleted);
      context_.services.metrics.Count(OpCounter::kDelete);
      result.Int32("n", static_cast<int32_t>(done.deleted));
      return absl::OkStatus();
    }
    context_.services.metrics.Count(OpCounter::kUpdate);
    const bool upserted = !done.upserted_id.IsMissing();
    totals_.matched += static_cast<int32_t>(done.matched);
    totals_.modified += static_cast<int32_t>(done.modified);
    totals_.upserted += upserted ? 1 : 0;
    result.Int32("n", static_cast<int32_t>(done.matched) + (upserted ? 1 : 0));
    result.Int32("nModified", static_cast<int32_t>(done.modified));
    if (upserted) result.OpenDocument("upserted").Append("_id", done.upserted_id).Close();
    return absl::OkStatus();
  }

  absl::Status Insert(CommandContext& local, const engine::WriteContext& write,
                      const Target& target, const Statement& statement, int32_t index,
                      bson::Builder& result) {
    MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindOrCreate(local, target.ns.collection));
    const engine::NewDocumentContext preparation{.ids = context_.services.engine.object_ids(),
                                                 .now_ms = context_.now_ms,
                                                 .cluster_clock = context_.evaluation.cluster_clock,
                                                 .keep_empty_timestamps = keep_empty_timestamps_};
    bson::Document scratch;
    MAYFLY_ASSIGN_OR_RETURN(const bson::View ready,
                            engine::PrepareNewDocument(statement.document, preparation, &scratch));
    engine::CollectionWriter writer(write, collection);
    MAYFLY_RETURN_IF_ERROR(writer.Insert(ready).status());
    ++totals_.inserted;
    context_.services.metrics.Count(OpCounter::kInsert);
    result.Double("ok", 1).Int32("idx", index).Int32("n", 1);
    return absl::OkStatus();
  }

  CommandContext& context_;
  const std::vector<Target>& targets_;
  const std::vector<Statement>& statements_;
  const bool ordered_;
  const bool errors_only_;
  const bool bypass_validation_;
  const bool keep_empty_timestamps_;
  bool stopped_ = false;
  Totals totals_;
  std::vector<bson::Document> results_;
};

absl::Status RunBulkWrite(CommandContext& context, const Arguments& arguments,
                          bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const auto targets, ReadTargets(arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto statements, ReadStatements(arguments, targets.size()));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t batch_size,
                          ReadCursorBatchSize("bulkWrite", arguments.Document(Arg("cursor"))));
  Bulk bulk(context, arguments, targets, statements);
  MAYFLY_RETURN_IF_ERROR(bulk.Run());
  MAYFLY_RETURN_IF_ERROR(AppendDocuments(context, arguments, "admin.$cmd.bulkWrite",
                                         bulk.TakeResults(), batch_size, reply));
  const Totals& totals = bulk.totals();
  reply.Int32("nErrors", totals.errors)
      .Int32("nInserted", totals.inserted)
      .Int32("nMatched", totals.matched);
  reply.Int32("nModified", totals.modified)
      .Int32("nUpserted", totals.upserted)
      .Int32("nDeleted", totals.deleted);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "bulkWrite",
     .place = Place::kWritingWorker,
     .flags = kInTransaction | kAdminOnly,
     .run = RunBulkWrite,
     .arguments = kArguments,
     .help = "Inserts, updates and deletes over several collections."},
};

}  // namespace

std::span<const CommandRow> BulkWriteCommands() { return kRows; }

}  // namespace mayfly::commands

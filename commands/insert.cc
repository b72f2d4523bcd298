// insert: stores documents, each by itself; those that fail are reported beside those that did not.
#include "base/status.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "commands/metrics.h"
#include "commands/state.h"
#include "commands/write_errors.h"
#include "engine/collection/new_document.h"
#include "engine/collection/writer.h"
#include "engine/exec/scan_streams.h"

namespace mayfly::commands {
namespace {

constexpr std::array kInsertArguments = {
    ArgSpec{"documents", ArgType::kArray, ArgUse::kRequired, "the documents, 1 to 100,000"},
    ArgSpec{"ordered", ArgType::kBool, ArgUse::kOptional, "stop at the first error (default true)"},
    ArgSpec{"bypassDocumentValidation", ArgType::kFlag, ArgUse::kOptional,
            "skip the collection's validator"},
    ArgSpec{"bypassEmptyTsReplacement", ArgType::kBool, ArgUse::kOptional,
            "store Timestamp(0, 0) as it is"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
    ArgSpec{"stmtId", ArgType::kNumber, ArgUse::kIgnored,
            "number of the first statement in its retryable write"},
    ArgSpec{"stmtIds", ArgType::kArray, ArgUse::kIgnored, "numbers of the statements"},
    ArgSpec{"encryptionInformation", ArgType::kDocument, ArgUse::kIgnored,
            "of client-side encryption"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kInsertArguments, name); }

// Documents up to this size in all are stored quickly enough for the network thread.
constexpr uint32_t kShortBytes = 16 * 1024;
constexpr size_t kShortDocuments = 10;

bool IsShort(const Invocation& invocation) {
  uint32_t bytes = invocation.body.size();
  size_t documents = 0;
  for (const Sequence& sequence : invocation.sequences) {
    documents += sequence.documents.size();
    if (documents > kShortDocuments) return false;
    for (const bson::View& document : sequence.documents) bytes += document.size();
  }
  return bytes <= kShortBytes;
}

absl::Status InsertOne(CommandContext& context, engine::CollectionWriter& writer,
                       bson::View document, bool keep_empty_timestamps) {
  bson::Document scratch;
  const engine::NewDocumentContext preparation{.ids = context.services.engine.object_ids(),
                                               .now_ms = context.now_ms,
                                               .cluster_clock = context.evaluation.cluster_clock,
                                               .keep_empty_timestamps = keep_empty_timestamps};
  MAYFLY_ASSIGN_OR_RETURN(const bson::View ready,
                          engine::PrepareNewDocument(document, preparation, &scratch));
  return writer.Insert(ready).status();
}

absl::Status RunInsert(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto documents, arguments.Documents(Arg("documents")));
  MAYFLY_RETURN_IF_ERROR(CheckBatchSize(documents.size()));
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[Arg("collectionUUID")], name,
                                             context.FindCollection(name).get()));
  const bool ordered = arguments.Flag(Arg("ordered"), true);
  WriteErrors errors;
  if (auto status = context.state->user_write_block.Check(context.database_name()); !status.ok()) {
    for (size_t i = 0; i < documents.size() && !(ordered && i > 0); ++i) {
      errors.Add(static_cast<int32_t>(i), status);
    }
    reply.Int32("n", 0);
    errors.AppendTo(reply);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindOrCreate(context, name));
  engine::WriteContext write = MakeWriteContext(context);
  write.bypass_validation = arguments.Flag(Arg("bypassDocumentValidation"));
  engine::CollectionWriter writer(write, collection);
  if (documents.size() > 1) writer.BeginRun();
  int32_t inserted = 0;
  for (size_t i = 0; i < documents.size(); ++i) {
    MAYFLY_RETURN_IF_ERROR(context.interrupt->Check());
    absl::Status status =
        InsertOne(context, writer, documents[i], arguments.Flag(Arg("bypassEmptyTsReplacement")));
    if (status.ok()) {
      ++inserted;
      continue;
    }
    if (EndsCommand(status)) return status;
    errors.Add(static_cast<int32_t>(i), std::move(status));
    if (ordered) break;
  }
  MAYFLY_RETURN_IF_ERROR(writer.EndRun());
  writer.Flush();
  context.services.metrics.Count(OpCounter::kInsert, inserted);
  reply.Int32("n", inserted);
  errors.AppendTo(reply);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "insert",
     .place = Place::kWrite,
     .flags = kInTransaction | kCreatesDatabase | kOwnWriteBlock | kSilentUnacknowledged,
     .run = RunInsert,
     .arguments = kInsertArguments,
     .help = "Stores documents in a collection, which is made if it is missing.",
     .is_short = IsShort},
};

}  // namespace

std::span<const CommandRow> InsertCommands() { return kRows; }

}  // namespace mayfly::commands

// validate: whether a collection's documents and indexes agree.
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/collection/checker.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::array kArguments = {
    ArgSpec{"full", ArgType::kFlag, ArgUse::kOptional,
            "also look up every document's index entries"},
    ArgSpec{"repair", ArgType::kFlag, ArgUse::kOptional, "refused: not supported"},
    ArgSpec{"metadata", ArgType::kFlag, ArgUse::kOptional, "only the catalog"},
    ArgSpec{"checkBSONConformance", ArgType::kFlag, ArgUse::kOptional,
            "documents are always checked"},
    ArgSpec{"background", ArgType::kFlag, ArgUse::kOptional, "without effect"},
    ArgSpec{"fixMultikey", ArgType::kFlag, ArgUse::kIgnored, "of repair"},
    ArgSpec{"enforceFastCount", ArgType::kFlag, ArgUse::kIgnored, "the counter is always checked"},
    ArgSpec{"scandata", ArgType::kFlag, ArgUse::kIgnored, "of old shells"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

absl::Status CheckArguments(const Arguments& arguments) {
  if (arguments.Flag(Arg("repair"))) {
    return Error(ErrorCode::kCommandNotSupported,
                 "this server does not repair; restore from a copy");
  }
  if (arguments.Flag(Arg("background")) && arguments.Flag(Arg("full"))) {
    return Error(ErrorCode::kInvalidOptions,
                 "Running the validate command with both { background: true } and { full: true } "
                 "is not supported.");
  }
  if (arguments.Flag(Arg("metadata")) &&
      (arguments.Flag(Arg("full")) || arguments.Flag(Arg("background")))) {
    return Error(
        ErrorCode::kInvalidOptions,
        "Running the validate command with { metadata: true } is not supported with other options");
  }
  return absl::OkStatus();
}

absl::Status RunValidate(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_RETURN_IF_ERROR(CheckArguments(arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindStored(context, name));
  if (collection == nullptr) {
    return Error(
        ErrorCode::kNamespaceNotFound,
        base::StrCat("Collection '", FullName(context, name), "' does not exist to validate."));
  }
  MAYFLY_ASSIGN_OR_RETURN(
      const engine::CheckReport report,
      engine::CheckCollection(*context.transaction, context.evaluation, *collection, true));
  const bool valid = report.errors.empty();
  reply.String("ns", FullName(context, name));
  reply.Binary(
      "uuid", bson::kBinaryUuid,
      {reinterpret_cast<const char*>(collection->uuid().data()), collection->uuid().size()});
  reply.Int64("nInvalidDocuments", report.invalid_documents).Int64("nNonCompliantDocuments", 0);
  reply.Int64("nrecords", report.records);
  reply.Int32("nIndexes", static_cast<int32_t>(collection->indexes().size()));
  reply.OpenDocument("keysPerIndex");
  for (size_t i = 0; i < report.keys_per_index.size(); ++i) {
    reply.Int64(collection->indexes()[i]->spec.name, report.keys_per_index[i]);
  }
  reply.Close().OpenDocument("indexDetails");
  for (const auto& index : collection->indexes()) {
    reply.OpenDocument(index->spec.name)
        .Bool("valid", valid)
        .Document("spec", index->spec.stored)
        .Close();
  }
  reply.Close().Bool("valid", valid).Bool("repaired", false).Bool("readOnly", false);
  reply.OpenArray("warnings");
  if (report.pending_entries > 0) {
    reply.PushString(base::StrCat(report.pending_entries,
                                  " index entries of removed documents wait for the sweep"));
  }
  if (report.hidden_records > 0) {
    reply.PushString(
        base::StrCat(report.hidden_records, " expired documents wait for their removal"));
  }
  reply.Close().OpenArray("errors");
  for (const std::string& error : report.errors) reply.PushString(error);
  reply.Close().OpenArray("extraIndexEntries").Close().OpenArray("missingIndexEntries").Close();
  reply.OpenArray("corruptRecords").Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "validate",
     .place = Place::kRead,
     .flags = kNoApiVersion,
     .run = RunValidate,
     .arguments = kArguments,
     .help = "Checks that documents and indexes agree."},
};

}  // namespace

std::span<const CommandRow> ValidateCommands() { return kRows; }

}  // namespace mayfly::commands

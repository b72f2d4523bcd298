// validate: whether a collection's documents and indexes agree.
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/collection/checker.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

// Every value is taken as true or false, as MongoDB does here.
constexpr std::array kArguments = {
    ArgSpec{"full", ArgType::kAny, ArgUse::kOptional,
            "also look up every document's index entries"},
    ArgSpec{"repair", ArgType::kAny, ArgUse::kOptional, "refused: not supported"},
    ArgSpec{"metadata", ArgType::kAny, ArgUse::kOptional, "only the catalog"},
    ArgSpec{"checkBSONConformance", ArgType::kAny, ArgUse::kOptional,
            "documents are always checked"},
    ArgSpec{"background", ArgType::kAny, ArgUse::kOptional, "without effect"},
    ArgSpec{"fixMultikey", ArgType::kAny, ArgUse::kIgnored, "of repair"},
    ArgSpec{"enforceFastCount", ArgType::kAny, ArgUse::kIgnored, "the counter is always checked"},
    ArgSpec{"scandata", ArgType::kAny, ArgUse::kIgnored, "of old shells"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

struct Options {
  bool full = false;
  bool repair = false;
  bool metadata = false;
  bool conformance = false;
  bool background = false;
};

absl::StatusOr<Options> ReadOptions(const Arguments& arguments) {
  const auto flag = [&](size_t index) {
    const bson::ValueView value = arguments[index];
    if (value.IsMissing()) return false;
    if (value.IsBool()) return value.AsBool();
    return !value.IsNumber() || bson::IsNonZero(value);
  };
  const Options options{.full = flag(Arg("full")),
                        .repair = flag(Arg("repair")),
                        .metadata = flag(Arg("metadata")),
                        .conformance = flag(Arg("checkBSONConformance")),
                        .background = flag(Arg("background"))};
  const auto conflict = [](std::string_view a, std::string_view b) {
    return Error(ErrorCode::kInvalidOptions,
                 base::StrCat("Running the validate command with both { ", a, ": true } and { ", b,
                              ": true } is not supported."));
  };
  if (options.background && options.full) return conflict("background", "full");
  if (options.background && options.repair) return conflict("background", "repair");
  if (options.metadata && options.full) return conflict("metadata", "full");
  if (options.metadata && options.background) return conflict("metadata", "background");
  if (options.metadata && options.repair) return conflict("metadata", "repair");
  if (options.metadata && options.conformance) return conflict("metadata", "checkBSONConformance");
  if (options.conformance && options.repair) return conflict("checkBSONConformance", "repair");
  if (options.repair) {
    return Error(ErrorCode::kCommandNotSupported,
                 "this server does not repair; restore from a copy");
  }
  return options;
}

void AppendDetails(const std::vector<std::shared_ptr<const engine::Index>>& indexes, bool valid,
                   bson::Builder& reply) {
  reply.OpenDocument("indexDetails");
  for (const auto& index : indexes) {
    reply.OpenDocument(index->spec.name).Bool("valid", valid);
    reply.Document("spec", index->spec.stored).Close();
  }
  reply.Close();
}

void AppendCounts(const engine::CheckReport& report, bson::Builder& reply) {
  reply.Append("nInvalidDocuments", bson::Value::IntFitting(report.invalid_documents));
  reply.Int32("nNonCompliantDocuments", 0);
  reply.Append("nrecords", bson::Value::IntFitting(report.records));
}

absl::Status RunValidate(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  const bool names_system = target.IsString() && !target.AsString().empty() &&
                            target.AsString().find('$') != std::string_view::npos;
  std::string_view name = names_system ? target.AsString() : std::string_view();
  if (!names_system) {
    MAYFLY_ASSIGN_OR_RETURN(name, TargetCollectionName(context, arguments));
  }
  MAYFLY_ASSIGN_OR_RETURN(const Options options, ReadOptions(arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindStored(context, name));
  if (collection == nullptr) {
    return Error(
        ErrorCode::kNamespaceNotFound,
        base::StrCat("Collection '", FullName(context, name), "' does not exist to validate."));
  }
  engine::CheckReport report;
  report.indexes = collection->ReadyIndexes();
  if (!options.metadata) {
    MAYFLY_ASSIGN_OR_RETURN(report, engine::CheckCollection(*context.transaction,
                                                            context.evaluation, *collection, true));
  }
  const bool valid = report.errors.empty();
  reply.String("ns", FullName(context, name));
  reply.Binary(
      "uuid", bson::kBinaryUuid,
      {reinterpret_cast<const char*>(collection->uuid().data()), collection->uuid().size()});
  if (!options.metadata) AppendCounts(report, reply);
  reply.Int32("nIndexes", collection->CountedIndexes());
  if (!options.metadata) {
    reply.OpenDocument("keysPerIndex");
    for (size_t i = 0; i < report.keys_per_index.size(); ++i) {
      if (report.indexes[i]->spec.clustered) continue;
      reply.Append(report.indexes[i]->spec.name, bson::Value::IntFitting(report.keys_per_index[i]));
    }
    reply.Close();
  }
  AppendDetails(report.indexes, valid, reply);
  reply.Bool("valid", valid).String("repairMode", "None");
  reply.Bool("repaired", false).Bool("readOnly", false);
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
     .flags = kAnyFields | kNoApiVersion,
     .run = RunValidate,
     .arguments = kArguments,
     .help = "Checks that documents and indexes agree."},
};

}  // namespace

std::span<const CommandRow> ValidateCommands() { return kRows; }

}  // namespace mayfly::commands

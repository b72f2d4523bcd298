// validateDBMetadata: what in the catalog clients that keep to the Stable API may not use.
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/catalog/namespace.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kArguments = {
    ArgSpec{"apiParameters", ArgType::kDocument, ArgUse::kRequired,
            "{version, strict, deprecationErrors}"},
    ArgSpec{"db", ArgType::kString, ArgUse::kOptional, "only this database"},
    ArgSpec{"collection", ArgType::kString, ArgUse::kOptional, "only collections of this name"},
};

constexpr std::array kApiFields = {
    ArgSpec{"version", ArgType::kString, ArgUse::kRequired, "version of the Stable API"},
    ArgSpec{"strict", ArgType::kBool, ArgUse::kNotNull, "only what is in the Stable API"},
    ArgSpec{"deprecationErrors", ArgType::kBool, ArgUse::kNotNull, "nothing is deprecated"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

bool IsInStableApi(const engine::IndexSpec& spec) {
  return !spec.sparse && spec.special != engine::IndexKind::kText;
}

absl::Status AppendErrors(CommandContext& context, std::string_view database,
                          const Arguments& arguments, bson::Builder& reply) {
  return ReadDatabase(
      context, database, [&](engine::Transaction&, const engine::Catalog& catalog) -> absl::Status {
        for (const auto& collection : catalog.All()) {
          if (arguments.Has(Arg("collection")) &&
              collection->name() != arguments.String(Arg("collection"))) {
            continue;
          }
          for (const auto& index : collection->ReadyIndexes()) {
            if (IsInStableApi(index->spec)) continue;
            reply.PushOpenDocument().String("ns", collection->ns());
            reply.Int32("code", static_cast<int>(ErrorCode::kAPIStrictError));
            reply.String("codeName", base::ErrorCodeName(ErrorCode::kAPIStrictError));
            reply.String("errmsg", StrCat("The index with name ", index->spec.name,
                                          " is not allowed in API version 1."));
            reply.Close();
          }
        }
        return absl::OkStatus();
      });
}

// The errors of this command differ from those of others; '$' is legal.
absl::Status CheckDatabase(std::string_view name) {
  if (name.empty()) return Error(28539, "'db' cannot be an empty string");
  if (name.find('$') != std::string_view::npos) return absl::OkStatus();
  const absl::Status status = engine::CheckDatabaseName(name);
  const bool bad_character = name.find_first_of("/\\ \"") != std::string_view::npos;
  return !status.ok() && bad_character ? Error(13280, StrCat("Invalid db name: ", name)) : status;
}

absl::Status RunValidateDbMetadata(CommandContext& context, const Arguments& arguments,
                                   bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments api,
                          Arguments::ParseFields(arguments.Document(Arg("apiParameters")),
                                                 "validateDBMetadata.apiParameters", kApiFields));
  if (arguments.Has(Arg("collection"))) {
    const std::string_view name = arguments.String(Arg("collection"));
    if (name.empty() || name.front() == '.' || name.find('\0') != std::string_view::npos) {
      return Error(ErrorCode::kInvalidNamespace, StrCat("Invalid collection name: ", name));
    }
  }
  const std::string_view database = arguments.String(Arg("db"));
  if (arguments.Has(Arg("db"))) MAYFLY_RETURN_IF_ERROR(CheckDatabase(database));
  reply.OpenArray("apiVersionErrors");
  const bool checks = api.String(ArgIndex(kApiFields, "version")) == "1" &&
                      api.Flag(ArgIndex(kApiFields, "strict"));
  if (checks) {
    for (const std::string& name : context.services.engine.ListDatabases()) {
      if (arguments.Has(Arg("db")) && name != database) continue;
      MAYFLY_RETURN_IF_ERROR(AppendErrors(context, name, arguments, reply));
    }
  }
  reply.Close();
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "validateDBMetadata",
     .place = Place::kWorker,
     .flags = kNoConcerns,
     .run = RunValidateDbMetadata,
     .arguments = kArguments,
     .help = "Lists indexes that clients which keep to the Stable API may not use."},
};

}  // namespace

std::span<const CommandRow> ValidateDbMetadataCommands() { return kRows; }

}  // namespace mayfly::commands

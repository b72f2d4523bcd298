// create, drop, dropDatabase: collections come and go.
#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/create_options.h"
#include "commands/families.h"
#include "engine/catalog/namespace.h"
#include "engine/cursor/cursor.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kDropArguments = {
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
};

absl::Status RunCreate(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_RETURN_IF_ERROR(engine::CheckCreatableCollectionName(context.database_name(), name));
  MAYFLY_RETURN_IF_ERROR(CheckValidatorPlace(
      context.database_name(), name, arguments.Document(ArgIndex(kCreateArguments, "validator"))));
  MAYFLY_ASSIGN_OR_RETURN(bson::Document stored, ParseCreateOptions(arguments, context.now_ms));
  MAYFLY_ASSIGN_OR_RETURN(engine::CollectionOptions options,
                          engine::CollectionOptionsFromStored(stored));
  if (const auto existing = context.FindCollection(name); existing != nullptr) {
    if (bson::CompareDocuments(existing->options().stored, stored) == 0) return absl::OkStatus();
    return Error(
        ErrorCode::kNamespaceExists,
        StrCat("namespace ", existing->ns(), " already exists, but with different options: ",
               bson::ToShellText(existing->options().stored)));
  }
  if (options.IsView()) {
    MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(context.database_name(), options.view_on));
    MAYFLY_RETURN_IF_ERROR(CheckViewDefinition(context, name, options));
  }
  return context.catalog
      ->Create(*context.transaction, name, std::move(options), context.services.engine.NewUuid())
      .status();
}

absl::Status RunDrop(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const auto collection = context.FindCollection(name);
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, arguments[0], name, collection.get()));
  if (collection == nullptr) return absl::OkStatus();
  const auto indexes = collection->CountedIndexes();
  MAYFLY_RETURN_IF_ERROR(context.catalog->Drop(*context.transaction, *collection));
  NotifyRulesChanged(context, context.database_name());
  if (!collection->IsView()) reply.Int32("nIndexesWas", indexes);
  reply.String("ns", FullName(context, name));
  return absl::OkStatus();
}

absl::Status RunDropDatabase(CommandContext& context, const Arguments& arguments,
                             bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(40414, "BSON field 'dropDatabase.dropDatabase' is missing but a required field");
  }
  if (!target.IsNumber()) {
    return WrongTypeError("dropDatabase", "dropDatabase", target.type(),
                          "[long, int, decimal, double]");
  }
  if (bson::ToInt64Rounded(target) != 1) {
    return Error(5255100, "Have to pass 1 as 'dropDatabase' parameter");
  }
  for (const std::string_view kept : {"admin", "local"}) {
    if (context.database_name() == kept) {
      return Error(ErrorCode::kIllegalOperation,
                   StrCat("Dropping the '", kept, "' database is prohibited."));
    }
  }
  MAYFLY_RETURN_IF_ERROR(context.services.engine.DropDatabase(context.database_name()));
  const std::string prefix = StrCat(context.database_name(), ".");
  context.services.cursors.InvalidateIf(
      [&](const engine::Cursor& cursor) {
        return cursor.needs_storage && cursor.ns().starts_with(prefix);
      },
      Error(ErrorCode::kQueryPlanKilled,
            StrCat("database dropped: '", context.database_name(), "'")));
  NotifyRulesChanged(context, context.database_name());
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "create",
     .place = Place::kWrite,
     .flags = kInTransaction | kCreatesDatabase | kNoConcerns | kTakesWriteConcern,
     .run = RunCreate,
     .arguments = kCreateArguments,
     .help = "Makes a collection or a view."},
    {.name = "drop",
     .place = Place::kWrite,
     .run = RunDrop,
     .arguments = kDropArguments,
     .help = "Removes a collection or a view."},
    {.name = "dropDatabase",
     .place = Place::kWritingWorker,
     .run = RunDropDatabase,
     .arguments = {},
     .help = "Removes a database."},
};

}  // namespace

std::span<const CommandRow> CreateCommands() { return kRows; }

}  // namespace mayfly::commands

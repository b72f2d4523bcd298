// create, drop, dropDatabase, renameCollection: collections come and go.
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

constexpr std::array kRenameArguments = {
    ArgSpec{"to", ArgType::kString, ArgUse::kRequired, "the new full name"},
    ArgSpec{"dropTarget", ArgType::kAny, ArgUse::kOptional,
            "drop a collection of the new name first"},
    ArgSpec{"stayTemp", ArgType::kFlag, ArgUse::kIgnored, "collections are not temporary here"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
};

void NotifyRules(CommandContext& context) {
  if (auto* listener = context.services.engine.expiry_listener(); listener != nullptr) {
    listener->OnRulesChanged(context.database_name());
  }
}

absl::Status RunCreate(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_RETURN_IF_ERROR(engine::CheckCreatableCollectionName(context.database_name(), name));
  MAYFLY_ASSIGN_OR_RETURN(bson::Document stored, ParseCreateOptions(arguments));
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
  if (collection == nullptr) {
    reply.String("ns", FullName(context, name));
    return absl::OkStatus();
  }
  const auto indexes = static_cast<int32_t>(collection->indexes().size());
  MAYFLY_RETURN_IF_ERROR(context.catalog->Drop(*context.transaction, *collection));
  NotifyRules(context);
  if (!collection->IsView()) reply.Int32("nIndexesWas", indexes);
  reply.String("ns", FullName(context, name));
  return absl::OkStatus();
}

absl::Status RunDropDatabase(CommandContext& context, const Arguments& arguments,
                             bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  if (!target.IsNumber() || bson::ToDouble(target) != 1) {
    return Error(ErrorCode::kIllegalOperation, "have to pass 1 as db parameter");
  }
  MAYFLY_RETURN_IF_ERROR(context.services.engine.DropDatabase(context.database_name()));
  const std::string prefix = StrCat(context.database_name(), ".");
  context.services.cursors.InvalidateIf(
      [&](const engine::Cursor& cursor) {
        return cursor.needs_storage && cursor.ns().starts_with(prefix);
      },
      Error(ErrorCode::kQueryPlanKilled,
            StrCat("database dropped: '", context.database_name(), "'")));
  NotifyRules(context);
  reply.String("dropped", context.database_name());
  return absl::OkStatus();
}

absl::StatusOr<bool> ReadDropTarget(bson::ValueView value) {
  if (value.IsNullish()) return false;
  if (value.IsBool()) return value.AsBool();
  if (value.IsNumber()) return bson::IsNonZero(value);
  return WrongTypeError("renameCollection", "dropTarget", value.type(), "[bool, binData]");
}

absl::Status RenameWithin(CommandContext& context, std::string_view database, std::string_view from,
                          std::string_view to, bool drop_target, bson::ValueView uuid) {
  MAYFLY_ASSIGN_OR_RETURN(const auto handle,
                          context.services.engine.Open(database, engine::Store::IfMissing::kNull));
  if (handle == nullptr)
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("Source collection ", database, ".", from, " does not exist"));
  return handle->storage().Run(
      {.access = engine::Access::kWrite}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, handle->GetCatalog(transaction));
        const auto source = catalog->Find(from);
        context.catalog = catalog;
        MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(context, uuid, from, source.get()));
        if (source == nullptr) {
          return Error(ErrorCode::kNamespaceNotFound,
                       StrCat("Source collection ", database, ".", from, " does not exist"));
        }
        if (source->IsView()) return NotOnView(source->ns());
        if (from == to)
          return Error(ErrorCode::kIllegalOperation, "Can't rename a collection to itself");
        if (const auto target = catalog->Find(to); target != nullptr) {
          if (!drop_target) return Error(ErrorCode::kNamespaceExists, "target namespace exists");
          if (target->IsView()) return NotOnView(target->ns());
          MAYFLY_RETURN_IF_ERROR(catalog->Drop(transaction, *target));
        }
        return catalog->Rename(transaction, *source, to);
      });
}

absl::Status RunRename(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  if (!target.IsString())
    return WrongTypeError("renameCollection", "renameCollection", target.type(), "string");
  const engine::NamespaceView from = engine::SplitNamespace(target.AsString());
  const engine::NamespaceView to =
      engine::SplitNamespace(arguments.String(ArgIndex(kRenameArguments, "to")));
  for (const engine::NamespaceView& ns : {from, to}) {
    MAYFLY_RETURN_IF_ERROR(engine::CheckDatabaseName(ns.database));
    MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(ns.database, ns.collection));
  }
  if (engine::IsSystemCollection(from.collection) || engine::IsSystemCollection(to.collection)) {
    return Error(ErrorCode::kIllegalOperation, "renaming system collections is not allowed");
  }
  MAYFLY_ASSIGN_OR_RETURN(const bool drop_target,
                          ReadDropTarget(arguments[ArgIndex(kRenameArguments, "dropTarget")]));
  if (from.database != to.database) {
    return Error(ErrorCode::kCommandNotSupported,
                 "this server renames collections within one database only: each database is a "
                 "file of its own");
  }
  MAYFLY_RETURN_IF_ERROR(RenameWithin(context, from.database, from.collection, to.collection,
                                      drop_target,
                                      arguments[ArgIndex(kRenameArguments, "collectionUUID")]));
  NotifyRules(context);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "create",
     .place = Place::kWrite,
     .flags = kCreatesDatabase,
     .run = RunCreate,
     .arguments = kCreateArguments,
     .help = "Makes a collection or a view."},
    {.name = "drop",
     .place = Place::kWrite,
     .run = RunDrop,
     .arguments = kDropArguments,
     .help = "Removes a collection or a view."},
    {.name = "dropDatabase",
     .place = Place::kWorker,
     .run = RunDropDatabase,
     .arguments = {},
     .help = "Removes a database."},
    {.name = "renameCollection",
     .place = Place::kWorker,
     .flags = kAdminOnly | kNoApiVersion,
     .run = RunRename,
     .arguments = kRenameArguments,
     .help = "Renames a collection."},
};

}  // namespace

std::span<const CommandRow> CreateCommands() { return kRows; }

}  // namespace mayfly::commands

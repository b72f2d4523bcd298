#include "commands/collections.h"

#include <cstring>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/catalog/namespace.h"

namespace mayfly::commands {

using base::Error;
using base::ErrorCode;
using base::StrCat;

absl::StatusOr<std::string_view> TargetCollectionName(const CommandContext& context,
                                                      const Arguments& arguments) {
  const bson::ValueView target = arguments.target();
  if (!target.IsString()) {
    return Error(ErrorCode::kInvalidNamespace,
                 StrCat("collection name has invalid type ", bson::TypeName(target.type())));
  }
  MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(context.database_name(), target.AsString()));
  return target.AsString();
}

absl::StatusOr<std::shared_ptr<engine::Collection>> FindStored(const CommandContext& context,
                                                               std::string_view name) {
  auto collection = context.FindCollection(name);
  if (collection != nullptr && collection->IsView()) return NotOnView(collection->ns());
  return collection;
}

absl::StatusOr<std::shared_ptr<engine::Collection>> FindNamed(const CommandContext& context,
                                                              const Arguments& arguments) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  return FindStored(context, name);
}

absl::StatusOr<std::shared_ptr<engine::Collection>> FindExisting(const CommandContext& context,
                                                                 const Arguments& arguments) {
  MAYFLY_ASSIGN_OR_RETURN(auto collection, FindNamed(context, arguments));
  if (collection != nullptr) return collection;
  return NamespaceNotFound(FullName(context, arguments.target().AsString()));
}

absl::Status ReadDatabase(
    const CommandContext& context, std::string_view database,
    absl::FunctionRef<absl::Status(engine::Transaction&, const engine::Catalog&)> body) {
  const auto opened = context.services.engine.Open(database, engine::Store::IfMissing::kNull);
  if (base::CodeOf(opened.status()) == ErrorCode::kDatabaseDropPending) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(const auto handle, opened);
  if (handle == nullptr) return absl::OkStatus();
  const absl::Status status =
      handle->storage().Run({}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(const engine::Catalog* const catalog,
                                handle->GetCatalog(transaction));
        return body(transaction, *catalog);
      });
  const bool is_gone = base::CodeOf(status) == ErrorCode::kDatabaseDropPending;
  return is_gone ? absl::OkStatus() : status;
}

void NotifyRulesChanged(const CommandContext& context, std::string_view database) {
  if (auto* listener = context.services.engine.expiry_listener(); listener != nullptr) {
    listener->OnRulesChanged(database);
  }
}

absl::StatusOr<std::shared_ptr<engine::Collection>> FindOrCreate(CommandContext& context,
                                                                 std::string_view name) {
  MAYFLY_ASSIGN_OR_RETURN(auto collection, FindStored(context, name));
  if (collection != nullptr) return collection;
  MAYFLY_RETURN_IF_ERROR(engine::CheckCreatableCollectionName(context.database_name(), name));
  return context.catalog->Create(*context.transaction, name, engine::CollectionOptions(),
                                 context.services.engine.NewUuid());
}

engine::WriteContext MakeWriteContext(CommandContext& context) {
  return {.transaction = *context.transaction,
          .catalog = *context.catalog,
          .evaluation = context.evaluation,
          .modified_ms = context.database->StampModification(context.now_ms),
          .expiry_listener = context.services.engine.expiry_listener(),
          .removal_observer = context.services.engine.removal_observer(),
          .bypass_validation = false};
}

engine::ExecutionContext MakeExecutionContext(CommandContext& context) {
  engine::ExecutionContext execution;
  execution.transaction = context.transaction;
  execution.now_ms = context.now_ms;
  execution.evaluation = context.evaluation;
  return execution;
}

std::string FullName(const CommandContext& context, std::string_view collection) {
  return StrCat(context.database_name(), ".", collection);
}

absl::Status NamespaceNotFound(std::string_view ns) {
  return Error(ErrorCode::kNamespaceNotFound, StrCat("ns not found ", ns));
}

absl::Status NotOnView(std::string_view ns) {
  return Error(ErrorCode::kCommandNotSupportedOnView,
               StrCat("Namespace ", ns, " is a view, not a collection"));
}

absl::Status CheckCollectionUuid(const CommandContext& context, bson::ValueView uuid,
                                 std::string_view name, const engine::Collection* collection) {
  if (uuid.IsMissing()) return absl::OkStatus();
  const std::string_view bytes = uuid.AsBinary().bytes;
  if (uuid.AsBinary().subtype != bson::kBinaryUuid) {
    return Error(ErrorCode::kTypeMismatch,
                 "BSON field 'collectionUUID' is the wrong binData type, expected type 'UUID'");
  }
  if (bytes.size() != 16) {
    return Error(ErrorCode::kInvalidUUID, "collectionUUID must be a UUID");
  }
  const auto matches = [&](const engine::Collection& c) {
    return !c.IsView() && std::memcmp(bytes.data(), c.uuid().data(), bytes.size()) == 0;
  };
  if (collection != nullptr && matches(*collection)) return absl::OkStatus();
  bson::Builder fields;
  fields.String("db", context.database_name()).Append("collectionUUID", uuid);
  fields.String("expectedCollection", name);
  bson::Value actual = bson::Value::Null();
  if (context.catalog != nullptr) {
    for (const auto& other : context.catalog->All()) {
      if (matches(*other)) actual = bson::Value::String(other->name());
    }
  }
  fields.Append("actualCollection", actual);
  return base::WithErrorFields(
      Error(ErrorCode::kCollectionUUIDMismatch, "Collection UUID does not match that specified"),
      fields.Finish().bytes());
}

}  // namespace mayfly::commands

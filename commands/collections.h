// What many commands do first: read the collection's name, find the collection, make it if it is
// missing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "commands/command.h"
#include "engine/collection/write_context.h"
#include "engine/exec/execution_context.h"

namespace mayfly::commands {

// The name in {find: "coll"}. Errors: 73 InvalidNamespace if it is no string or not a legal name.
absl::StatusOr<std::string_view> TargetCollectionName(const CommandContext& context,
                                                      const Arguments& arguments);

// Null if there is none. Error: 166 CommandNotSupportedOnView for a view.
absl::StatusOr<std::shared_ptr<engine::Collection>> FindStored(const CommandContext& context,
                                                               std::string_view name);

// The one that the command names. Errors: 73, 166.
absl::StatusOr<std::shared_ptr<engine::Collection>> FindNamed(const CommandContext& context,
                                                              const Arguments& arguments);
// 26 NamespaceNotFound if there is none.
absl::StatusOr<std::shared_ptr<engine::Collection>> FindExisting(const CommandContext& context,
                                                                 const Arguments& arguments);

// The collection, created with default options if it is missing. Errors: 166, 73 for names that
// cannot be created.
absl::StatusOr<std::shared_ptr<engine::Collection>> FindOrCreate(CommandContext& context,
                                                                 std::string_view name);

// On a thread that may wait, never inside an operation: calls `body` within an operation that reads
// the database. Not called if there is none, or none any more.
absl::Status ReadDatabase(
    const CommandContext& context, std::string_view database,
    absl::FunctionRef<absl::Status(engine::Transaction&, const engine::Catalog&)> body);

// Expiry is told that rules of the database may have changed.
void NotifyRulesChanged(const CommandContext& context, std::string_view database);

// For a write at the command's `now`.
engine::WriteContext MakeWriteContext(CommandContext& context);

// For streams that run within this command only.
engine::ExecutionContext MakeExecutionContext(CommandContext& context);

// "db.coll"
std::string FullName(const CommandContext& context, std::string_view collection);

// 26 NamespaceNotFound "ns not found".
absl::Status NamespaceNotFound(std::string_view ns);

// 166 CommandNotSupportedOnView.
absl::Status NotOnView(std::string_view ns);

// collectionUUID of many commands: 361 CollectionUUIDMismatch unless it is `collection`'s (null:
// none exists).
absl::Status CheckCollectionUuid(const CommandContext& context, bson::ValueView uuid,
                                 std::string_view name, const engine::Collection* collection);

}  // namespace mayfly::commands

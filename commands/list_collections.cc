// listCollections and listDatabases.
#include "commands/list_collections.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/cursor_reply.h"
#include "commands/families.h"
#include "engine/query/filter.h"

namespace mayfly::commands {
namespace {

constexpr std::array kCollectionsArguments = {
    ArgSpec{"filter", ArgType::kDocument, ArgUse::kOptional, "which collections"},
    ArgSpec{"nameOnly", ArgType::kBool, ArgUse::kOptional, "names and types only"},
    ArgSpec{"authorizedCollections", ArgType::kBool, ArgUse::kIgnored,
            "authorization is not in force"},
    ArgSpec{"authorizedDatabases", ArgType::kAny, ArgUse::kIgnored,
            "authorization is not in force"},
    ArgSpec{"cursor", ArgType::kDocument, ArgUse::kOptional, "{batchSize}"},
};

constexpr std::array kDatabasesArguments = {
    ArgSpec{"filter", ArgType::kDocument, ArgUse::kOptional, "which databases"},
    ArgSpec{"nameOnly", ArgType::kFlag, ArgUse::kOptional, "names only"},
    ArgSpec{"authorizedDatabases", ArgType::kBool, ArgUse::kIgnored,
            "authorization is not in force"},
};

bson::Document DescribeCollection(const engine::Collection& collection, bool name_only) {
  bson::Builder builder;
  builder.String("name", collection.name());
  AppendDescription(collection, name_only, builder);
  return builder.Finish();
}

absl::StatusOr<engine::FilterPtr> ParseListFilter(const CommandContext& context,
                                                  bson::View filter) {
  engine::FilterParseContext parse;
  parse.evaluation = &context.evaluation;
  parse.features.where = false;
  parse.features.text_search = false;
  parse.features.near = false;
  parse.has_moment = false;
  return engine::ParseFilter(filter, parse);
}

absl::Status RunListCollections(CommandContext& context, const Arguments& arguments,
                                bson::Builder& reply) {
  constexpr auto kArg = [](std::string_view name) consteval {
    return ArgIndex(kCollectionsArguments, name);
  };
  MAYFLY_ASSIGN_OR_RETURN(const auto filter,
                          ParseListFilter(context, arguments.Document(kArg("filter"))));
  MAYFLY_ASSIGN_OR_RETURN(
      const int64_t batch_size,
      ReadCursorBatchSize("listCollections", arguments.Document(kArg("cursor"))));
  std::vector<bson::Document> documents;
  if (context.catalog != nullptr) {
    engine::MatchContext match(context.evaluation);
    for (const auto& collection : context.catalog->All()) {
      // The filter sees what the client will see.
      bson::Document shown = DescribeCollection(*collection, arguments.Flag(kArg("nameOnly")));
      MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter->Matches(shown, match));
      if (matches) documents.push_back(std::move(shown));
    }
  }
  return AppendDocuments(context, arguments, FullName(context, "$cmd.listCollections"),
                         std::move(documents), batch_size, reply);
}

struct DatabaseEntry {
  bool empty = true;
  int64_t bytes = 0;
};

// Databases that every member of a replica set has, with files or without.
constexpr std::array<std::string_view, 3> kSystemDatabases = {"admin", "config", "local"};

bool IsSystemDatabase(std::string_view name) {
  return std::find(kSystemDatabases.begin(), kSystemDatabases.end(), name) !=
         kSystemDatabases.end();
}

absl::StatusOr<DatabaseEntry> LookInto(CommandContext& context, const std::string& name) {
  DatabaseEntry entry;
  MAYFLY_ASSIGN_OR_RETURN(const auto handle,
                          context.services.engine.Open(name, engine::Store::IfMissing::kNull));
  if (handle == nullptr) return entry;
  MAYFLY_RETURN_IF_ERROR(
      handle->storage().Run({}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(const engine::Catalog* const catalog,
                                handle->GetCatalog(transaction));
        entry.empty = catalog->empty();
        return absl::OkStatus();
      }));
  entry.bytes = handle->storage().Stats().file_bytes;
  return entry;
}

absl::Status RunListDatabases(CommandContext& context, const Arguments& arguments,
                              bson::Builder& reply) {
  constexpr auto kArg = [](std::string_view name) consteval {
    return ArgIndex(kDatabasesArguments, name);
  };
  MAYFLY_ASSIGN_OR_RETURN(const auto filter,
                          ParseListFilter(context, arguments.Document(kArg("filter"))));
  const bool name_only = arguments.Flag(kArg("nameOnly"));
  int64_t total = 0;
  engine::MatchContext match(context.evaluation);
  reply.OpenArray("databases");
  for (const std::string& name : AllDatabases(context)) {
    MAYFLY_RETURN_IF_ERROR(context.interrupt->Check());
    const auto found = LookInto(context, name);
    // Dropped since it was listed.
    if (base::CodeOf(found.status()) == base::ErrorCode::kDatabaseDropPending) continue;
    MAYFLY_ASSIGN_OR_RETURN(const DatabaseEntry entry, found);
    if (entry.empty && !IsSystemDatabase(name)) continue;
    bson::Builder whole;
    whole.String("name", name);
    if (!name_only) whole.Int64("sizeOnDisk", entry.bytes).Bool("empty", entry.empty);
    const bson::Document document = whole.Finish();
    MAYFLY_ASSIGN_OR_RETURN(const bool matches, filter->Matches(document, match));
    if (!matches) continue;
    total += entry.bytes;
    reply.PushDocument(document);
  }
  reply.Close();
  if (!name_only) reply.Int64("totalSize", total).Int64("totalSizeMb", total / (1024 * 1024));
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "listCollections",
     .place = Place::kRead,
     .flags = kNoConcerns,
     .run = RunListCollections,
     .arguments = kCollectionsArguments,
     .help = "Lists the collections and views of a database."},
    {.name = "listDatabases",
     .place = Place::kWorker,
     .flags = kAdminOnly | kNoConcerns,
     .run = RunListDatabases,
     .arguments = kDatabasesArguments,
     .help = "Lists the databases that have collections."},
};

}  // namespace

void AppendDescription(const engine::Collection& collection, bool name_only,
                       bson::Builder& builder) {
  builder.String("type", collection.IsView() ? "view" : "collection");
  if (name_only) return;
  builder.Document("options", collection.options().stored);
  builder.OpenDocument("info").Bool("readOnly", collection.IsView());
  if (!collection.IsView()) {
    builder.Binary(
        "uuid", bson::kBinaryUuid,
        {reinterpret_cast<const char*>(collection.uuid().data()), collection.uuid().size()});
  }
  builder.Close();
  if (!collection.IsView() && !collection.options().clustered) {
    builder.Document("idIndex", collection.id_index().spec.stored);
  }
}

std::vector<std::string> AllDatabases(CommandContext& context) {
  std::vector<std::string> names = context.services.engine.ListDatabases();
  names.insert(names.end(), kSystemDatabases.begin(), kSystemDatabases.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::span<const CommandRow> ListCommands() { return kRows; }

}  // namespace mayfly::commands

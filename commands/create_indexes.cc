// createIndexes, dropIndexes, listIndexes.
#include <algorithm>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/cursor_reply.h"
#include "commands/families.h"
#include "engine/collection/index_builder.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using engine::Collection;
using engine::IndexMatch;
using engine::IndexSpec;

constexpr std::array kCreateArguments = {
    ArgSpec{"indexes", ArgType::kArray, ArgUse::kRequired,
            "specifications {key, name, options ...}"},
    ArgSpec{"commitQuorum", ArgType::kAny, ArgUse::kIgnored,
            "members that must be ready; there is one"},
    ArgSpec{"ignoreUnknownIndexOptions", ArgType::kFlag, ArgUse::kOptional,
            "drop options that are not known"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
};

constexpr std::array kDropArguments = {
    ArgSpec{"index", ArgType::kAny, ArgUse::kRequired,
            "a name, '*', a key pattern, or a list of names"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
};

constexpr std::array kListArguments = {
    ArgSpec{"cursor", ArgType::kDocument, ArgUse::kOptional, "{batchSize}"},
    ArgSpec{"includeIndexBuildInfo", ArgType::kFlag, ArgUse::kOptional,
            "each specification inside `spec`"},
    ArgSpec{"includeBuildUUIDs", ArgType::kFlag, ArgUse::kIgnored, "no build outlives its command"},
};

consteval size_t CreateArg(std::string_view name) { return ArgIndex(kCreateArguments, name); }

absl::Status Conflict(const IndexSpec& existing, const IndexSpec& requested, IndexMatch match) {
  if (match == IndexMatch::kKeyConflict) {
    return Error(ErrorCode::kIndexKeySpecsConflict,
                 StrCat("An existing index has the same name as the requested index. When index "
                        "names are not specified, "
                        "they are auto generated and can cause conflicts. Please refer to our "
                        "documentation. Requested index: ",
                        bson::ToShellText(requested.stored),
                        ", existing index: ", bson::ToShellText(existing.stored)));
  }
  if (existing.name != requested.name) {
    return Error(ErrorCode::kIndexOptionsConflict,
                 StrCat("Index already exists with a different name: ", existing.name));
  }
  return Error(ErrorCode::kIndexOptionsConflict,
               StrCat("An equivalent index already exists with the same name but different "
                      "options. Requested index: ",
                      bson::ToShellText(requested.stored),
                      ", existing index: ", bson::ToShellText(existing.stored)));
}

// True if the index has to be made; false if it is there already.
absl::StatusOr<bool> IsNew(const Collection& collection, const std::vector<IndexSpec>& earlier,
                           const IndexSpec& requested) {
  const auto check = [&](const IndexSpec& existing) -> absl::StatusOr<bool> {
    const IndexMatch match = engine::MatchIndexSpecs(existing, requested);
    if (match == IndexMatch::kDifferent) return true;
    if (match == IndexMatch::kIdentical) return false;
    return Conflict(existing, requested, match);
  };
  for (const auto& index : collection.indexes()) {
    MAYFLY_ASSIGN_OR_RETURN(const bool is_new, check(index->spec));
    if (!is_new) return false;
  }
  for (const IndexSpec& spec : earlier) {
    MAYFLY_ASSIGN_OR_RETURN(const bool is_new, check(spec));
    if (!is_new) return false;
  }
  return true;
}

absl::StatusOr<std::vector<IndexSpec>> ParseSpecs(const std::vector<bson::View>& requested,
                                                  const engine::Collection* collection,
                                                  engine::UnknownIndexOptions unknown) {
  std::vector<IndexSpec> specs;
  const engine::IndexDefaults defaults{
      .collation = collection == nullptr ? nullptr : collection->options().strings.get()};
  for (const bson::View one : requested) {
    auto spec = engine::ParseIndexSpec(one, defaults, unknown);
    if (!spec.ok()) {
      return base::WithPrefix(spec.status(), StrCat("Error in specification ",
                                                    bson::ToShellText(one), " :: caused by :: "));
    }
    specs.push_back(*std::move(spec));
  }
  return specs;
}

// Another command builds an index like one of these: its end decides what is to be done.
absl::Status WaitForBuilds(CommandContext& context, const Collection& collection,
                           const std::vector<IndexSpec>& specs) {
  const auto is_being_built = [&] {
    return std::any_of(
        collection.indexes().begin(), collection.indexes().end(), [&](const auto& index) {
          return index->building &&
                 std::any_of(specs.begin(), specs.end(), [&](const IndexSpec& spec) {
                   return engine::MatchIndexSpecs(index->spec, spec) != IndexMatch::kDifferent;
                 });
        });
  };
  while (is_being_built()) {
    MAYFLY_RETURN_IF_ERROR(context.interrupt->Check());
    MAYFLY_RETURN_IF_ERROR(context.transaction->Yield());
    if (collection.dropped()) {
      return Error(ErrorCode::kIndexBuildAborted, "Index build aborted: collection dropped");
    }
  }
  return absl::OkStatus();
}

absl::Status RunCreateIndexes(CommandContext& context, const Arguments& arguments,
                              bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto requested, arguments.Documents(CreateArg("indexes")));
  if (requested.empty())
    return Error(ErrorCode::kBadValue, "Must specify at least one index to create");
  MAYFLY_ASSIGN_OR_RETURN(auto collection, FindStored(context, name));
  MAYFLY_RETURN_IF_ERROR(
      CheckCollectionUuid(context, arguments[CreateArg("collectionUUID")], name, collection.get()));
  const auto unknown = arguments.Flag(CreateArg("ignoreUnknownIndexOptions"))
                           ? engine::UnknownIndexOptions::kIgnore
                           : engine::UnknownIndexOptions::kRefuse;
  MAYFLY_ASSIGN_OR_RETURN(const auto specs, ParseSpecs(requested, collection.get(), unknown));
  const bool created = collection == nullptr;
  MAYFLY_ASSIGN_OR_RETURN(collection, FindOrCreate(context, name));
  MAYFLY_RETURN_IF_ERROR(WaitForBuilds(context, *collection, specs));
  const auto before = collection->CountedIndexes();
  std::vector<IndexSpec> fresh;
  for (const IndexSpec& spec : specs) {
    MAYFLY_ASSIGN_OR_RETURN(const bool is_new, IsNew(*collection, fresh, spec));
    if (is_new) fresh.push_back(spec);
  }
  if (before + static_cast<int>(fresh.size()) > base::kMaxIndexesPerCollection) {
    return Error(ErrorCode::kCannotCreateIndex,
                 StrCat("add index fails, too many indexes for ", collection->ns(),
                        " key:", bson::ToShellText(fresh.back().key)));
  }
  MAYFLY_RETURN_IF_ERROR(engine::BuildIndexes(MakeWriteContext(context), collection, fresh));
  for (const IndexSpec& spec : fresh) {
    if (spec.expire_after_seconds.has_value()) NotifyRulesChanged(context, context.database_name());
  }
  reply.Int32("numIndexesBefore", before);
  reply.Int32("numIndexesAfter", collection->CountedIndexes());
  // MongoDB looks at the collection's making only where an index was made.
  if (fresh.empty() && !created) {
    reply.String("note", "all indexes already exist");
  } else {
    reply.Bool("createdCollectionAutomatically", created);
    if (fresh.empty()) reply.String("note", "all indexes already exist");
  }
  return absl::OkStatus();
}

absl::Status NotDroppable(const engine::Index& index) {
  if (index.spec.clustered) return Error(5979800, "It is illegal to drop the clusteredIndex");
  return Error(ErrorCode::kInvalidOptions, "cannot drop _id index");
}

absl::StatusOr<std::shared_ptr<const engine::Index>> IndexByName(const Collection& collection,
                                                                 std::string_view name) {
  auto index = collection.FindIndex(name);
  if (index == nullptr) {
    return Error(ErrorCode::kIndexNotFound, StrCat("index not found with name [", name, "]"));
  }
  if (index->spec.IsId()) return NotDroppable(*index);
  return index;
}

absl::StatusOr<std::shared_ptr<const engine::Index>> IndexByKey(const Collection& collection,
                                                                bson::View key) {
  std::shared_ptr<const engine::Index> found;
  for (const auto& index : collection.indexes()) {
    if (bson::CompareDocuments(index->spec.key, key) != 0) continue;
    if (found != nullptr) {
      return Error(ErrorCode::kAmbiguousIndexKeyPattern,
                   StrCat(2, " indexes found for key: ", bson::ToShellText(key),
                          ", identify by name instead."));
    }
    found = index;
  }
  if (found == nullptr) {
    return Error(ErrorCode::kIndexNotFound,
                 StrCat("can't find index with key: ", bson::ToShellText(key)));
  }
  if (found->spec.IsId()) return NotDroppable(*found);
  return found;
}

std::vector<std::shared_ptr<const engine::Index>> AllButId(const Collection& collection) {
  std::vector<std::shared_ptr<const engine::Index>> indexes = collection.indexes();
  std::erase_if(indexes, [](const auto& index) { return index->spec.IsId(); });
  return indexes;
}

absl::StatusOr<std::vector<std::shared_ptr<const engine::Index>>> IndexesToDrop(
    const Collection& collection, bson::ValueView which) {
  std::vector<std::shared_ptr<const engine::Index>> doomed;
  if (which.IsString() && which.AsString() == "*") {
    return AllButId(collection);
  } else if (which.IsString()) {
    MAYFLY_ASSIGN_OR_RETURN(auto index, IndexByName(collection, which.AsString()));
    doomed.push_back(std::move(index));
  } else if (which.IsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(auto index, IndexByKey(collection, which.AsDocument()));
    doomed.push_back(std::move(index));
  } else if (which.IsArray()) {
    for (const bson::Element& element : which.AsDocument()) {
      if (!element.value.IsString()) {
        return Error(ErrorCode::kTypeMismatch, "dropIndexes takes a list of index names");
      }
      if (element.value.AsString() == "*") return AllButId(collection);
      MAYFLY_ASSIGN_OR_RETURN(auto index, IndexByName(collection, element.value.AsString()));
      if (std::find(doomed.begin(), doomed.end(), index) != doomed.end()) {
        return Error(ErrorCode::kIndexNotFound,
                     StrCat("index not found with name [", element.value.AsString(), "]"));
      }
      doomed.push_back(std::move(index));
    }
  } else {
    return WrongTypeError("dropIndexes", "index", which.type(), "[string, object]");
  }
  return doomed;
}

absl::Status RunDropIndexes(CommandContext& context, const Arguments& arguments,
                            bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindStored(context, name));
  MAYFLY_RETURN_IF_ERROR(CheckCollectionUuid(
      context, arguments[ArgIndex(kDropArguments, "collectionUUID")], name, collection.get()));
  if (collection == nullptr) return NamespaceNotFound(FullName(context, name));
  const bson::ValueView which = arguments[ArgIndex(kDropArguments, "index")];
  MAYFLY_ASSIGN_OR_RETURN(const auto doomed, IndexesToDrop(*collection, which));
  const auto before = collection->CountedIndexes();
  for (const auto& index : doomed) {
    MAYFLY_RETURN_IF_ERROR(context.catalog->DropIndex(*context.transaction, *collection, *index));
    if (index->spec.expire_after_seconds.has_value())
      NotifyRulesChanged(context, context.database_name());
  }
  reply.Int32("nIndexesWas", before);
  if (which.IsString() && which.AsString() == "*") {
    reply.String("msg", "non-_id indexes dropped for collection");
  }
  return absl::OkStatus();
}

absl::Status RunListIndexes(CommandContext& context, const Arguments& arguments,
                            bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindStored(context, name));
  MAYFLY_ASSIGN_OR_RETURN(
      const int64_t batch_size,
      ReadCursorBatchSize("listIndexes", arguments.Document(ArgIndex(kListArguments, "cursor"))));
  if (collection == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("ns does not exist: ", FullName(context, name)));
  }
  if (arguments.Flag(ArgIndex(kListArguments, "includeIndexBuildInfo")) &&
      arguments.Flag(ArgIndex(kListArguments, "includeBuildUUIDs"))) {
    return Error(ErrorCode::kInvalidOptions,
                 "The includeBuildUUIDs flag and includeBuildIndexInfo flag cannot both be set to "
                 "true");
  }
  std::vector<bson::Document> documents;
  const bool wrap = arguments.Flag(ArgIndex(kListArguments, "includeIndexBuildInfo"));
  for (const auto& index : collection->ReadyIndexes()) {
    bson::Builder wrapped;
    wrapped.Document("spec", index->spec.stored);
    documents.push_back(wrap ? wrapped.Finish() : index->spec.stored);
  }
  return AppendDocuments(context, arguments, FullName(context, name), std::move(documents),
                         batch_size, reply);
}

constexpr CommandRow kRows[] = {
    {.name = "createIndexes",
     .place = Place::kWrite,
     .flags = kInTransaction | kCreatesDatabase,
     .run = RunCreateIndexes,
     .arguments = kCreateArguments,
     .help =
         "Makes indexes; one on _ts with expireAfterSeconds sets the collection's time to live."},
    {.name = "dropIndexes",
     .alias = "deleteIndexes",
     .place = Place::kWrite,
     .run = RunDropIndexes,
     .arguments = kDropArguments,
     .help = "Removes indexes."},
    {.name = "listIndexes",
     .place = Place::kRead,
     .run = RunListIndexes,
     .arguments = kListArguments,
     .help = "Lists the indexes of a collection."},
};

}  // namespace

std::span<const CommandRow> IndexCommands() { return kRows; }

}  // namespace mayfly::commands

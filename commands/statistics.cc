// collStats, dbStats, dataSize: sizes and counts.
#include "commands/statistics.h"

#include <algorithm>
#include <filesystem>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/catalog/namespace.h"
#include "engine/exec/count.h"
#include "engine/exec/find_query.h"
#include "engine/plan/index_plan.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kCollArguments = {
    ArgSpec{"scale", ArgType::kNumber, ArgUse::kOptional, "sizes are divided by this"},
    ArgSpec{"verbose", ArgType::kAny, ArgUse::kIgnored, "of old shells"},
    ArgSpec{"waitForLock", ArgType::kFlag, ArgUse::kIgnored, "there is no lock to wait for"},
};

constexpr std::array kDbArguments = {
    ArgSpec{"scale", ArgType::kNumber, ArgUse::kOptional, "sizes are divided by this"},
    ArgSpec{"freeStorage", ArgType::kFlag, ArgUse::kOptional,
            "also show space that is free inside the file"},
};

constexpr std::array kSizeArguments = {
    ArgSpec{"keyPattern", ArgType::kDocument, ArgUse::kOptional, "of the range"},
    ArgSpec{"min", ArgType::kDocument, ArgUse::kOptional, "of the range"},
    ArgSpec{"max", ArgType::kDocument, ArgUse::kOptional, "of the range"},
    ArgSpec{"estimate", ArgType::kFlag, ArgUse::kOptional, "without reading documents"},
};

consteval size_t SizeArg(std::string_view name) { return ArgIndex(kSizeArguments, name); }

absl::StatusOr<int64_t> ReadScale(const Arguments& arguments) {
  const int64_t scale = arguments.Integer(0, 1);
  if (scale < 1) {
    return Error(ErrorCode::kBadValue,
                 StrCat("BSON field 'scale' value must be >= 1, actual value '", scale, "'"));
  }
  return scale;
}

absl::StatusOr<engine::Extent> Measure(CommandContext& context,
                                       const std::shared_ptr<engine::Collection>& collection) {
  engine::ExecutionContext execution = MakeExecutionContext(context);
  return engine::MeasureVisible(execution, collection);
}

void AppendSize(std::string_view name, int64_t bytes, int64_t scale, bson::Builder& reply) {
  reply.Append(name, bson::Value::IntFitting(bytes / scale));
}

absl::Status RunCollStats(CommandContext& context, const Arguments& arguments,
                          bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t scale, ReadScale(arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindStored(context, name));
  reply.String("ns", FullName(context, name));
  if (collection == nullptr) {
    reply.Int32("size", 0).Int32("count", 0).Int32("numOrphanDocs", 0).Int32("storageSize", 0);
    reply.Int32("totalSize", 0).Int32("nindexes", 0).Int32("totalIndexSize", 0);
    reply.OpenArray("indexDetails").Close().OpenDocument("indexSizes").Close();
    reply.Append("scaleFactor", bson::Value::IntFitting(scale));
    return absl::OkStatus();
  }
  return AppendSizes(context, collection, scale, reply);
}

// Of the disk that the data are on; nothing if it cannot be asked.
void AppendFileSystem(const CommandContext& context, int64_t scale, bson::Builder& reply) {
  std::error_code error;
  const auto space = std::filesystem::space(context.services.facts.db_path, error);
  if (error) return;
  const auto scaled = [scale](uintmax_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(scale);
  };
  reply.Double("fsUsedSize", scaled(space.capacity - space.free));
  reply.Double("fsTotalSize", scaled(space.capacity));
}

absl::Status RunDbStats(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const int64_t scale, ReadScale(arguments));
  int32_t collections = 0;
  int32_t views = 0;
  int64_t indexes = 0;
  int64_t index_bytes = 0;
  int64_t stored_bytes = 0;
  engine::Extent all;
  if (context.catalog != nullptr) {
    for (const auto& collection : context.catalog->All()) {
      if (collection->IsView()) {
        ++views;
        continue;
      }
      ++collections;
      MAYFLY_ASSIGN_OR_RETURN(const engine::Extent extent, Measure(context, collection));
      all.documents += extent.documents;
      all.bytes += extent.bytes;
      MAYFLY_ASSIGN_OR_RETURN(const int64_t stored,
                              context.transaction->SpaceBytes(collection->state().records));
      stored_bytes += stored;
      for (const auto& index : collection->ReadyIndexes()) {
        MAYFLY_ASSIGN_OR_RETURN(const int64_t bytes, context.transaction->SpaceBytes(index->space));
        index_bytes += bytes;
        ++indexes;
      }
    }
  }
  reply.String("db", context.database_name())
      .Int64("collections", collections)
      .Int64("views", views);
  reply.Int64("objects", all.documents);
  reply.Double(
      "avgObjSize",
      all.documents == 0 ? 0 : static_cast<double>(all.bytes) / static_cast<double>(all.documents));
  const auto scaled = [&](std::string_view name, int64_t bytes) {
    reply.Double(name, static_cast<double>(bytes) / static_cast<double>(scale));
  };
  scaled("dataSize", all.bytes);
  scaled("storageSize", stored_bytes);
  // One file holds collections and indexes: what is free in it may become either.
  const bool show_free = arguments.Flag(1);
  const int64_t free_bytes =
      show_free && context.database != nullptr ? context.database->storage().Stats().free_bytes : 0;
  if (show_free) scaled("freeStorageSize", free_bytes);
  reply.Int64("indexes", indexes);
  scaled("indexSize", index_bytes);
  if (show_free) scaled("indexFreeStorageSize", 0);
  scaled("totalSize", stored_bytes + index_bytes);
  if (show_free) scaled("totalFreeStorageSize", free_bytes);
  AppendFileSystem(context, scale, reply);
  reply.Int64("scaleFactor", scale);
  return absl::OkStatus();
}

bool HasIndexOn(const engine::Collection& collection, bson::View key_pattern) {
  const auto indexes = collection.ReadyIndexes();
  return std::any_of(indexes.begin(), indexes.end(), [&](const auto& index) {
    return index->spec.stored.Find("key").AsDocument().bytes() == key_pattern.bytes();
  });
}

// Of the documents whose keys in the index `key_pattern` are from `min` to below `max`.
absl::StatusOr<engine::Extent> MeasureRange(CommandContext& context,
                                            const std::shared_ptr<engine::Collection>& collection,
                                            const Arguments& arguments) {
  const bson::ValueView key_pattern = arguments[SizeArg("keyPattern")];
  const engine::FindRequest request{.hint = key_pattern,
                                    .min = arguments.Document(SizeArg("min")),
                                    .max = arguments.Document(SizeArg("max"))};
  if (request.min.empty() != request.max.empty()) {
    return Error(ErrorCode::kBadValue, "only one of min and max was given");
  }
  engine::Extent extent;
  if (collection == nullptr) return extent;
  if (request.min.empty()) return Measure(context, collection);
  if (!key_pattern.IsDocument() || !HasIndexOn(*collection, key_pattern.AsDocument())) {
    return Error(ErrorCode::kOperationFailed,
                 "there is no index with the key pattern that min and max are about");
  }
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query, engine::FindQuery::Parse(request, collection.get(), &execution.evaluation));
  auto stream = query->MakeStream(execution, collection);
  if (base::CodeOf(stream.status()) == engine::kEmptyKeyRange) return extent;
  MAYFLY_RETURN_IF_ERROR(stream.status());
  engine::Row row;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, (*stream)->Next(&row));
    if (!more) return extent;
    ++extent.documents;
    extent.bytes += row.doc().size();
  }
}

absl::Status RunDataSize(CommandContext& context, const Arguments& arguments,
                         bson::Builder& reply) {
  const bson::ValueView target = arguments.target();
  if (target.IsNullish()) {
    return Error(ErrorCode(40414),
                 "BSON field 'dataSize.dataSize' is missing but a required field");
  }
  if (!target.IsString()) return WrongTypeError("dataSize", "dataSize", target.type(), "string");
  const engine::NamespaceView ns = engine::SplitNamespace(target.AsString());
  MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(ns.database, ns.collection));
  if (ns.database != context.database_name()) {
    return Error(ErrorCode::kInvalidNamespace,
                 "dataSize must be run against the database it names");
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindStored(context, ns.collection));
  MAYFLY_ASSIGN_OR_RETURN(const engine::Extent extent,
                          MeasureRange(context, collection, arguments));
  reply.Int64("size", extent.bytes).Int64("numObjects", extent.documents).Int32("millis", 0);
  reply.Bool("estimate", arguments.Flag(SizeArg("estimate")));
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "collStats",
     .alias = "collstats",
     .place = Place::kRead,
     .flags = kNoApiVersion,
     .run = RunCollStats,
     .arguments = kCollArguments,
     .help = "Sizes and counts of a collection."},
    {.name = "dbStats",
     .alias = "dbstats",
     .place = Place::kRead,
     .flags = kNoApiVersion,
     .run = RunDbStats,
     .arguments = kDbArguments,
     .help = "Sizes and counts of a database."},
    {.name = "dataSize",
     .alias = "datasize",
     .place = Place::kRead,
     .flags = kNoApiVersion,
     .run = RunDataSize,
     .arguments = kSizeArguments,
     .help = "Bytes of the documents of a collection."},
};

}  // namespace

absl::Status AppendSizes(CommandContext& context,
                         const std::shared_ptr<engine::Collection>& collection, int64_t scale,
                         bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const engine::Extent extent, Measure(context, collection));
  AppendSize("size", extent.bytes, scale, reply);
  reply.Append("count", bson::Value::IntFitting(extent.documents));
  if (extent.documents > 0) {
    reply.Append("avgObjSize", bson::Value::IntFitting(extent.bytes / extent.documents));
  }
  reply.Int32("numOrphanDocs", 0);
  MAYFLY_ASSIGN_OR_RETURN(const int64_t stored,
                          context.transaction->SpaceBytes(collection->state().records));
  AppendSize("storageSize", stored, scale, reply);
  int64_t index_bytes = 0;
  bson::Builder sizes;
  for (const auto& index : collection->ReadyIndexes()) {
    MAYFLY_ASSIGN_OR_RETURN(const int64_t bytes, context.transaction->SpaceBytes(index->space));
    index_bytes += bytes;
    sizes.Append(index->spec.name, bson::Value::IntFitting(bytes / scale));
  }
  AppendSize("totalSize", stored + index_bytes, scale, reply);
  reply.Int32("nindexes", collection->CountedIndexes());
  AppendSize("totalIndexSize", index_bytes, scale, reply);
  reply.Document("indexSizes", sizes.Finish()).OpenArray("indexBuilds").Close();
  const engine::CollectionOptions& options = collection->options();
  reply.Bool("capped", options.capped);
  if (options.capped) {
    AppendSize("maxSize", options.capped_size_bytes, scale, reply);
    reply.Append("max", bson::Value::IntFitting(options.capped_max_documents));
  }
  reply.Append("scaleFactor", bson::Value::IntFitting(scale));
  return absl::OkStatus();
}

std::span<const CommandRow> StatisticsCommands() { return kRows; }

}  // namespace mayfly::commands

// dbHash: a hash of each collection's documents, to compare databases.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/collection/content_hash.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::array kArguments = {
    ArgSpec{"collections", ArgType::kAny, ArgUse::kOptional, "only these"},
};

// The names asked for; empty: all.
absl::StatusOr<std::set<std::string, std::less<>>> ReadNames(bson::ValueView value) {
  std::set<std::string, std::less<>> names;
  if (!value.IsArray()) return names;
  for (const bson::Element& element : value.AsDocument()) {
    if (!element.value.IsString()) {
      return Error(ErrorCode::kBadValue, "collections entries have to be strings");
    }
    names.emplace(element.value.AsString());
  }
  return names;
}

absl::Status RunDbHash(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  const int64_t start_us = context.services.clock.MonotonicUs();
  MAYFLY_ASSIGN_OR_RETURN(const auto names, ReadNames(arguments[0]));
  std::vector<std::shared_ptr<engine::Collection>> collections;
  if (context.catalog != nullptr) collections = context.catalog->All();
  std::erase_if(collections, [&](const auto& collection) {
    return collection->IsView() || (!names.empty() && !names.contains(collection->name()));
  });
  reply.String("host", context.services.facts.host);
  reply.OpenDocument("collections");
  std::string all;
  for (const auto& collection : collections) {
    MAYFLY_ASSIGN_OR_RETURN(
        const std::string hash,
        engine::HashContents(*context.transaction, context.evaluation, *collection));
    reply.String(collection->name(), hash);
    all += hash;
  }
  reply.Close().OpenArray("capped");
  for (const auto& collection : collections) {
    if (collection->options().capped) reply.PushString(collection->name());
  }
  reply.Close().OpenDocument("uuids");
  for (const auto& collection : collections) {
    reply.Binary(
        collection->name(), bson::kBinaryUuid,
        {reinterpret_cast<const char*>(collection->uuid().data()), collection->uuid().size()});
  }
  reply.Close().String("md5", engine::HashText(all));
  const int64_t millis = (context.services.clock.MonotonicUs() - start_us) / 1000;
  reply.Append("timeMillis", bson::Value::IntFitting(millis));
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "dbHash",
     .alias = "dbhash",
     .place = Place::kRead,
     .flags = kAnyFields | kNoApiVersion,
     .run = RunDbHash,
     .arguments = kArguments,
     .help = "Hashes the documents of each collection."},
};

}  // namespace

std::span<const CommandRow> DbHashCommands() { return kRows; }

}  // namespace mayfly::commands

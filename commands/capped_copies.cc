// convertToCapped, cloneCollectionAsCapped: the newest documents of a collection in a capped one.
#include <array>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/catalog/namespace.h"
#include "engine/catalog/record.h"
#include "engine/collection/writer.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using engine::Collection;

constexpr std::array kConvertArguments = {
    ArgSpec{"size", ArgType::kAny, ArgUse::kOptional, "bytes of documents to keep"},
};

constexpr std::array kCloneArguments = {
    ArgSpec{"toCollection", ArgType::kAny, ArgUse::kOptional, "the new collection's name"},
    ArgSpec{"size", ArgType::kAny, ArgUse::kOptional, "bytes of documents to keep"},
};

constexpr int64_t kMaxCappedSize = int64_t{1} << 50;

absl::StatusOr<int64_t> ReadSize(const Arguments& arguments, size_t index) {
  const bson::ValueView value = arguments[index];
  const int64_t size = value.IsNumber() ? bson::ToInt64Rounded(value) : 0;
  if (size <= 0) {
    return Error(ErrorCode::kInvalidOptions, "Capped collection size must be greater than zero");
  }
  if (size > kMaxCappedSize) {
    return Error(ErrorCode::kBadValue, "Capped collection size must be at most one petabyte");
  }
  return size;
}

// The options of `source`, capped, as `create` would have stored them.
bson::Document CappedOptions(const Collection& source, int64_t size) {
  bson::Builder options;
  options.Bool("capped", true).Append("size", bson::Value::IntFitting(size));
  for (const bson::Element& element : source.options().stored.view()) {
    if (element.key != "capped" && element.key != "size" && element.key != "max" &&
        element.key != "clusteredIndex") {
      options.Append(element);
    }
  }
  return options.Finish();
}

// The target itself lets the oldest go. Others must not change the source meanwhile, so this does
// not yield, as MongoDB holds its lock.
absl::Status CopyNewest(CommandContext& context, const Collection& source,
                        const std::shared_ptr<Collection>& target) {
  engine::WriteContext write = MakeWriteContext(context);
  write.bypass_validation = true;
  engine::CollectionWriter writer(write, target);
  auto cursor =
      context.transaction->NewRecordCursor(source.state().records, engine::Direction::kForward);
  while (true) {
    MAYFLY_RETURN_IF_ERROR(context.interrupt->Check());
    MAYFLY_ASSIGN_OR_RETURN(const bool more, cursor->Next());
    if (!more) return absl::OkStatus();
    const std::string bytes(cursor->value());
    const engine::RecordView record = engine::ReadRecord(bytes);
    if (record.header.IsExpired(source.last_write_rule(), context.now_ms)) continue;
    MAYFLY_RETURN_IF_ERROR(writer.Insert(record.document).status());
  }
}

absl::StatusOr<std::shared_ptr<Collection>> MakeCapped(CommandContext& context,
                                                       const Collection& source,
                                                       std::string_view name, int64_t size) {
  MAYFLY_ASSIGN_OR_RETURN(engine::CollectionOptions options,
                          engine::CollectionOptionsFromStored(CappedOptions(source, size)));
  MAYFLY_ASSIGN_OR_RETURN(auto target,
                          context.catalog->Create(*context.transaction, name, std::move(options),
                                                  context.services.engine.NewUuid()));
  MAYFLY_RETURN_IF_ERROR(CopyNewest(context, source, target));
  return target;
}

// A name as these commands take it: `$` is not special before the collection is looked for.
absl::StatusOr<std::string_view> ReadSource(CommandContext& context, bson::ValueView target) {
  if (!target.IsString()) {
    return Error(ErrorCode::kInvalidNamespace,
                 StrCat("collection name has invalid type ", bson::TypeName(target.type())));
  }
  const std::string_view name = target.AsString();
  if (name.find('$') == std::string_view::npos) {
    MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(context.database_name(), name));
  }
  if (name.starts_with("system.buckets.")) {
    return Error(ErrorCode::kIllegalOperation,
                 "the collection behind a time-series collection cannot be made capped");
  }
  return name;
}

absl::Status RunConvert(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, ReadSource(context, arguments.target()));
  MAYFLY_ASSIGN_OR_RETURN(const int64_t size,
                          ReadSize(arguments, ArgIndex(kConvertArguments, "size")));
  // MongoDB makes the copy under a name of its own, which must be legal too.
  constexpr size_t kTemporaryPrefixBytes = std::string_view("tmp12345.convertToCapped.").size();
  if (context.database_name().size() + 1 + kTemporaryPrefixBytes + name.size() >
      base::kMaxNamespaceLength) {
    return Error(ErrorCode::kInvalidNamespace,
                 StrCat("no temporary name is left for converting ", FullName(context, name)));
  }
  if (name == "system.views") {
    return Error(ErrorCode::kBadValue, "system.views cannot be made capped");
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto source, FindStored(context, name));
  if (source == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("source collection ", FullName(context, name), " does not exist"));
  }
  const std::string temporary =
      StrCat("tmp.convertToCapped.", context.evaluation.random->NextU64());
  MAYFLY_ASSIGN_OR_RETURN(const auto target, MakeCapped(context, *source, temporary, size));
  MAYFLY_RETURN_IF_ERROR(context.catalog->Drop(*context.transaction, *source));
  MAYFLY_RETURN_IF_ERROR(context.catalog->Rename(*context.transaction, *target, name));
  NotifyRulesChanged(context, context.database_name());
  return absl::OkStatus();
}

absl::Status RunClone(CommandContext& context, const Arguments& arguments, bson::Builder&) {
  const bson::ValueView source_name = arguments.target();
  const bson::ValueView target_name = arguments[ArgIndex(kCloneArguments, "toCollection")];
  for (const bson::ValueView name : {source_name, target_name}) {
    if (name.IsString()) continue;
    return Error(ErrorCode::kTypeMismatch,
                 StrCat("cloneCollectionAsCapped takes names of collections as strings, not ",
                        bson::TypeName(name.type())));
  }
  const std::string_view from = source_name.AsString();
  const std::string_view to = target_name.AsString();
  MAYFLY_ASSIGN_OR_RETURN(const int64_t size,
                          ReadSize(arguments, ArgIndex(kCloneArguments, "size")));
  // A name that is only too long names nothing that exists.
  const std::string_view database = context.database_name();
  const bool too_long = database.size() + 1 + from.size() > base::kMaxNamespaceLength;
  MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(
      database, too_long ? from.substr(0, base::kMaxNamespaceLength / 2) : from));
  MAYFLY_RETURN_IF_ERROR(engine::CheckCreatableCollectionName(database, to));
  for (const std::string_view name : {from, to}) {
    if (name.starts_with("system.buckets.")) {
      return Error(ErrorCode::kIllegalOperation,
                   "the collection behind a time-series collection cannot be cloned");
    }
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto source, FindStored(context, from));
  if (source == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("source collection ", FullName(context, from), " does not exist"));
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto existing, FindStored(context, to));
  if (existing != nullptr) {
    return Error(ErrorCode::kNamespaceExists,
                 StrCat("cloneCollectionAsCapped failed - destination collection ",
                        FullName(context, to), " already exists"));
  }
  return MakeCapped(context, *source, to, size).status();
}

constexpr CommandRow kRows[] = {
    {.name = "cloneCollectionAsCapped",
     .place = Place::kWrite,
     .flags = kAnyFields | kNoApiVersion | kNoConcerns | kTakesWriteConcern,
     .run = RunClone,
     .arguments = kCloneArguments,
     .help = "Copies the newest documents of a collection into a new capped one."},
    {.name = "convertToCapped",
     .place = Place::kWrite,
     .flags = kAnyFields | kNoApiVersion | kNoConcerns | kTakesWriteConcern,
     .run = RunConvert,
     .arguments = kConvertArguments,
     .help = "Makes a collection capped; its newest documents stay, its indexes go."},
};

}  // namespace

std::span<const CommandRow> CappedCopyCommands() { return kRows; }

}  // namespace mayfly::commands

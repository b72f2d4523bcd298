// collMod: changes options of a collection, an index or a view.
#include <algorithm>
#include <limits>
#include <optional>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/coll_mod_index.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/create_options.h"
#include "commands/families.h"
#include "engine/catalog/namespace.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;
using engine::Collection;

constexpr std::array kArguments = {
    ArgSpec{"index", ArgType::kDocument, ArgUse::kOptional,
            "{keyPattern or name, expireAfterSeconds, hidden ...}"},
    ArgSpec{"validator", ArgType::kDocument, ArgUse::kOptional, "filter that documents must match"},
    ArgSpec{"validationLevel", ArgType::kString, ArgUse::kOptional, "off, strict or moderate"},
    ArgSpec{"validationAction", ArgType::kString, ArgUse::kOptional, "error or warn"},
    ArgSpec{"viewOn", ArgType::kString, ArgUse::kOptional, "of a view"},
    ArgSpec{"pipeline", ArgType::kArray, ArgUse::kOptional, "of a view"},
    ArgSpec{"changeStreamPreAndPostImages", ArgType::kDocument, ArgUse::kOptional, "{enabled}"},
    ArgSpec{"cappedSize", ArgType::kNumber, ArgUse::kOptional, "bytes of a capped collection"},
    ArgSpec{"cappedMax", ArgType::kNumber, ArgUse::kOptional, "documents of a capped collection"},
    ArgSpec{"dryRun", ArgType::kFlag, ArgUse::kOptional,
            "only check whether an index can become unique"},
    ArgSpec{"expireAfterSeconds", ArgType::kAny, ArgUse::kOptional,
            "of a clustered collection; 'off' for none"},
    ArgSpec{"timeseries", ArgType::kDocument, ArgUse::kOptional, "of time-series collections"},
    ArgSpec{"collectionUUID", ArgType::kBinary, ArgUse::kOptional,
            "fail unless the collection has this UUID"},
};

consteval size_t Arg(std::string_view name) { return ArgIndex(kArguments, name); }

// The stored options with the named ones replaced.
bson::Document MergeOptions(bson::View stored, const bson::Document& changes) {
  bson::Builder builder;
  for (const bson::Element& element : stored) {
    const ValueView changed = changes.Find(element.key);
    builder.Append(element.key, changed.IsMissing() ? element.value : changed);
  }
  for (const bson::Element& element : changes.view()) {
    if (!stored.Has(element.key)) builder.Append(element);
  }
  return builder.Finish();
}

constexpr int64_t kMaxCappedSize = int64_t{1} << 50;
constexpr int64_t kMaxCappedDocuments = std::numeric_limits<int32_t>::max();

absl::Status Invalid(std::string_view text) { return Error(ErrorCode::kInvalidOptions, text); }

// What can only be changed of a view, and what cannot.
absl::Status CheckKind(const Collection& collection, const Arguments& arguments) {
  const bool names_view = arguments.Has(Arg("viewOn")) || arguments.Has(Arg("pipeline"));
  if (names_view && !collection.IsView()) {
    return Invalid("'viewOn' and 'pipeline' are options of views");
  }
  if (arguments.Has(Arg("timeseries"))) {
    return Invalid("option only supported on a time-series collection: timeseries");
  }
  if (!collection.IsView()) return absl::OkStatus();
  for (const size_t other : {Arg("index"), Arg("validator"), Arg("validationLevel"),
                             Arg("validationAction"), Arg("changeStreamPreAndPostImages"),
                             Arg("cappedSize"), Arg("cappedMax"), Arg("expireAfterSeconds")}) {
    if (arguments.Has(other)) {
      return Invalid(StrCat("option not supported on a view: ", kArguments[other].name));
    }
  }
  if (arguments.Has(Arg("viewOn")) && arguments.String(Arg("viewOn")).empty()) {
    return Error(ErrorCode::kBadValue, "'viewOn' cannot be empty");
  }
  return absl::OkStatus();
}

absl::Status AppendCappedChanges(const Collection& collection, const Arguments& arguments,
                                 bson::Builder* changes) {
  for (const size_t index : {Arg("cappedSize"), Arg("cappedMax")}) {
    if (arguments.Has(index) && !collection.options().capped) {
      return Invalid(StrCat(kArguments[index].name, " is an option of capped collections"));
    }
  }
  if (arguments.Has(Arg("cappedSize"))) {
    const int64_t size = arguments.Integer(Arg("cappedSize"), 0);
    if (size < 1 || size > kMaxCappedSize) {
      return Error(ErrorCode::kBadValue, StrCat("cappedSize is out of range: ", size));
    }
    changes->Append("size", bson::Value::IntFitting(size));
  }
  if (arguments.Has(Arg("cappedMax"))) {
    const int64_t max = arguments.Integer(Arg("cappedMax"), 0);
    if (max > kMaxCappedDocuments) {
      return Error(ErrorCode::kBadValue, StrCat("cappedMax is out of range: ", max));
    }
    changes->Append("max", bson::Value::IntFitting(std::max<int64_t>(max, 0)));
  }
  return absl::OkStatus();
}

absl::StatusOr<bson::Document> ReadChanges(const Collection& collection,
                                           const Arguments& arguments) {
  bson::Builder changes;
  for (const size_t index :
       {Arg("validator"), Arg("validationLevel"), Arg("validationAction"), Arg("viewOn")}) {
    changes.Append(kArguments[index].name, arguments[index]);
  }
  if (arguments.Has(Arg("pipeline"))) {
    changes.Array("pipeline", ViewPipeline(arguments.Document(Arg("pipeline"))));
  }
  if (arguments.Has(Arg("changeStreamPreAndPostImages"))) {
    const bson::View images = arguments.Document(Arg("changeStreamPreAndPostImages"));
    MAYFLY_RETURN_IF_ERROR(CheckPreImages("collMod", images));
    changes.Document("changeStreamPreAndPostImages", images);
  }
  MAYFLY_RETURN_IF_ERROR(AppendCappedChanges(collection, arguments, &changes));
  return changes.Finish();
}

// The lifetime of a clustered collection is that of its `_id` index.
absl::Status ChangeLifetime(CommandContext& context, Collection& collection, ValueView value) {
  if (value.IsMissing()) return absl::OkStatus();
  const bool off = value.IsString() && value.AsString() == "off";
  if (!off && !value.IsNumber()) {
    return value.IsString() ? Invalid("expireAfterSeconds must be a number or 'off'")
                            : WrongTypeError("collMod", "expireAfterSeconds", value.type(),
                                             "[string, long, int, decimal, double]");
  }
  if (!collection.options().clustered) {
    return Invalid(
        "'expireAfterSeconds' is only supported on clustered and time-series "
        "collections");
  }
  std::optional<int32_t> seconds;
  if (!off) {
    MAYFLY_ASSIGN_OR_RETURN(const int64_t checked, CheckCollectionLifetime(value, context.now_ms));
    seconds = static_cast<int32_t>(checked);
  }
  bson::Builder stored;
  for (const bson::Element& element : collection.options().stored.view()) {
    if (element.key != "expireAfterSeconds") stored.Append(element);
  }
  if (seconds.has_value()) stored.Int64("expireAfterSeconds", *seconds);
  MAYFLY_ASSIGN_OR_RETURN(engine::CollectionOptions options,
                          engine::CollectionOptionsFromStored(stored.Finish()));
  return context.catalog->Modify(*context.transaction, collection, [&](Collection::State& state) {
    auto changed = std::make_shared<engine::Index>(*state.indexes.front());
    changed->spec = engine::WithExpireAfterSeconds(changed->spec, seconds);
    state.indexes.front() = std::move(changed);
    state.options = std::move(options);
  });
}

absl::Status CheckWords(const Arguments& arguments) {
  const std::string_view level = arguments.String(Arg("validationLevel"), "strict");
  if (level != "off" && level != "strict" && level != "moderate") {
    return Error(ErrorCode::kBadValue,
                 StrCat("Enumeration value '", level,
                        "' for field 'collMod.validationLevel' is not a valid value."));
  }
  const std::string_view action = arguments.String(Arg("validationAction"), "error");
  if (action != "error" && action != "warn" && action != "errorAndLog") {
    return Error(ErrorCode::kBadValue,
                 StrCat("Enumeration value '", action,
                        "' for field 'collMod.validationAction' is not a valid value."));
  }
  return absl::OkStatus();
}

// What only collMod says about views. Unlike `create` it does not look at the length of `viewOn`.
absl::Status CheckChangedView(CommandContext& context, const engine::CollectionOptions& options) {
  if (options.view_on.size() <= base::kMaxNamespaceLength) {
    MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(context.database_name(), options.view_on));
  }
  const ValueView first = options.pipeline.view().First().value;
  if (first.IsDocument() && first.AsDocument().First().key == "$changeStream") {
    return Error(ErrorCode::kOptionNotSupportedOnView,
                 "$changeStream cannot be used in a view definition");
  }
  return absl::OkStatus();
}

absl::Status RunCollMod(CommandContext& context, const Arguments& arguments, bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  const auto collection = context.FindCollection(name);
  MAYFLY_RETURN_IF_ERROR(
      CheckCollectionUuid(context, arguments[Arg("collectionUUID")], name, collection.get()));
  const std::string_view database = context.database_name();
  MAYFLY_RETURN_IF_ERROR(CheckValidatorPlace(database, name, arguments.Document(Arg("validator"))));
  if (database == "local" && name.starts_with("oplog.") &&
      (arguments.Has(Arg("cappedSize")) || arguments.Has(Arg("cappedMax")))) {
    return Invalid("cappedSize and cappedMax cannot be changed on the oplog");
  }
  if (collection == nullptr) {
    return Error(ErrorCode::kNamespaceNotFound,
                 StrCat("ns does not exist: ", FullName(context, name)));
  }
  MAYFLY_RETURN_IF_ERROR(CheckWords(arguments));
  MAYFLY_RETURN_IF_ERROR(CheckKind(*collection, arguments));
  const bool dry_run = arguments.Flag(Arg("dryRun"));
  if (dry_run && !arguments.Has(Arg("index"))) {
    return Invalid("The 'dryRun' option is only supported with the 'unique' option of an index");
  }
  if (arguments.Has(Arg("index"))) {
    MAYFLY_RETURN_IF_ERROR(
        ModifyIndex(context, *collection, arguments.Document(Arg("index")), dry_run, reply));
  }
  MAYFLY_RETURN_IF_ERROR(
      ChangeLifetime(context, *collection, arguments[Arg("expireAfterSeconds")]));
  NotifyRulesChanged(context, database);
  MAYFLY_ASSIGN_OR_RETURN(const bson::Document changes, ReadChanges(*collection, arguments));
  if (changes.empty()) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(
      engine::CollectionOptions options,
      engine::CollectionOptionsFromStored(MergeOptions(collection->options().stored, changes)));
  if (options.IsView()) {
    MAYFLY_RETURN_IF_ERROR(CheckChangedView(context, options));
    MAYFLY_RETURN_IF_ERROR(CheckViewDefinition(context, name, options));
  }
  return context.catalog->Modify(*context.transaction, *collection, [&](Collection::State& state) {
    state.options = std::move(options);
  });
}

constexpr CommandRow kRows[] = {
    {.name = "collMod",
     .place = Place::kWrite,
     .flags = kNoConcerns | kTakesWriteConcern,
     .run = RunCollMod,
     .arguments = kArguments,
     .help =
         "Changes options of a collection, view or index; an index's lifetime in constant time."},
};

}  // namespace

std::span<const CommandRow> CollModCommands() { return kRows; }

}  // namespace mayfly::commands

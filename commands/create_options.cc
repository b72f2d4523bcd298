#include "commands/create_options.h"

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
#include "commands/encrypted_fields.h"
#include "commands/storage_engine_options.h"
#include "commands/time_series_options.h"
#include "engine/catalog/namespace.h"
#include "engine/exec/pipeline_query.h"
#include "engine/query/collation.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

consteval size_t Arg(std::string_view name) { return ArgIndex(kCreateArguments, name); }

// MongoDB rounds the size of capped collections up to a multiple of 256 bytes.
constexpr int64_t kCappedSizeUnit = 256;
constexpr size_t kMaxViewPipelineBytes = 16'000'000;
constexpr int64_t kMaxCappedSize = int64_t{1} << 50;
constexpr int64_t kMaxCappedDocuments = std::numeric_limits<int32_t>::max();

absl::Status Invalid(std::string_view text) { return Error(ErrorCode::kInvalidOptions, text); }

absl::Status AppendCapped(const Arguments& arguments, bson::Builder* out) {
  const bool capped = arguments.Flag(Arg("capped"));
  const bool has_size = arguments.Has(Arg("size"));
  const bool has_max = arguments.Has(Arg("max"));
  if (!capped) {
    if (has_size || has_max) return Invalid("the 'size' and 'max' fields need 'capped' to be true");
    return absl::OkStatus();
  }
  if (!has_size) return Invalid("the 'size' field is required when 'capped' is true");
  const int64_t size = arguments.Integer(Arg("size"), 0);
  if (size < 1 || size > kMaxCappedSize) {
    return Error(ErrorCode::kBadValue,
                 StrCat("the 'size' of a capped collection is out of range: ", size));
  }
  const int64_t rounded = (size + kCappedSizeUnit - 1) / kCappedSizeUnit * kCappedSizeUnit;
  out->Bool("capped", true).Append("size", bson::Value::IntFitting(rounded));
  if (has_max) {
    const int64_t max = arguments.Integer(Arg("max"), 0);
    if (max > kMaxCappedDocuments) {
      return Error(ErrorCode::kBadValue,
                   StrCat("max in a capped collection has to be < 2^31 or not set: ", max));
    }
    if (max > 0) out->Append("max", bson::Value::IntFitting(max));
  }
  return absl::OkStatus();
}

absl::Status AppendValidator(const Arguments& arguments, bson::Builder* out) {
  out->Append("validator", arguments[Arg("validator")]);
  const std::string_view level = arguments.String(Arg("validationLevel"));
  if (arguments.Has(Arg("validationLevel"))) {
    if (level != "off" && level != "strict" && level != "moderate") {
      return Error(ErrorCode::kBadValue,
                   StrCat("Enumeration value '", level,
                          "' for field 'create.validationLevel' is not a valid value."));
    }
    out->String("validationLevel", level);
  }
  const std::string_view action = arguments.String(Arg("validationAction"));
  if (arguments.Has(Arg("validationAction"))) {
    if (action != "error" && action != "warn" && action != "errorAndLog") {
      return Error(ErrorCode::kBadValue,
                   StrCat("Enumeration value '", action,
                          "' for field 'create.validationAction' is not a valid value."));
    }
    out->String("validationAction", action);
  }
  return absl::OkStatus();
}

absl::Status AppendEngineOptions(const Arguments& arguments, bson::Builder* out) {
  const bson::View engines = arguments.Document(Arg("storageEngine"));
  MAYFLY_RETURN_IF_ERROR(CheckStorageEngine(engines));
  if (!engines.empty()) out->Document("storageEngine", engines);
  const bson::View defaults = arguments.Document(Arg("indexOptionDefaults"));
  MAYFLY_RETURN_IF_ERROR(CheckIndexOptionDefaults(defaults));
  if (!defaults.empty()) out->Document("indexOptionDefaults", defaults);
  return absl::OkStatus();
}

absl::Status AppendView(const Arguments& arguments, bson::Builder* out) {
  const bool has_pipeline = arguments.Has(Arg("pipeline"));
  if (!arguments.Has(Arg("viewOn"))) {
    if (has_pipeline) return Invalid("'pipeline' requires 'viewOn' to also be specified");
    return absl::OkStatus();
  }
  const std::string_view on = arguments.String(Arg("viewOn"));
  if (on.empty()) return Error(ErrorCode::kBadValue, "'viewOn' cannot be empty");
  if (arguments.Has(Arg("idIndex"))) return Invalid("option not supported on a view: idIndex");
  out->String("viewOn", on);
  out->Array("pipeline", ViewPipeline(arguments.Document(Arg("pipeline"))));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CheckLifetime(ValueView value, int64_t now_ms) {
  if (!value.IsNumber()) {
    return WrongTypeError("create", "expireAfterSeconds", value.type(),
                          "[long, int, decimal, double]");
  }
  return CheckCollectionLifetime(value, now_ms);
}

absl::Status RefuseUnsupported(const Arguments& arguments, int64_t now_ms) {
  if (arguments.Has(Arg("timeseries"))) {
    for (const size_t other : {Arg("capped"), Arg("validator"), Arg("validationLevel"),
                               Arg("validationAction"), Arg("idIndex"), Arg("viewOn"),
                               Arg("changeStreamPreAndPostImages"), Arg("clusteredIndex")}) {
      const ValueView value = arguments[other];
      const bool counts = !value.IsMissing() && !(value.IsBool() && !value.AsBool());
      if (counts) {
        return Invalid(StrCat("option not supported on a time-series collection: ",
                              kCreateArguments[other].name));
      }
    }
    const ValueView lifetime = arguments[Arg("expireAfterSeconds")];
    if (!lifetime.IsNullish()) MAYFLY_RETURN_IF_ERROR(CheckLifetime(lifetime, now_ms).status());
    MAYFLY_RETURN_IF_ERROR(CheckTimeSeries(arguments.Document(Arg("timeseries"))));
  }
  return absl::OkStatus();
}

absl::Status AppendEncryptedFields(const Arguments& arguments, bson::Builder* out) {
  if (!arguments.Has(Arg("encryptedFields"))) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(const bson::Document fields,
                          ParseEncryptedFields(arguments.Document(Arg("encryptedFields"))));
  if (arguments.Has(Arg("viewOn")) || arguments.Has(Arg("timeseries"))) {
    return Error(6346401, "Encrypted fields cannot be used with views or time series collections");
  }
  if (arguments.Flag(Arg("capped"))) {
    return Error(6367301, "Encrypted fields cannot be used with capped collections");
  }
  out->Document("encryptedFields", fields);
  return absl::OkStatus();
}

constexpr std::array kClusteredFields = {
    ArgSpec{"v", ArgType::kNumber, ArgUse::kOptional, "version, 2"},
    ArgSpec{"key", ArgType::kDocument, ArgUse::kRequired, "{_id: 1}"},
    ArgSpec{"name", ArgType::kString, ArgUse::kOptional, "name of the index, _id_"},
    ArgSpec{"unique", ArgType::kFlag, ArgUse::kRequired, "true"},
};

consteval size_t ClusteredField(std::string_view name) { return ArgIndex(kClusteredFields, name); }

bool IsIdPattern(bson::View key) {
  const bson::Element first = key.First();
  return key.Count() == 1 && first.key == "_id" && first.value.IsNumber() &&
         bson::ToDouble(first.value) == 1;
}

absl::Status AppendClusteredIndex(const Arguments& fields, bson::Builder* out) {
  const bson::View key = fields.Document(ClusteredField("key"));
  if (!IsIdPattern(key)) {
    return Error(ErrorCode::kInvalidIndexSpecificationOption,
                 "The clusteredIndex option is only supported for key: {_id: 1}");
  }
  if (!fields.Flag(ClusteredField("unique"))) {
    return Error(5979700, "The clusteredIndex option requires unique: true to be specified");
  }
  if (fields.Integer(ClusteredField("v"), 2) != 2) {
    return Error(5979704, "The clusteredIndex version must be 2");
  }
  out->OpenDocument("clusteredIndex").Int32("v", 2).OpenDocument("key").Int32("_id", 1).Close();
  out->String("name", fields.String(ClusteredField("name"), "_id_")).Bool("unique", true).Close();
  return absl::OkStatus();
}

absl::Status CheckClusteredCombination(const Arguments& arguments) {
  if (arguments.Has(Arg("viewOn"))) {
    return Error(6026500, "The 'clusteredIndex' option is not supported with views");
  }
  if (arguments.Flag(Arg("capped"))) {
    return Error(6049200, "The 'clusteredIndex' option is not supported with capped collections");
  }
  if (arguments.Has(Arg("max"))) {
    return Error(6049204, "The 'max' option is not supported with clustered collections");
  }
  if (arguments.Has(Arg("idIndex"))) {
    return Invalid("The 'clusteredIndex' option is not supported with the 'idIndex' option");
  }
  return absl::OkStatus();
}

// Whether the collection is to be clustered; its index goes to `*out`.
absl::StatusOr<bool> AppendClustered(const Arguments& arguments, bson::Builder* out) {
  const ValueView value = arguments[Arg("clusteredIndex")];
  if (value.IsMissing()) return false;
  MAYFLY_RETURN_IF_ERROR(CheckClusteredCombination(arguments));
  if (value.IsBool() || value.IsNumber()) {
    const bool wanted = value.IsBool() ? value.AsBool() : bson::IsNonZero(value);
    if (!wanted) return false;
    return Error(5979703, "The clusteredIndex option must be a document, not a number or boolean");
  }
  if (!value.IsDocument()) {
    return WrongTypeError("create", "clusteredIndex", value.type(), "[object, bool]");
  }
  MAYFLY_ASSIGN_OR_RETURN(
      const Arguments fields,
      Arguments::ParseFields(value.AsDocument(), "create.clusteredIndex", kClusteredFields));
  MAYFLY_RETURN_IF_ERROR(AppendClusteredIndex(fields, out));
  return true;
}

absl::Status AppendLifetime(const Arguments& arguments, bool clustered, int64_t now_ms,
                            bson::Builder* out) {
  const ValueView value = arguments[Arg("expireAfterSeconds")];
  if (value.IsNullish()) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(const int64_t seconds, CheckLifetime(value, now_ms));
  if (!clustered) {
    return Invalid(
        "'expireAfterSeconds' requires 'timeseries' or 'clusteredIndex': use an index for other "
        "collections");
  }
  out->Int64("expireAfterSeconds", seconds);
  return absl::OkStatus();
}

// `collation` is the collection's; null: simple.
absl::Status CheckIdIndex(bson::View spec, const engine::CollationPtr& collation) {
  const ValueView key = spec.Find("key");
  if (key.IsDocument() && !IsIdPattern(key.AsDocument())) {
    return Error(ErrorCode::kBadValue, "The field 'key' for an _id index must be {_id: 1}");
  }
  if (spec.Has("background")) {
    return Error(ErrorCode::kInvalidIndexSpecificationOption,
                 "The field 'background' is not valid for an _id index specification");
  }
  MAYFLY_RETURN_IF_ERROR(engine::ParseIndexSpec(spec, {.collation = collation.get()}).status());
  if (!spec.Find("collation").IsDocument()) return absl::OkStatus();
  MAYFLY_ASSIGN_OR_RETURN(const engine::CollationPtr own,
                          engine::ParseCollation(spec.Find("collation").AsDocument()));
  if (engine::SameCollation(own.get(), collation.get())) return absl::OkStatus();
  return Error(ErrorCode::kBadValue,
               "The _id index must have the same collation as the collection");
}

}  // namespace

bson::Document ViewPipeline(bson::View stages) {
  bson::Builder builder;
  builder.OpenArray("stages");
  for (const bson::Element& element : stages) {
    if (!element.value.IsNullish()) builder.Push(element.value);
  }
  builder.Close();
  return bson::Document(builder.Finish().Find("stages").AsDocument());
}

absl::Status CheckValidatorPlace(std::string_view database, std::string_view collection,
                                 bson::View validator) {
  const bool own = database == "admin" || database == "config" || database == "local" ||
                   engine::IsSystemCollection(collection);
  if (!own || validator.empty()) return absl::OkStatus();
  return Invalid(
      "Document validators are not allowed on system collections and in the databases admin, "
      "config and local");
}

absl::Status CheckPreImages(std::string_view command, bson::View images) {
  const std::string where = StrCat(command, ".changeStreamPreAndPostImages");
  bool named = false;
  for (const bson::Element& element : images) {
    if (element.key != "enabled") {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field '", where, ".", element.key, "' is an unknown field."));
    }
    if (element.value.IsNullish()) continue;
    if (!element.value.IsBool()) {
      return WrongTypeError(where, "enabled", element.value.type(), "bool");
    }
    named = true;
  }
  if (named) return absl::OkStatus();
  return Error(ErrorCode::kIDLFailedToParse,
               StrCat("BSON field '", where, ".enabled' is missing but a required field"));
}

absl::StatusOr<int64_t> CheckCollectionLifetime(ValueView value, int64_t now_ms) {
  const int64_t seconds = bson::ToInt64Rounded(value);
  if (seconds < 0) return Invalid("'expireAfterSeconds' cannot be less than 0");
  if (seconds > now_ms / 1000) {
    return Invalid("'expireAfterSeconds' must be within the time since the epoch");
  }
  return seconds;
}

absl::StatusOr<bson::Document> ParseCreateOptions(const Arguments& arguments, int64_t now_ms) {
  bson::Builder stored;
  MAYFLY_RETURN_IF_ERROR(AppendEncryptedFields(arguments, &stored));
  MAYFLY_RETURN_IF_ERROR(RefuseUnsupported(arguments, now_ms));
  MAYFLY_ASSIGN_OR_RETURN(const bool clustered, AppendClustered(arguments, &stored));
  MAYFLY_RETURN_IF_ERROR(AppendLifetime(arguments, clustered, now_ms, &stored));
  MAYFLY_RETURN_IF_ERROR(AppendView(arguments, &stored));
  // With a view, options of collections are checked for themselves and have no effect.
  bson::Builder unused;
  bson::Builder* const of_collection = arguments.Has(Arg("viewOn")) ? &unused : &stored;
  MAYFLY_RETURN_IF_ERROR(AppendCapped(arguments, of_collection));
  MAYFLY_RETURN_IF_ERROR(AppendEngineOptions(arguments, of_collection));
  MAYFLY_RETURN_IF_ERROR(AppendValidator(arguments, of_collection));
  engine::CollationPtr collation;
  if (arguments.Has(Arg("collation"))) {
    MAYFLY_ASSIGN_OR_RETURN(collation,
                            engine::ParseCollation(arguments.Document(Arg("collation"))));
    if (collation != nullptr) stored.Document("collation", collation->spec());
  }
  if (arguments.Has(Arg("idIndex"))) {
    MAYFLY_RETURN_IF_ERROR(CheckIdIndex(arguments.Document(Arg("idIndex")), collation));
  }
  if (arguments.Has(Arg("changeStreamPreAndPostImages"))) {
    const bson::View images = arguments.Document(Arg("changeStreamPreAndPostImages"));
    MAYFLY_RETURN_IF_ERROR(CheckPreImages("create", images));
    if (images.Find("enabled").AsBool()) {
      if (arguments.Has(Arg("viewOn"))) {
        return Invalid("option not supported on a view: changeStreamPreAndPostImages");
      }
      stored.Document("changeStreamPreAndPostImages", images);
    }
  }
  return stored.Finish();
}

namespace {

absl::Status CycleError(const CommandContext& context, std::string_view name) {
  return Error(ErrorCode::kGraphContainsCycle,
               StrCat("View cycle detected: ", FullName(context, name)));
}

absl::StatusOr<std::vector<engine::Namespace>> ReadByView(
    CommandContext& context, const engine::CollectionOptions& options) {
  static const bson::Document kSimple =
      bson::Builder().OpenDocument("collation").String("locale", "simple").Close().Finish();
  const bson::ValueView own = options.stored.Find("collation");
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query,
      engine::PipelineQuery::Parse(
          {.database = std::string(context.database_name()),
           .collection = options.view_on,
           .pipeline = options.pipeline,
           .collation = own.IsMissing() ? bson::ValueView(kSimple.Find("collation")) : own},
          context.catalog, execution, nullptr));
  if (query->pipeline().Writes()) {
    return Error(ErrorCode::kOptionNotSupportedOnView,
                 "The aggregation stages $out and $merge cannot be used in a view");
  }
  return query->pipeline().Namespaces();
}

// What the stages of a view read must not lead back to it. `open` are namespaces to look into.
absl::Status CheckNoCycle(CommandContext& context, std::string_view name,
                          std::vector<engine::Namespace> open) {
  std::set<std::string> seen;
  while (!open.empty()) {
    const engine::Namespace ns = std::move(open.back());
    open.pop_back();
    if (ns.database != context.database_name() || !seen.insert(ns.collection).second) continue;
    if (ns.collection == name) return CycleError(context, name);
    const auto view = context.FindCollection(ns.collection);
    if (view == nullptr || !view->IsView()) continue;
    open.push_back({.database = ns.database, .collection = view->options().view_on});
    MAYFLY_ASSIGN_OR_RETURN(const auto read, ReadByView(context, view->options()));
    open.insert(open.end(), read.begin(), read.end());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckViewDefinition(CommandContext& context, std::string_view name,
                                 const engine::CollectionOptions& options) {
  std::string on = options.view_on;
  for (int depth = 0; depth < 20; ++depth) {
    if (on == name) {
      return CycleError(context, name);
    }
    const auto below = context.FindCollection(on);
    if (below == nullptr || !below->IsView()) break;
    if (!engine::SameCollation(below->options().strings.get(), options.strings.get())) {
      return Error(ErrorCode::kOptionNotSupportedOnView,
                   "a view must have the collation of the view it is on");
    }
    on = below->options().view_on;
  }
  size_t bytes = 0;
  for (const bson::Element& stage : options.pipeline.view()) {
    if (stage.value.IsDocument()) bytes += stage.value.AsDocument().size();
  }
  if (bytes > kMaxViewPipelineBytes) {
    return Error(ErrorCode::kViewPipelineMaxSizeExceeded,
                 StrCat("View pipeline exceeds maximum size of ", kMaxViewPipelineBytes));
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto read, ReadByView(context, options));
  return CheckNoCycle(context, name, read);
}

}  // namespace mayfly::commands

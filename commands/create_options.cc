#include "commands/create_options.h"

#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
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
  out->Array("pipeline", arguments.Document(Arg("pipeline")));
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
    if (!lifetime.IsMissing()) MAYFLY_RETURN_IF_ERROR(CheckLifetime(lifetime, now_ms).status());
    MAYFLY_RETURN_IF_ERROR(CheckTimeSeries(arguments.Document(Arg("timeseries"))));
  }
  if (arguments.Has(Arg("encryptedFields"))) {
    return Error(ErrorCode::kCommandNotSupported,
                 "encrypted fields are not supported by this server");
  }
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
  if (value.IsMissing()) return absl::OkStatus();
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
  MAYFLY_RETURN_IF_ERROR(RefuseUnsupported(arguments, now_ms));
  bson::Builder stored;
  MAYFLY_ASSIGN_OR_RETURN(const bool clustered, AppendClustered(arguments, &stored));
  MAYFLY_RETURN_IF_ERROR(AppendLifetime(arguments, clustered, now_ms, &stored));
  MAYFLY_RETURN_IF_ERROR(AppendView(arguments, &stored));
  // With a view, options of collections are checked for themselves and have no effect.
  bson::Builder unused;
  bson::Builder* const of_collection = arguments.Has(Arg("viewOn")) ? &unused : &stored;
  MAYFLY_RETURN_IF_ERROR(AppendCapped(arguments, of_collection));
  of_collection->Append("storageEngine", arguments[Arg("storageEngine")]);
  MAYFLY_RETURN_IF_ERROR(AppendValidator(arguments, of_collection));
  of_collection->Append("indexOptionDefaults", arguments[Arg("indexOptionDefaults")]);
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

absl::Status CheckViewDefinition(CommandContext& context, std::string_view name,
                                 const engine::CollectionOptions& options) {
  MAYFLY_RETURN_IF_ERROR(engine::CheckCollectionName(context.database_name(), options.view_on));
  std::string on = options.view_on;
  for (int depth = 0; depth < 20; ++depth) {
    if (on == name) {
      return Error(ErrorCode::kGraphContainsCycle,
                   StrCat("View cycle detected: ", FullName(context, name)));
    }
    const auto below = context.FindCollection(on);
    if (below == nullptr || !below->IsView()) break;
    if (!engine::SameCollation(below->options().strings.get(), options.strings.get())) {
      return Error(ErrorCode::kOptionNotSupportedOnView,
                   "a view must have the collation of the view it is on");
    }
    on = below->options().view_on;
  }
  engine::ExecutionContext execution = MakeExecutionContext(context);
  const engine::PipelineRequest request{.database = std::string(context.database_name()),
                                        .collection = options.view_on,
                                        .pipeline = options.pipeline};
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query, engine::PipelineQuery::Parse(request, context.catalog, execution, nullptr));
  if (query->pipeline().Writes()) {
    return Error(ErrorCode::kOptionNotSupportedOnView,
                 "The aggregation stages $out and $merge cannot be used in a view");
  }
  return absl::OkStatus();
}

}  // namespace mayfly::commands

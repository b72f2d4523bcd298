#include "commands/create_options.h"

#include <limits>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/number.h"
#include "commands/collections.h"
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
  for (const size_t other :
       {Arg("capped"), Arg("size"), Arg("max"), Arg("validator"), Arg("validationLevel"),
        Arg("validationAction"), Arg("idIndex"), Arg("storageEngine")}) {
    if (arguments.Has(other)) {
      return Invalid(StrCat("option not supported on a view: ", kCreateArguments[other].name));
    }
  }
  out->String("viewOn", on);
  out->Array("pipeline", arguments.Document(Arg("pipeline")));
  return absl::OkStatus();
}

absl::Status RefuseUnsupported(const Arguments& arguments) {
  if (arguments.Has(Arg("timeseries"))) {
    return Error(ErrorCode::kCommandNotSupported,
                 "time-series collections are not supported by this server");
  }
  const ValueView clustered = arguments[Arg("clusteredIndex")];
  const bool wants_clustered =
      !clustered.IsNullish() && !(clustered.IsBool() && !clustered.AsBool());
  if (wants_clustered) {
    return Error(ErrorCode::kCommandNotSupported,
                 "clustered collections are not supported by this server");
  }
  if (!arguments[Arg("expireAfterSeconds")].IsNullish()) {
    return Invalid(
        "'expireAfterSeconds' requires 'timeseries' or 'clusteredIndex': use an index for other "
        "collections");
  }
  if (arguments.Has(Arg("encryptedFields"))) {
    return Error(ErrorCode::kCommandNotSupported,
                 "encrypted fields are not supported by this server");
  }
  return absl::OkStatus();
}

absl::Status CheckIdIndex(bson::View spec) {
  if (spec.empty()) return absl::OkStatus();
  const ValueView key = spec.Find("key");
  const ValueView name = spec.Find("name");
  if (!key.IsDocument() || !name.IsString())
    return Error(ErrorCode::kFailedToParse, "idIndex needs key and name");
  const bson::Element first = key.AsDocument().First();
  if (key.AsDocument().Count() != 1 || first.key != "_id" || !first.value.IsNumber() ||
      bson::ToDouble(first.value) != 1) {
    return Error(ErrorCode::kBadValue, "The field 'key' for an _id index must be {_id: 1}");
  }
  return absl::OkStatus();
}

absl::Status AppendPreImages(bson::View images, bson::Builder* out) {
  for (const bson::Element& element : images) {
    if (element.key != "enabled") {
      return Error(ErrorCode::kIDLUnknownField,
                   StrCat("BSON field 'create.changeStreamPreAndPostImages.", element.key,
                          "' is an unknown field."));
    }
    if (!element.value.IsBool()) {
      return WrongTypeError("create.changeStreamPreAndPostImages", "enabled", element.value.type(),
                            "bool");
    }
    if (element.value.AsBool()) out->Document("changeStreamPreAndPostImages", images);
    return absl::OkStatus();
  }
  return Error(
      ErrorCode::kIDLFailedToParse,
      "BSON field 'create.changeStreamPreAndPostImages.enabled' is missing but a required field");
}

}  // namespace

absl::StatusOr<bson::Document> ParseCreateOptions(const Arguments& arguments) {
  MAYFLY_RETURN_IF_ERROR(RefuseUnsupported(arguments));
  MAYFLY_RETURN_IF_ERROR(CheckIdIndex(arguments.Document(Arg("idIndex"))));
  bson::Builder stored;
  MAYFLY_RETURN_IF_ERROR(AppendView(arguments, &stored));
  MAYFLY_RETURN_IF_ERROR(AppendCapped(arguments, &stored));
  stored.Append("storageEngine", arguments[Arg("storageEngine")]);
  MAYFLY_RETURN_IF_ERROR(AppendValidator(arguments, &stored));
  stored.Append("indexOptionDefaults", arguments[Arg("indexOptionDefaults")]);
  const bson::View collation = arguments.Document(Arg("collation"));
  if (arguments.Has(Arg("collation"))) {
    MAYFLY_ASSIGN_OR_RETURN(const engine::CollationPtr parsed, engine::ParseCollation(collation));
    if (parsed != nullptr) stored.Document("collation", parsed->spec());
  }
  if (arguments.Has(Arg("changeStreamPreAndPostImages"))) {
    MAYFLY_RETURN_IF_ERROR(
        AppendPreImages(arguments.Document(Arg("changeStreamPreAndPostImages")), &stored));
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
      const auto query,
      engine::PipelineQuery::Parse(request, context.catalog, execution, nullptr, nullptr));
  if (query->pipeline().Writes()) {
    return Error(ErrorCode::kOptionNotSupportedOnView,
                 "The aggregation stages $out and $merge cannot be used in a view");
  }
  return absl::OkStatus();
}

}  // namespace mayfly::commands

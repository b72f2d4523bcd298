// $fill: nulls and missing fields get values; made of $setWindowFields and $addFields.
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/stage_rows.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

struct FillFields {
  ValueView partition_by, partition_by_fields, sort_by, output;
};

absl::StatusOr<FillFields> FindFields(ValueView operand) {
  if (!operand.IsDocument()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "$fill must be specified with an object argument");
  }
  FillFields f;
  for (const bson::Element& element : operand.AsDocument()) {
    ValueView* target = element.key == "partitionBy"         ? &f.partition_by
                        : element.key == "partitionByFields" ? &f.partition_by_fields
                        : element.key == "sortBy"            ? &f.sort_by
                        : element.key == "output"            ? &f.output
                                                             : nullptr;
    if (!target)
      return base::Error(40415,
                         base::StrCat("BSON field '$fill.", element.key, "' is an unknown field."));
    *target = element.value;
  }
  if (f.output.IsMissing())
    return base::Error(40414, "BSON field '$fill.output' is missing but a required field");
  if (!f.output.IsDocument())
    return base::Error(base::ErrorCode::kTypeMismatch,
                       "BSON field '$fill.output' must be an object");
  if (!f.partition_by.IsMissing() && !f.partition_by_fields.IsMissing()) {
    return base::Error(
        6050204, "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'");
  }
  return f;
}

absl::Status AppendPartition(const FillFields& f, bson::Builder* out) {
  if (!f.partition_by.IsMissing()) out->Append("partitionBy", f.partition_by);
  if (f.partition_by_fields.IsMissing()) return absl::OkStatus();
  if (!f.partition_by_fields.IsArray()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       "BSON field '$fill.partitionByFields' must be an array");
  }
  out->OpenDocument("partitionBy");
  for (const bson::Element& field : f.partition_by_fields.AsDocument()) {
    if (!field.value.IsString()) {
      return base::Error(base::ErrorCode::kTypeMismatch,
                         "BSON field '$fill.partitionByFields' must hold strings");
    }
    out->String(field.value.AsString(), base::StrCat("$", field.value.AsString()));
  }
  out->Close();
  return absl::OkStatus();
}

absl::StatusOr<std::string> WindowMethod(const bson::Element& field, ValueView method) {
  if (!method.IsString()) {
    return base::Error(base::ErrorCode::kTypeMismatch,
                       base::StrCat("'method' of the field ", field.key, " must be a string"));
  }
  if (method.AsString() == "locf") return std::string("$locf");
  if (method.AsString() == "linear") return std::string("$linearFill");
  return base::Error(
      6050202, base::StrCat("Method must be either locf or linear, but found ", method.AsString()));
}

absl::Status ParseFill(ValueView operand, const StageRow&, const PipelineContext& context,
                       std::vector<StagePtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(FillFields f, FindFields(operand));
  bson::Builder window, add;
  window.OpenDocument("w");
  MAYFLY_RETURN_IF_ERROR(AppendPartition(f, &window));
  if (!f.sort_by.IsMissing()) window.Append("sortBy", f.sort_by);
  window.OpenDocument("output");
  add.OpenDocument("a");
  bool any_window = false, any_value = false;
  for (const bson::Element& field : f.output.AsDocument()) {
    if (!field.value.IsDocument() || field.value.AsDocument().Count() != 1) {
      return base::Error(
          6050201,
          base::StrCat("Each fill specification must have exactly one of 'method' or 'value' "
                       "fields, but the field ",
                       field.key, " has not"));
    }
    const ValueView value = field.value.AsDocument().Find("value");
    const ValueView method = field.value.AsDocument().Find("method");
    const std::string path = base::StrCat("$", field.key);
    if (!value.IsMissing()) {
      any_value = true;
      add.OpenDocument(field.key).OpenArray("$ifNull").PushString(path).Push(value).Close().Close();
      continue;
    }
    MAYFLY_ASSIGN_OR_RETURN(std::string function, WindowMethod(field, method));
    any_window = true;
    window.OpenDocument(field.key).String(function, path).Close();
  }
  const bson::Document window_spec = window.Close().Close().Finish();
  const bson::Document add_spec = add.Close().Finish();
  if (any_window)
    MAYFLY_RETURN_IF_ERROR(ParseStage("$setWindowFields", window_spec.Find("w"), context, out));
  if (any_value) MAYFLY_RETURN_IF_ERROR(ParseStage("$addFields", add_spec.Find("a"), context, out));
  return absl::OkStatus();
}

}  // namespace

const StageRow kFillRow = {.name = "$fill",
                           .parse = ParseFill,
                           .help = "gives values to fields that are null or missing",
                           .in_update = true};

}  // namespace mayfly::engine

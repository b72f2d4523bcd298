#include "commands/time_series_options.h"

#include <array>
#include <string_view>

#include "base/status.h"
#include "base/strings.h"
#include "commands/arguments.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

constexpr std::array kFields = {
    ArgSpec{"timeField", ArgType::kString, ArgUse::kRequired, "field with the date"},
    ArgSpec{"metaField", ArgType::kString, ArgUse::kOptional, "field that names the series"},
    ArgSpec{"granularity", ArgType::kString, ArgUse::kOptional, "seconds, minutes or hours"},
    ArgSpec{"bucketMaxSpanSeconds", ArgType::kNumber, ArgUse::kOptional, "longest bucket"},
    ArgSpec{"bucketRoundingSeconds", ArgType::kNumber, ArgUse::kOptional, "start of buckets"},
};

consteval size_t Field(std::string_view name) { return ArgIndex(kFields, name); }

constexpr int64_t kMaxBucketSeconds = 31'536'000;

absl::Status Invalid(std::string_view text) { return Error(ErrorCode::kInvalidOptions, text); }

absl::Status CheckFieldName(std::string_view option, std::string_view name) {
  if (name.find('\0') != std::string_view::npos) {
    return Error(ErrorCode::kBadValue, StrCat("'", option, "' cannot contain NUL"));
  }
  if (name.find('.') != std::string_view::npos) {
    return Invalid(StrCat("'", option, "' must be a top-level field"));
  }
  return absl::OkStatus();
}

absl::Status CheckBuckets(const Arguments& fields) {
  for (const size_t field : {Field("bucketMaxSpanSeconds"), Field("bucketRoundingSeconds")}) {
    if (!fields.Has(field)) continue;
    const int64_t seconds = fields.Integer(field, 0);
    if (seconds < 1 || seconds > kMaxBucketSeconds) {
      return Error(ErrorCode::kBadValue,
                   StrCat("BSON field '", kFields[field].name, "' is out of range: ", seconds));
    }
  }
  const bool has_span = fields.Has(Field("bucketMaxSpanSeconds"));
  const bool has_rounding = fields.Has(Field("bucketRoundingSeconds"));
  if (has_span != has_rounding) {
    return Invalid("bucketMaxSpanSeconds and bucketRoundingSeconds must be given together");
  }
  if (!has_span) return absl::OkStatus();
  if (fields.Has(Field("granularity"))) {
    return Invalid("bucketRoundingSeconds cannot be given together with granularity");
  }
  if (fields.Integer(Field("bucketMaxSpanSeconds"), 0) !=
      fields.Integer(Field("bucketRoundingSeconds"), 0)) {
    return Invalid("bucketMaxSpanSeconds and bucketRoundingSeconds must be equal");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTimeSeries(bson::View options) {
  MAYFLY_ASSIGN_OR_RETURN(const Arguments fields,
                          Arguments::ParseFields(options, "create.timeseries", kFields));
  const std::string_view time_field = fields.String(Field("timeField"));
  const std::string_view meta_field = fields.String(Field("metaField"));
  MAYFLY_RETURN_IF_ERROR(CheckFieldName("timeField", time_field));
  if (fields.Has(Field("metaField"))) {
    MAYFLY_RETURN_IF_ERROR(CheckFieldName("metaField", meta_field));
    if (meta_field == "_id") return Invalid("'metaField' cannot be '_id'");
    if (meta_field == time_field) return Invalid("'metaField' cannot be the same as 'timeField'");
  }
  const std::string_view granularity = fields.String(Field("granularity"), "seconds");
  if (granularity != "seconds" && granularity != "minutes" && granularity != "hours") {
    return Error(ErrorCode::kBadValue,
                 StrCat("Enumeration value '", granularity,
                        "' for field 'create.timeseries.granularity' is not a valid value."));
  }
  MAYFLY_RETURN_IF_ERROR(CheckBuckets(fields));
  return Error(ErrorCode::kCommandNotSupported,
               "time-series collections are not supported by this server");
}

}  // namespace mayfly::commands

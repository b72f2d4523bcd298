#include "commands/cluster_parameters.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "bson/json.h"
#include "bson/number.h"
#include "commands/arguments.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

absl::Status BadImages(std::string_view text) {
  return Error(ErrorCode::kBadValue, StrCat("changeStreamOptions: ", text));
}

// {preAndPostImages: {expireAfterSeconds: 'off' or a number above 0}}
absl::StatusOr<bson::Document> ReadChangeStreamOptions(bson::View value) {
  const ValueView images = value.Find("preAndPostImages");
  for (const bson::Element& element : value) {
    if (element.key != "preAndPostImages") return BadImages(StrCat("unknown field ", element.key));
  }
  if (!images.IsDocument()) return BadImages("preAndPostImages must be a document");
  const ValueView lifetime = images.AsDocument().Find("expireAfterSeconds");
  bson::Builder result;
  result.OpenDocument("preAndPostImages");
  if (lifetime.IsString() && lifetime.AsString() == "off") {
    result.String("expireAfterSeconds", "off");
  } else if (lifetime.IsNumber() && bson::ToInt64Rounded(lifetime) > 0) {
    result.Int64("expireAfterSeconds", bson::ToInt64Rounded(lifetime));
  } else {
    return BadImages("expireAfterSeconds must be 'off' or a number above 0");
  }
  result.Close();
  return result.Finish();
}

constexpr ClusterField kInProgress[] = {{"inProgress", false}};
constexpr ClusterField kLifetime[] = {{"expireAfterSeconds", int64_t{3600}, 1}};
constexpr ClusterField kNearest[] = {{"mustAlwaysUseNearest", false}};
constexpr ClusterField kReadOperations[] = {{"readOperations", int64_t{0}, 0}};
constexpr ClusterField kCompaction[] = {
    {"maxCompactionSize", int64_t{268'435'456}, 0},
    {"maxAnchorCompactionSize", int64_t{268'435'456}, 0},
    {"maxESCEntriesPerCompactionDelete", int64_t{350'000}, 1},
};
constexpr ClusterField kEnabled[] = {{"enabled", false}};
constexpr ClusterField kShouldDisable[] = {{"shouldDisable", false}};
constexpr ClusterField kSampleCutoff[] = {{"sampleCutoff", 0.05, 0}};
constexpr ClusterField kSearchOptions[] = {
    {"oversubscriptionFactor", 1.064, 1},
    {"batchSizeGrowthFactor", 1.5, 1},
};
constexpr ClusterField kTwoOrMoreShards[] = {{"hasTwoOrMoreShards", false}};

constexpr ClusterParameterRow kRows[] = {
    {"addOrRemoveShardInProgress", "Of sharded clusters; without effect.", kInProgress},
    {"changeStreamOptions",
     "How long images of documents before their changes live; none are stored here.",
     {},
     "{\"preAndPostImages\": {\"expireAfterSeconds\": \"off\"}}",
     ReadChangeStreamOptions},
    {"changeStreams", "How long change collections of tenants live; without effect.", kLifetime},
    {"configServerReadPreferenceForCatalogQueries", "Of sharded clusters; without effect.",
     kNearest},
    {"defaultMaxTimeMS", "The time limit of reading commands that bring none; 0: none.",
     kReadOperations},
    {"fleCompactionOptions", "Limits of compactStructuredEncryptionData; without effect.",
     kCompaction},
    {"fleDisableSubstringPreviewParameterLimits",
     "Lifts limits of encrypted substring queries; without effect.", kShouldDisable},
    {"internalQueryCutoffForSampleFromRandomCursor", "How $sample reads; without effect.",
     kSampleCutoff},
    {"internalSearchOptions", "Of search indexes; without effect.", kSearchOptions},
    {"pauseMigrationsDuringMultiUpdates", "Of sharded clusters; without effect.", kEnabled},
    {"shardedClusterCardinalityForDirectConns", "Of sharded clusters; without effect.",
     kTwoOrMoreShards},
};
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));

void AppendDefault(const ClusterField& field, bson::Builder* out) {
  if (const auto* flag = std::get_if<bool>(&field.by_default)) out->Bool(field.name, *flag);
  if (const auto* whole = std::get_if<int64_t>(&field.by_default)) out->Int64(field.name, *whole);
  if (const auto* real = std::get_if<double>(&field.by_default)) out->Double(field.name, *real);
}

absl::Status AppendGiven(std::string_view parameter, const ClusterField& field, ValueView value,
                         bson::Builder* out) {
  if (std::holds_alternative<bool>(field.by_default)) {
    if (!value.IsBool()) return WrongTypeError(parameter, field.name, value.type(), "bool");
    out->Bool(field.name, value.AsBool());
    return absl::OkStatus();
  }
  if (!value.IsNumber()) {
    return WrongTypeError(parameter, field.name, value.type(), "[long, int, decimal, double]");
  }
  const bool whole = std::holds_alternative<int64_t>(field.by_default);
  const double number =
      whole ? static_cast<double>(bson::ToInt64Rounded(value)) : bson::ToDouble(value);
  if (!(number >= field.min)) {
    return Error(ErrorCode::kBadValue, StrCat("BSON field '", field.name, "' value must be >= ",
                                              field.min, ", actual value '", number, "'"));
  }
  if (whole) {
    out->Int64(field.name, bson::ToInt64Rounded(value));
  } else {
    out->Double(field.name, number);
  }
  return absl::OkStatus();
}

}  // namespace

std::span<const ClusterParameterRow> ClusterParameterRows() { return kRows; }

const ClusterParameterRow* FindClusterParameter(std::string_view name) {
  for (const ClusterParameterRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bson::Document DefaultOf(const ClusterParameterRow& row) {
  if (!row.by_default.empty()) return *bson::ParseJson(row.by_default);
  bson::Builder value;
  for (const ClusterField& field : row.fields) AppendDefault(field, &value);
  return value.Finish();
}

absl::StatusOr<bson::Document> ReadClusterParameter(const ClusterParameterRow& row,
                                                    bson::View given) {
  for (const bson::Element& element : given) {
    if (element.key.starts_with("$")) {
      return Error(ErrorCode::kDollarPrefixedFieldName,
                   StrCat("The dollar ($) prefixed field '", element.key,
                          "' is not allowed in a cluster parameter"));
    }
  }
  if (row.read != nullptr) return row.read(given);
  for (const bson::Element& element : given) {
    const bool known = std::any_of(row.fields.begin(), row.fields.end(),
                                   [&](const auto& field) { return field.name == element.key; });
    if (known) continue;
    return Error(ErrorCode::kIDLUnknownField,
                 StrCat("BSON field '", row.name, ".", element.key, "' is an unknown field."));
  }
  bson::Builder value;
  for (const ClusterField& field : row.fields) {
    const ValueView own = given.Find(field.name);
    if (own.IsNullish()) {
      AppendDefault(field, &value);
    } else {
      MAYFLY_RETURN_IF_ERROR(AppendGiven(row.name, field, own, &value));
    }
  }
  return value.Finish();
}

}  // namespace mayfly::commands

// $geoNear: documents by their distance from a point. Needs a geospatial index on the field, which
// also says which field that is.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "bson/number.h"
#include "engine/aggregate/set_path.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/geo/geometry.h"
#include "engine/query/near.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::Value;
using bson::ValueView;

// Deeper fields could not be stored.
constexpr size_t kMaxOutputDepth = 199;
constexpr size_t kMaxKeyDepth = 180;
// Points of a 2d index.
constexpr double kPlaneLimit = 180;

struct GeoNearSpec {
  ExpressionPtr near;
  ExpressionPtr least;  // may be null, as the next
  ExpressionPtr greatest;
  bool spherical = false;
  double multiplier = 1;
  std::string key;                         // empty: the only index's
  std::vector<std::string> distance_path;  // empty: not wanted
  std::vector<std::string> location_path;  // empty: not wanted
  FilterPtr query;
  Namespace ns;
};

class GeoNearStream final : public StageStream {
 public:
  GeoNearStream(std::unique_ptr<Stream> source, const GeoNearSpec& spec, const Runtime& runtime,
                std::unique_ptr<Near> near)
      : StageStream(std::move(source)),
        spec_(spec),
        runtime_(runtime),
        near_(std::move(near)),
        match_(*runtime.evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (!filled_) MAYFLY_RETURN_IF_ERROR(Fill());
    if (next_ >= rows_.size()) return false;
    *row = std::move(rows_[next_++]);
    bson::Document document = row->TakeDocument();
    if (!spec_.distance_path.empty()) {
      document = WithPath(document, spec_.distance_path, Value::Double(*row->near_distance));
    }
    if (!spec_.location_path.empty()) {
      document = WithPath(document, spec_.location_path, row->near_point);
    }
    row->Own(std::move(document));
    return true;
  }

 private:
  absl::Status Fill() {
    int64_t bytes = 0;
    while (true) {
      Row row;
      MAYFLY_ASSIGN_OR_RETURN(const bool more, source().Next(&row));
      if (!more) break;
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
      const auto place = near_->Nearest(row.doc());
      if (!place.has_value() || !near_->IsInRange(place->distance)) continue;
      if (spec_.query != nullptr) {
        MAYFLY_ASSIGN_OR_RETURN(const bool matches, spec_.query->Matches(row.doc(), match_));
        if (!matches) continue;
      }
      row.near_distance = place->distance;
      row.near_point = Value(place->value);
      row.MakeOwned();
      bytes += row.doc().size() + sizeof(Row);
      MAYFLY_RETURN_IF_ERROR(CheckMemory(runtime_, bytes, "$geoNear"));
      rows_.push_back(std::move(row));
    }
    DropSource();
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return *a.near_distance < *b.near_distance;
    });
    for (Row& row : rows_) *row.near_distance *= spec_.multiplier;
    filled_ = true;
    return absl::OkStatus();
  }

  const GeoNearSpec& spec_;
  const Runtime& runtime_;
  std::unique_ptr<Near> near_;
  MatchContext match_;
  std::vector<Row> rows_;
  bool filled_ = false;
  size_t next_ = 0;
};

absl::StatusOr<double> EvaluateDistance(const Expression& expression, std::string_view name,
                                        Frame& frame) {
  MAYFLY_ASSIGN_OR_RETURN(const Value value, expression.Evaluate(frame));
  if (!value.view().IsNumber()) {
    return Error(ErrorCode::kTypeMismatch, StrCat("$geoNear ", name, " must be a number"));
  }
  const double distance = bson::ToDouble(value);
  if (!(distance >= 0)) {
    return Error(ErrorCode::kBadValue, StrCat("$geoNear ", name, " must be nonnegative"));
  }
  return distance;
}

absl::StatusOr<NearArguments> EvaluateArguments(const GeoNearSpec& spec, const Runtime& runtime) {
  constexpr int kMaxLegacyElements = 3;
  Frame frame(*runtime.evaluation);
  NearArguments arguments;
  MAYFLY_ASSIGN_OR_RETURN(const Value near, spec.near->Evaluate(frame));
  if (!near.view().IsContainer()) {
    return Error(5860401,
                 StrCat("$geoNear requires near argument to be a GeoJSON object or an array, "
                        "but it is of type ",
                        bson::TypeName(near.view().type())));
  }
  if (near.view().IsArray() && near.view().AsDocument().Count() > kMaxLegacyElements) {
    return Error(ErrorCode::kBadValue, "Point must only contain two numeric elements");
  }
  MAYFLY_ASSIGN_OR_RETURN(const geo::Geometry center, ParseNearPoint(near));
  arguments.center = center.point();
  if (!center.IsLegacyPoint()) {
    arguments.surface = NearSurface::kSphere;
  } else if (spec.spherical) {
    arguments.surface = NearSurface::kLegacySphere;
    if (!geo::IsLongitudeLatitude(arguments.center)) {
      return Error(ErrorCode::kBadValue, "Legacy point is out of bounds for spherical query");
    }
  }
  if (spec.least != nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(arguments.least, EvaluateDistance(*spec.least, "minDistance", frame));
  }
  if (spec.greatest != nullptr) {
    MAYFLY_ASSIGN_OR_RETURN(arguments.greatest,
                            EvaluateDistance(*spec.greatest, "maxDistance", frame));
  }
  return arguments;
}

absl::Status NoSuchIndex() {
  return Error(ErrorCode::kNoQueryExecutionPlans, "unable to find index for $geoNear query");
}

// The field: that of the key, or of the only 2d index, or of the only 2dsphere index.
absl::StatusOr<std::string> ChooseField(const GeoNearSpec& spec, NearSurface surface,
                                        const std::vector<PipelineHost::GeoIndex>& indexes) {
  std::string field = spec.key;
  for (const bool sphere : {false, true}) {
    if (!field.empty()) break;
    const auto of_kind = [&](const PipelineHost::GeoIndex& index) {
      return index.sphere == sphere;
    };
    const auto count = std::count_if(indexes.begin(), indexes.end(), of_kind);
    if (count > 1) {
      return Error(ErrorCode::kIndexNotFound,
                   StrCat("There is more than one ", sphere ? "2dsphere" : "2d",
                          " index on the collection; unsure which to use for $geoNear"));
    }
    if (count == 1) field = std::find_if(indexes.begin(), indexes.end(), of_kind)->path;
  }
  if (field.empty()) {
    return Error(ErrorCode::kIndexNotFound,
                 "$geoNear requires a 2d or 2dsphere index, but none were found");
  }
  const bool served = std::any_of(indexes.begin(), indexes.end(), [&](const auto& index) {
    if (index.path != field) return false;
    return surface == NearSurface::kLegacySphere ||
           index.sphere == (surface == NearSurface::kSphere);
  });
  if (!served) return NoSuchIndex();
  return field;
}

class GeoNearStage final : public Stage {
 public:
  GeoNearStage(const StageRow& row, GeoNearSpec spec) : Stage(row), spec_(std::move(spec)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    if (runtime.host == nullptr) return Error(ErrorCode::kInternalError, "$geoNear needs a host");
    MAYFLY_ASSIGN_OR_RETURN(const NearArguments arguments, EvaluateArguments(spec_, runtime));
    MAYFLY_ASSIGN_OR_RETURN(const auto indexes, runtime.host->GeoIndexes(spec_.ns));
    MAYFLY_ASSIGN_OR_RETURN(const std::string field,
                            ChooseField(spec_, arguments.surface, indexes));
    const bool on_plane =
        std::abs(arguments.center.x) <= kPlaneLimit && std::abs(arguments.center.y) <= kPlaneLimit;
    if (arguments.surface == NearSurface::kPlane && !on_plane) {
      return Error(16433, "point not in interval of [ -180, 180 ]");
    }
    return std::make_unique<GeoNearStream>(std::move(source), spec_, runtime,
                                           MakeNear(field, arguments));
  }
  bool IsNear() const override { return true; }
  Fields AddDependencies(Dependencies* out) const override {
    out->whole_document = true;
    return Fields::kNeedsAll;
  }

 private:
  const GeoNearSpec spec_;
};

absl::StatusOr<ExpressionPtr> ParseConstant(const bson::Element& option, int code,
                                            const PipelineContext& context) {
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression,
                          ParseExpression(option.value, context.expressions));
  Dependencies reads;
  expression->AddDependencies(&reads);
  if (reads.whole_document || !reads.paths.empty()) {
    return Error(code, StrCat("$geoNear requires a constant ", option.key, " argument"));
  }
  return expression;
}

absl::StatusOr<std::vector<std::string>> ParseOutputPath(const bson::Element& option, int code) {
  if (!option.value.IsString()) {
    return Error(code, StrCat("$geoNear requires that the '", option.key, "' option is a String"));
  }
  MAYFLY_ASSIGN_OR_RETURN(auto path, ParseFieldPath(option.value.AsString()));
  if (path.size() > kMaxOutputDepth) {
    return Error(5984700, StrCat("$geoNear ", option.key, " is nested too deeply"));
  }
  return path;
}

absl::Status ParseKey(const bson::Element& option, GeoNearSpec* spec) {
  if (!option.value.IsString()) {
    return Error(ErrorCode::kTypeMismatch, "$geoNear parameter 'key' must be of type string");
  }
  if (option.value.AsString().empty()) {
    return Error(ErrorCode::kBadValue, "$geoNear parameter 'key' cannot be the empty string");
  }
  MAYFLY_ASSIGN_OR_RETURN(const auto path, ParseFieldPath(option.value.AsString()));
  if (path.size() > kMaxKeyDepth) return Error(5729100, "$geoNear key is nested too deeply");
  spec->key = std::string(option.value.AsString());
  return absl::OkStatus();
}

absl::Status ParseMultiplier(ValueView value, GeoNearSpec* spec) {
  if (!value.IsNumber()) {
    return Error(ErrorCode::kTypeMismatch, "$geoNear requires a number for distanceMultiplier");
  }
  spec->multiplier = bson::ToDouble(value);
  if (spec->multiplier >= 0) return absl::OkStatus();
  return Error(ErrorCode::kBadValue, "$geoNear distanceMultiplier must be nonnegative");
}

absl::Status ParseQuery(ValueView value, const PipelineContext& context, GeoNearSpec* spec) {
  if (!value.IsDocument()) {
    return Error(ErrorCode::kTypeMismatch, "$geoNear query must be an object");
  }
  FilterParseContext filter;
  filter.strings = context.expressions.evaluation->strings;
  filter.variables = context.expressions.variables;
  filter.evaluation = context.expressions.evaluation;
  filter.features.near = false;
  filter.features.text_search = false;
  filter.features.where = false;
  MAYFLY_ASSIGN_OR_RETURN(spec->query, ParseFilter(value.AsDocument(), filter));
  return absl::OkStatus();
}

absl::Status ParseOption(const bson::Element& option, const PipelineContext& context,
                         GeoNearSpec* spec) {
  if (option.key == "near") {
    MAYFLY_ASSIGN_OR_RETURN(spec->near, ParseConstant(option, 5860402, context));
  } else if (option.key == "distanceField") {
    MAYFLY_ASSIGN_OR_RETURN(spec->distance_path, ParseOutputPath(option, 16606));
  } else if (option.key == "includeLocs") {
    MAYFLY_ASSIGN_OR_RETURN(spec->location_path, ParseOutputPath(option, 16607));
  } else if (option.key == "minDistance") {
    MAYFLY_ASSIGN_OR_RETURN(spec->least, ParseConstant(option, 7555701, context));
  } else if (option.key == "maxDistance") {
    MAYFLY_ASSIGN_OR_RETURN(spec->greatest, ParseConstant(option, 7555702, context));
  } else if (option.key == "spherical") {
    spec->spherical = IsTrue(option.value);
  } else if (option.key == "key") {
    return ParseKey(option, spec);
  } else if (option.key == "distanceMultiplier") {
    return ParseMultiplier(option.value, spec);
  } else if (option.key == "query") {
    return ParseQuery(option.value, context, spec);
  } else if (option.key != "uniqueDocs") {
    return Error(ErrorCode::kBadValue, StrCat("Unknown argument to $geoNear: ", option.key));
  }
  return absl::OkStatus();
}

absl::Status ParseGeoNear(ValueView operand, const StageRow& row, const PipelineContext& context,
                          std::vector<StagePtr>* out) {
  if (!operand.IsContainer()) {
    return Error(10065, "invalid parameter: expected an object ($geoNear)");
  }
  if (!operand.AsDocument().Has("near")) {
    return Error(5860400, "$geoNear requires a 'near' argument");
  }
  GeoNearSpec spec;
  spec.ns = context.ns;
  for (const bson::Element& option : operand.AsDocument()) {
    MAYFLY_RETURN_IF_ERROR(ParseOption(option, context, &spec));
  }
  out->push_back(std::make_unique<GeoNearStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kGeoNearRow = {.name = "$geoNear",
                              .parse = ParseGeoNear,
                              .help = "documents by distance; needs a geospatial index",
                              .position = StagePosition::kFirst,
                              .in_facet = false};

}  // namespace mayfly::engine

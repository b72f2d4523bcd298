// $near and $nearSphere with their distances.
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"
#include "engine/query/near.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

// Errors of distances beside a legacy point.
constexpr int kMinIsNoNumber = 16893;
constexpr int kMinIsNegative = 16894;
constexpr int kMaxIsNoNumber = 16895;
constexpr int kMaxIsNegative = 16896;
constexpr int kLegacyOutOfBounds = 17444;
constexpr int kEmbeddedMaxIsNegative = 18522;
constexpr int kStrayArgument = 34413;

absl::Status Bad(std::string_view text) { return Error(ErrorCode::kBadValue, text); }

bool IsNearName(std::string_view name) {
  return name == "$near" || name == "$nearSphere" || name == "$geoNear";
}

class NearNode final : public PathNode, public Near {
 public:
  NearNode(std::string_view path, const NearArguments& arguments, bson::View operators)
      : PathNode(FilterKind::kNear, path),
        places_(path),
        arguments_(arguments),
        operators_(operators) {}

  absl::StatusOr<bool> Matches(bson::View document, MatchContext&) const override {
    const std::optional<Place> place = Nearest(document);
    return place.has_value() && IsInRange(place->distance);
  }
  void SerializeOperator(bson::Builder* out) const override { out->AppendAll(operators_.view()); }
  bool DependsOnCollation() const override { return false; }

  std::string_view near_path() const override { return path(); }
  NearSurface surface() const override { return arguments_.surface; }

  std::optional<Place> Nearest(bson::View document) const override {
    std::optional<Place> nearest;
    VisitPath(places_, document, LeafArray::kTraverse, [&](ValueView value, int64_t) {
      const std::optional<double> distance = DistanceOf(value);
      if (distance.has_value() && (!nearest.has_value() || *distance < nearest->distance)) {
        nearest = Place{*distance, value};
      }
      return false;
    });
    return nearest;
  }
  bool IsInRange(double distance) const override {
    return distance >= arguments_.least && distance <= arguments_.greatest;
  }

 private:
  bool Test(ValueView value, MatchContext&) const override {
    const std::optional<double> distance = DistanceOf(value);
    return distance.has_value() && IsInRange(*distance);
  }

  std::optional<double> DistanceOf(ValueView value) const {
    if (!value.IsContainer()) return std::nullopt;
    const absl::StatusOr<geo::Geometry> stored = geo::Geometry::FromStored(value);
    if (!stored.ok() || stored->IsStrict()) return std::nullopt;
    switch (arguments_.surface) {
      case NearSurface::kPlane:
        return stored->DistanceOnPlane(arguments_.center);
      case NearSurface::kLegacySphere: {
        // By way of metres, as MongoDB: the last digit shows it.
        const std::optional<double> metres = Metres(*stored);
        return metres.has_value() ? std::optional(*metres / geo::kEarthRadiusMetres) : std::nullopt;
      }
      case NearSurface::kSphere:
        return Metres(*stored);
    }
    return std::nullopt;
  }

  std::optional<double> Metres(const geo::Geometry& stored) const {
    const std::optional<double> radians = stored.DistanceRadians(arguments_.center);
    return radians.has_value() ? std::optional(*radians * geo::kEarthRadiusMetres) : std::nullopt;
  }

  Path places_;
  NearArguments arguments_;
  bson::Document operators_;
};

struct DistanceErrors {
  int no_number;
  int negative;
};

absl::StatusOr<double> ParseDistance(const bson::Element& element, const DistanceErrors& errors) {
  if (!element.value.IsNumber()) {
    return Error(errors.no_number, StrCat(element.key, " must be a number"));
  }
  const double distance = bson::ToDouble(element.value);
  if (!(distance >= 0)) {
    return Error(errors.negative, StrCat(element.key, " must be non-negative"));
  }
  return distance;
}

// {$near: [x, y], $maxDistance: ..., $minDistance: ...}, {$near: [x, y, max]}. nullopt if the
// operand is no point, and so may be of the other form.
absl::StatusOr<std::optional<NearArguments>> ParseLegacy(const FilterOperator& op) {
  NearArguments arguments;
  std::optional<geo::PlanePoint> center;
  bool is_geojson = false;
  if (auto point = geo::Geometry::FromPoint(op.operand); point.ok()) {
    center = point->point();
    is_geojson = !point->IsLegacyPoint();
  }
  for (const bson::Element& element : op.siblings) {
    if (IsNearName(element.key)) {
      if (element.key != op.name) return Bad("Too many geoNear expressions");
    } else if (element.key == "$minDistance") {
      MAYFLY_ASSIGN_OR_RETURN(arguments.least,
                              ParseDistance(element, {kMinIsNoNumber, kMinIsNegative}));
    } else if (element.key == "$maxDistance") {
      MAYFLY_ASSIGN_OR_RETURN(arguments.greatest,
                              ParseDistance(element, {kMaxIsNoNumber, kMaxIsNegative}));
    } else if (element.key != "$uniqueDocs") {
      return Error(kStrayArgument, StrCat("invalid argument in geo near query: ", element.key));
    }
  }
  if (!center.has_value()) return std::optional<NearArguments>();
  arguments.center = *center;
  if (is_geojson) {
    arguments.surface = NearSurface::kSphere;
    return std::optional(arguments);
  }
  // A third number is the greatest distance.
  auto third = op.operand.AsDocument().begin();
  ++third;
  ++third;
  if (third != op.operand.AsDocument().end()) {
    const ValueView value = (*third).value;
    if (!value.IsNumber() || op.operand.AsDocument().Count() > 3) {
      return Bad("Point must only contain two numeric elements");
    }
    arguments.greatest = bson::ToDouble(value);
    if (!(arguments.greatest >= 0)) {
      return Error(kEmbeddedMaxIsNegative, "max distance must be non-negative");
    }
  }
  if (op.name == "$nearSphere") {
    if (!geo::IsLongitudeLatitude(arguments.center)) {
      return Error(kLegacyOutOfBounds, "Legacy point is out of bounds for spherical query");
    }
    arguments.surface = NearSurface::kLegacySphere;
  }
  return std::optional(arguments);
}

// The point of $geometry.
absl::StatusOr<geo::PlanePoint> ParseCenter(ValueView geometry) {
  if (!geometry.IsDocument()) return Bad("$geometry must be an object");
  if (geometry.AsDocument().First().value.IsNumber()) {
    return Bad(
        StrCat("$near requires geojson point, given ", bson::ToShellText(geometry.AsDocument())));
  }
  MAYFLY_ASSIGN_OR_RETURN(const geo::Geometry point, ParseNearPoint(geometry));
  return point.point();
}

absl::StatusOr<double> ParseFiniteDistance(const bson::Element& element) {
  constexpr int kBadValue = static_cast<int>(ErrorCode::kBadValue);
  MAYFLY_ASSIGN_OR_RETURN(const double distance, ParseDistance(element, {kBadValue, kBadValue}));
  if (!std::isfinite(distance)) return Bad(StrCat(element.key, " must be finite"));
  return distance;
}

// {$near: {$geometry: ..., $minDistance: ..., $maxDistance: ...}}
absl::StatusOr<NearArguments> ParseGeoJson(const FilterOperator& op) {
  NearArguments arguments;
  arguments.surface = NearSurface::kSphere;
  if (op.siblings.Count() > 1) {
    return Bad("geo near accepts just one argument when querying for a GeoJSON point");
  }
  if (!op.operand.IsContainer()) return Bad("geo near query argument is not an object");
  bool has_geometry = false;
  for (const bson::Element& element : op.operand.AsDocument()) {
    if (element.key == "$geometry") {
      MAYFLY_ASSIGN_OR_RETURN(arguments.center, ParseCenter(element.value));
      has_geometry = true;
    } else if (element.key == "$minDistance") {
      MAYFLY_ASSIGN_OR_RETURN(arguments.least, ParseFiniteDistance(element));
    } else if (element.key == "$maxDistance") {
      MAYFLY_ASSIGN_OR_RETURN(arguments.greatest, ParseFiniteDistance(element));
    } else {
      return Bad(StrCat("invalid argument in geo near query: ", element.key));
    }
  }
  if (!has_geometry) return Bad("$near requires a point");
  return arguments;
}

absl::Status ParseNear(const FilterOperator& op, std::vector<FilterPtr>* out) {
  if (!op.parser.context().features.near) {
    return Error(5626500, "$geoNear, $near, and $nearSphere are not allowed in this context");
  }
  if (op.siblings.First().key != op.name) {
    return Bad(StrCat("near must be first in: ", bson::ToShellText(op.siblings)));
  }
  MAYFLY_ASSIGN_OR_RETURN(std::optional<NearArguments> arguments, ParseLegacy(op));
  if (!arguments.has_value()) {
    MAYFLY_ASSIGN_OR_RETURN(arguments, ParseGeoJson(op));
  }
  out->push_back(std::make_unique<NearNode>(op.path, *arguments, op.siblings));
  return absl::OkStatus();
}

// Read by $near, which must stand before it.
absl::Status ParseDistanceBesideNear(const FilterOperator& op, std::vector<FilterPtr>*) {
  if (IsNearName(op.siblings.First().key)) return absl::OkStatus();
  return Bad(StrCat("unknown operator: ", op.name));
}

// The nodes below `node` that are $near, and whether one of them is below anything but $and.
void Count(const FilterNode& node, bool at_top, int* count, bool* misplaced) {
  if (node.kind() == FilterKind::kNear) {
    ++*count;
    *misplaced = *misplaced || !at_top;
  }
  const bool top = at_top && node.kind() == FilterKind::kAnd;
  for (const FilterPtr& child : node.children()) Count(*child, top, count, misplaced);
}

constexpr FilterRow kRows[] = {
    {"$near", ParseNear, nullptr, "The nearest places to a point first; needs a geo index."},
    {"$nearSphere", ParseNear, nullptr, "The same with distances on the sphere."},
    {"$geoNear", ParseNear, nullptr, "Old name of $near."},
    {"$minDistance", ParseDistanceBesideNear, nullptr, "With $near: not nearer than this."},
    {"$maxDistance", ParseDistanceBesideNear, nullptr, "With $near: not farther than this."},
    {"$uniqueDocs", ParseDistanceBesideNear, nullptr, "With $near: without effect."},
};

}  // namespace

absl::StatusOr<geo::Geometry> ParseNearPoint(ValueView point) {
  const bool is_whole = point.IsArray() || point.AsDocument().Has("type") ||
                        point.AsDocument().First().value.IsNumber();
  if (is_whole) return geo::Geometry::FromPoint(point);
  bson::Builder typed;
  typed.String("type", "Point").AppendAll(point.AsDocument());
  const bson::Document document = typed.Finish();
  return geo::Geometry::FromPoint(bson::Value::FromDocument(document));
}

std::unique_ptr<Near> MakeNear(std::string_view path, const NearArguments& arguments) {
  return std::make_unique<NearNode>(path, arguments, bson::View());
}

const Near* FindNear(const FilterNode& filter) {
  if (filter.kind() == FilterKind::kNear) return &static_cast<const NearNode&>(filter);
  if (filter.kind() != FilterKind::kAnd) return nullptr;
  for (const FilterPtr& child : filter.children()) {
    if (child->kind() == FilterKind::kNear) return &static_cast<const NearNode&>(*child);
  }
  return nullptr;
}

absl::Status CheckNearPlaces(const FilterNode& filter) {
  int count = 0;
  bool misplaced = false;
  Count(filter, true, &count, &misplaced);
  if (count > 1) return Bad("Too many geoNear expressions");
  if (misplaced) return Bad("geoNear must be top-level expr");
  return absl::OkStatus();
}

FilterFamily NearFilters() { return {"near", kRows}; }

}  // namespace mayfly::engine

// GeoJSON and the legacy shapes, with MongoDB's rules for what is valid.
#include <algorithm>
#include <cmath>
#include <utility>

#include <s2/s2error.h>
#include <s2/s2latlng.h>
#include <s2/s2loop.h>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/geo/shape.h"

namespace mayfly::engine::geo {

using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

namespace {

constexpr std::string_view kCrs84 = "urn:ogc:def:crs:OGC:1.3:CRS84";
constexpr std::string_view kEpsg4326 = "EPSG:4326";
constexpr std::string_view kStrictWinding = "urn:x-mongodb:crs:strictwinding:EPSG:4326";

absl::Status Bad(std::string_view text) { return base::Error(ErrorCode::kBadValue, text); }

enum class Crs { kSphere, kStrictSphere };

absl::StatusOr<Crs> ParseCrs(bson::View geometry) {
  const ValueView crs = geometry.Find("crs");
  if (crs.IsMissing()) return Crs::kSphere;
  if (!crs.IsDocument()) return Bad("GeoJSON CRS must be an object");
  const ValueView type = crs.AsDocument().Find("type");
  if (!type.IsString() || type.AsString() != "name") {
    return Bad("GeoJSON CRS must have field \"type\": \"name\"");
  }
  const ValueView properties = crs.AsDocument().Find("properties");
  if (!properties.IsDocument()) return Bad("CRS must have field \"properties\" which is an object");
  const ValueView name = properties.AsDocument().Find("name");
  if (!name.IsString()) return Bad("In CRS, \"properties.name\" must be a string");
  if (name.AsString() == kCrs84 || name.AsString() == kEpsg4326) return Crs::kSphere;
  if (name.AsString() == kStrictWinding) return Crs::kStrictSphere;
  return Bad(StrCat("Unknown CRS name: ", name.AsString()));
}

absl::StatusOr<PlanePoint> ParseCoordinate(ValueView value) {
  MAYFLY_ASSIGN_OR_RETURN(const PlanePoint point, ParsePlanePoint(value, More::kAllowed));
  if (!IsLongitudeLatitude(point)) {
    return Bad(StrCat("longitude/latitude is out of bounds, lng: ", std::to_string(point.x),
                      " lat: ", std::to_string(point.y)));
  }
  return point;
}

absl::StatusOr<std::vector<S2Point>> ParseCoordinates(ValueView value) {
  if (!value.IsArray()) return Bad("GeoJSON coordinates must be an array of coordinates");
  std::vector<S2Point> points;
  for (const bson::Element& element : value.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(const PlanePoint point, ParseCoordinate(element.value));
    points.push_back(ToS2Point(point));
  }
  return points;
}

void EraseRepeated(std::vector<S2Point>* points) {
  points->erase(std::unique(points->begin(), points->end()), points->end());
}

absl::StatusOr<std::unique_ptr<S2Polyline>> ParseLine(ValueView coordinates) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<S2Point> points, ParseCoordinates(coordinates));
  EraseRepeated(&points);
  if (points.size() < 2) return Bad("GeoJSON LineString must have at least 2 vertices");
  auto line = std::make_unique<S2Polyline>(points, S2Debug::DISABLE);
  S2Error error;
  if (line->FindValidationError(&error)) {
    return Bad(StrCat("GeoJSON LineString is not valid: ", error.text()));
  }
  return line;
}

absl::StatusOr<std::unique_ptr<S2Loop>> ParseLoop(ValueView ring) {
  MAYFLY_ASSIGN_OR_RETURN(std::vector<S2Point> points, ParseCoordinates(ring));
  if (points.empty()) return Bad("Loop has no vertices");
  if (points.front() != points.back())
    return Bad("Loop is not closed, first vertex does not equal last vertex");
  EraseRepeated(&points);
  points.pop_back();
  if (points.size() < 3) {
    return Bad(StrCat("Loop must have at least 3 different vertices, ", points.size(),
                      " unique vertices were provided"));
  }
  auto loop = std::make_unique<S2Loop>(points, S2Debug::DISABLE);
  S2Error error;
  if (loop->FindValidationError(&error)) return Bad(StrCat("Loop is not valid: ", error.text()));
  return loop;
}

absl::StatusOr<std::unique_ptr<S2Polygon>> ParsePolygon(ValueView coordinates, Crs crs) {
  if (!coordinates.IsArray()) return Bad("Polygon coordinates must be an array");
  std::vector<std::unique_ptr<S2Loop>> loops;
  for (const bson::Element& ring : coordinates.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<S2Loop> loop, ParseLoop(ring.value));
    // Without strict winding order a ring means the smaller of its two sides.
    if (crs == Crs::kSphere) loop->Normalize();
    if (!loops.empty() && !loops.front()->Contains(*loop)) {
      return Bad(
          "Secondary loops not contained by first exterior loop - secondary loops must be holes");
    }
    loops.push_back(std::move(loop));
  }
  if (loops.empty()) return Bad("Polygon has no loops.");
  if (crs == Crs::kStrictSphere && loops.size() > 1) {
    return Bad("Only one simple loop is allowed in a big polygon");
  }
  auto polygon = std::make_unique<S2Polygon>();
  polygon->set_s2debug_override(S2Debug::DISABLE);
  polygon->InitNested(std::move(loops));
  S2Error error;
  if (polygon->FindValidationError(&error)) {
    return Bad(StrCat("Polygon isn't valid: ", error.text()));
  }
  return polygon;
}

absl::StatusOr<double> ParseRadius(ValueView value) {
  if (!value.IsNumber()) return Bad("radius must be a non-negative number");
  const double radius = bson::ToDouble(value);
  if (!(radius >= 0)) return Bad("radius must be a non-negative number");
  return radius;
}

// [center, radius]
struct CenterAndRadius {
  PlanePoint center;
  double radius = 0;
};

absl::StatusOr<CenterAndRadius> ParseCenter(ValueView operand) {
  if (!operand.IsContainer()) return Bad("circular region must be an array or object");
  auto it = operand.AsDocument().begin();
  const auto end = operand.AsDocument().end();
  if (it == end) return Bad("Point must be an array or object");
  CenterAndRadius result;
  MAYFLY_ASSIGN_OR_RETURN(result.center, ParsePlanePoint((*it).value, More::kRefused));
  ++it;
  if (it == end) return Bad("radius must be a non-negative number");
  MAYFLY_ASSIGN_OR_RETURN(result.radius, ParseRadius((*it).value));
  ++it;
  if (it != end) return Bad("Only 2 fields allowed for circular region");
  return result;
}

absl::StatusOr<std::vector<PlanePoint>> ParsePlanePoints(ValueView operand) {
  if (!operand.IsContainer()) return Bad("shape must be an array or object of points");
  std::vector<PlanePoint> points;
  for (const bson::Element& element : operand.AsDocument()) {
    MAYFLY_ASSIGN_OR_RETURN(const PlanePoint point, ParsePlanePoint(element.value, More::kRefused));
    points.push_back(point);
  }
  return points;
}

bool LooksLikeLegacyPoint(ValueView value) {
  return value.IsArray() || value.AsDocument().First().value.IsNumber();
}

}  // namespace

S2Point ToS2Point(PlanePoint point) {
  return S2LatLng::FromDegrees(point.y, point.x).Normalized().ToPoint();
}

bool IsLongitudeLatitude(PlanePoint point) {
  return std::abs(point.x) <= 180 && std::abs(point.y) <= 90;
}

absl::StatusOr<PlanePoint> ParsePlanePoint(ValueView value, More more) {
  if (!value.IsContainer()) return Bad("Point must be an array or object");
  PlanePoint point;
  int count = 0;
  for (const bson::Element& element : value.AsDocument()) {
    if (count == 2) {
      if (more == More::kAllowed) break;
      return Bad("Point must only contain two numeric elements");
    }
    if (!element.value.IsNumber()) return Bad("Point must only contain numeric elements");
    (count == 0 ? point.x : point.y) = bson::ToDouble(element.value);
    ++count;
  }
  if (count < 2) return Bad("Point must contain two numeric elements");
  if (!std::isfinite(point.x) || !std::isfinite(point.y)) {
    return Bad("Point coordinates must be finite numbers");
  }
  return point;
}

// Builds one Shape from documents.
class GeometryParser {
 public:
  static absl::StatusOr<Geometry> Legacy(ValueView value, More more) {
    Geometry result;
    MAYFLY_ASSIGN_OR_RETURN(const PlanePoint point, ParsePlanePoint(value, more));
    result.shape_->point = point;
    result.shape_->legacy_point = true;
    if (IsLongitudeLatitude(point)) result.shape_->points.push_back(ToS2Point(point));
    return result;
  }

  static absl::StatusOr<Geometry> GeoJson(bson::View document) {
    Geometry result;
    const ValueView type = document.Find("type");
    if (!type.IsString()) {
      return Bad(StrCat("unknown GeoJSON type: ", bson::ToShellText(document)));
    }
    if (type.AsString() == "GeometryCollection") {
      MAYFLY_RETURN_IF_ERROR(AddCollection(document, result.shape_.get()));
    } else {
      MAYFLY_RETURN_IF_ERROR(Add(type.AsString(), document, result.shape_.get()));
    }
    return result;
  }

  static absl::StatusOr<Geometry> PlaneShape(std::string_view name, ValueView operand) {
    Geometry result;
    Geometry::Shape& shape = *result.shape_;
    if (name == "$box") {
      MAYFLY_ASSIGN_OR_RETURN(const auto corners, ParsePlanePoints(operand));
      if (corners.size() < 2) return Bad("Box must have two corners");
      const auto [low_x, high_x] = std::minmax(corners[0].x, corners[1].x);
      const auto [low_y, high_y] = std::minmax(corners[0].y, corners[1].y);
      shape.box = Box{{low_x, low_y}, {high_x, high_y}};
    } else if (name == "$center") {
      MAYFLY_ASSIGN_OR_RETURN(const CenterAndRadius circle, ParseCenter(operand));
      shape.circle = Circle{circle.center, circle.radius};
    } else {
      MAYFLY_ASSIGN_OR_RETURN(shape.plane_polygon, ParsePlanePoints(operand));
      if (shape.plane_polygon.size() < 3) return Bad("Polygon must have at least 3 points");
    }
    return result;
  }

  static absl::StatusOr<Geometry> Cap(ValueView operand) {
    Geometry result;
    MAYFLY_ASSIGN_OR_RETURN(const CenterAndRadius circle, ParseCenter(operand));
    if (!IsLongitudeLatitude(circle.center)) {
      return Bad(StrCat("Spherical circle center must be a valid longitude and latitude"));
    }
    result.shape_->cap =
        S2Cap(ToS2Point(circle.center), S1Angle::Radians(std::min(circle.radius, M_PI)));
    return result;
  }

 private:
  static absl::Status AddCollection(bson::View document, Geometry::Shape* shape) {
    const ValueView geometries = document.Find("geometries");
    if (!geometries.IsArray()) return Bad("GeometryCollection geometries must be an array");
    if (geometries.AsDocument().empty()) {
      return Bad("GeometryCollection geometries must have at least 1 element");
    }
    for (const bson::Element& element : geometries.AsDocument()) {
      if (!element.value.IsDocument()) {
        return Bad(StrCat("Element ", element.key, " of \"geometries\" is not an object"));
      }
      const bson::View part = element.value.AsDocument();
      const ValueView type = part.Find("type");
      if (!type.IsString()) return Bad("GeometryCollection element has no type");
      if (type.AsString() == "GeometryCollection") {
        return Bad("GeometryCollections cannot be nested");
      }
      MAYFLY_RETURN_IF_ERROR(Add(type.AsString(), part, shape));
    }
    // A collection is no point, though it may hold a single one.
    shape->point.reset();
    return absl::OkStatus();
  }

  static absl::Status Add(std::string_view type, bson::View document, Geometry::Shape* shape) {
    const ValueView coordinates = document.Find("coordinates");
    MAYFLY_ASSIGN_OR_RETURN(const Crs crs, ParseCrs(document));
    if (crs == Crs::kStrictSphere) {
      if (type != "Polygon") return Bad("Strict winding order is only supported by polygon");
      shape->strict = true;
    }
    if (type == "Point") {
      MAYFLY_ASSIGN_OR_RETURN(shape->point, ParseCoordinate(coordinates));
      shape->points.push_back(ToS2Point(*shape->point));
      return absl::OkStatus();
    }
    if (type == "LineString") return AddLine(coordinates, shape);
    if (type == "Polygon") return AddPolygon(coordinates, crs, shape);
    return AddMultiple(type, coordinates, shape);
  }

  static absl::Status AddLine(ValueView coordinates, Geometry::Shape* shape) {
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<S2Polyline> line, ParseLine(coordinates));
    shape->lines.push_back(std::move(line));
    return absl::OkStatus();
  }

  static absl::Status AddPolygon(ValueView coordinates, Crs crs, Geometry::Shape* shape) {
    MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<S2Polygon> polygon, ParsePolygon(coordinates, crs));
    shape->polygons.push_back(std::move(polygon));
    return absl::OkStatus();
  }

  static absl::Status AddMultiple(std::string_view type, ValueView coordinates,
                                  Geometry::Shape* shape) {
    const bool known = type == "MultiPoint" || type == "MultiLineString" || type == "MultiPolygon";
    if (!known) return Bad(StrCat("unknown GeoJSON type: ", type));
    if (!coordinates.IsArray()) return Bad(StrCat(type, " coordinates must be an array"));
    if (coordinates.AsDocument().empty()) {
      return Bad(StrCat(type, " coordinates must have at least 1 element"));
    }
    for (const bson::Element& element : coordinates.AsDocument()) {
      if (type == "MultiPoint") {
        MAYFLY_ASSIGN_OR_RETURN(const PlanePoint point, ParseCoordinate(element.value));
        shape->points.push_back(ToS2Point(point));
      } else if (type == "MultiLineString") {
        MAYFLY_RETURN_IF_ERROR(AddLine(element.value, shape));
      } else {
        MAYFLY_RETURN_IF_ERROR(AddPolygon(element.value, Crs::kSphere, shape));
      }
    }
    return absl::OkStatus();
  }
};

absl::StatusOr<Geometry> Geometry::FromStored(ValueView value) {
  if (!value.IsContainer()) return Bad("geo element must be an array or object");
  if (LooksLikeLegacyPoint(value)) return GeometryParser::Legacy(value, More::kAllowed);
  return GeometryParser::GeoJson(value.AsDocument());
}

absl::StatusOr<Geometry> Geometry::FromGeoJson(ValueView value) {
  if (!value.IsContainer()) return Bad("$geometry must be an object");
  if (LooksLikeLegacyPoint(value)) return GeometryParser::Legacy(value, More::kRefused);
  return GeometryParser::GeoJson(value.AsDocument());
}

absl::StatusOr<Geometry> Geometry::FromShape(const bson::Element& shape) {
  if (shape.key == "$geometry") return FromGeoJson(shape.value);
  if (shape.key == "$centerSphere") return GeometryParser::Cap(shape.value);
  if (shape.key == "$box" || shape.key == "$center" || shape.key == "$polygon") {
    return GeometryParser::PlaneShape(shape.key, shape.value);
  }
  return Bad(StrCat("unknown geo specifier: ", shape.key));
}

absl::StatusOr<Geometry> Geometry::FromPoint(ValueView value) {
  if (!value.IsContainer()) return Bad("Point must be an array or object");
  if (LooksLikeLegacyPoint(value)) return GeometryParser::Legacy(value, More::kAllowed);
  MAYFLY_ASSIGN_OR_RETURN(Geometry geometry, GeometryParser::GeoJson(value.AsDocument()));
  if (!geometry.IsPoint()) return Bad("geometry must be a Point");
  return geometry;
}

}  // namespace mayfly::engine::geo

// Shapes on a plane and on a sphere, as MongoDB's geospatial operators know them. The only folder
// that uses S2.
//
// Legacy points and the shapes $box, $center and $polygon lie on a plane; GeoJSON and $centerSphere
// on a sphere of longitudes and latitudes. A point may be seen as either, everything else as one.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/view.h"

namespace mayfly::engine::geo {

struct PlanePoint {
  double x = 0;  // the longitude of a GeoJSON point
  double y = 0;
};

// Radius that distances on the sphere are computed with, in metres.
inline constexpr double kEarthRadiusMetres = 6378.1 * 1000;

// Immutable; may be used by many threads at once.
class Geometry {
 public:
  Geometry();
  ~Geometry();
  Geometry(Geometry&&) noexcept;
  Geometry& operator=(Geometry&&) noexcept;

  // What a document holds at a path: a GeoJSON object, or a legacy point ([x, y], {any: x, name:
  // y}; more fields are ignored). Error: 2 if it is neither, or is invalid.
  static absl::StatusOr<Geometry> FromStored(bson::ValueView value);
  // The operand of $geometry: GeoJSON, or a legacy point of two numbers. Polygons may have
  // MongoDB's coordinate system of strict winding order. Error: 2.
  static absl::StatusOr<Geometry> FromGeoJson(bson::ValueView value);
  // $geometry, $box, $center, $polygon or $centerSphere with its operand. Error: 2.
  static absl::StatusOr<Geometry> FromShape(const bson::Element& shape);
  // A point: GeoJSON or legacy. Error: 2.
  static absl::StatusOr<Geometry> FromPoint(bson::ValueView value);

  bool IsPoint() const;
  // Nothing but a point of a plane that is no GeoJSON.
  bool IsLegacyPoint() const;
  // Of a plane, and so a question about planes.
  bool IsFlat() const;
  // A polygon with strict winding order may cover more than a hemisphere; as a stored value it
  // matches nothing.
  bool IsStrict() const;
  // Whether it has an inside that other geometries may be within.
  bool HasInside() const;
  // Whether it can be seen as lying on the sphere.
  bool FitsSphere() const;
  // Of a point.
  PlanePoint point() const;

  // Whether all of `other` lies within. False if they cannot be compared.
  bool Contains(const Geometry& other) const;
  // Whether they have a point in common, on the sphere.
  bool Intersects(const Geometry& other) const;
  // From a point to the nearest place of this geometry. nullopt if it cannot be told.
  std::optional<double> DistanceRadians(PlanePoint from) const;
  std::optional<double> DistanceOnPlane(PlanePoint from) const;

 private:
  friend class GeometryParser;
  struct Shape;
  std::unique_ptr<Shape> shape_;
};

// Whether a longitude and a latitude are on the globe.
bool IsLongitudeLatitude(PlanePoint point);

// Two numbers at the front of an array or a document. Error: 2. `more`: what comes behind them.
enum class More { kAllowed, kRefused };
absl::StatusOr<PlanePoint> ParsePlanePoint(bson::ValueView value, More more);

}  // namespace mayfly::engine::geo

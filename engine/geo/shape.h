// What a Geometry consists of; for this folder.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <s2/s2cap.h>
#include <s2/s2point.h>
#include <s2/s2polygon.h>
#include <s2/s2polyline.h>

#include "engine/geo/geometry.h"

namespace mayfly::engine::geo {

struct Box {
  PlanePoint low;
  PlanePoint high;
};

struct Circle {
  PlanePoint center;
  double radius = 0;
};

// The parts of a sphere's geometry, multiple ones and collections taken apart; or one shape of the
// plane. A single point has both its place on the plane and, if that is on the globe, on the
// sphere.
struct Geometry::Shape {
  bool strict = false;
  std::optional<PlanePoint> point;
  bool legacy_point = false;

  std::vector<S2Point> points;
  std::vector<std::unique_ptr<S2Polyline>> lines;
  std::vector<std::unique_ptr<S2Polygon>> polygons;
  std::optional<S2Cap> cap;

  std::optional<Box> box;
  std::optional<Circle> circle;
  std::vector<PlanePoint> plane_polygon;

  bool IsPlane() const { return box.has_value() || circle.has_value() || !plane_polygon.empty(); }
};

S2Point ToS2Point(PlanePoint point);

}  // namespace mayfly::engine::geo

// Relations between geometries and distances to them.
#include "engine/geo/geometry.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <s2/s2cell.h>
#include <s2/s2edge_distances.h>

#include "engine/geo/shape.h"

namespace mayfly::engine::geo {
namespace {

constexpr double kLineToleranceDegrees = 1e-10;

bool IsInBox(const Box& box, PlanePoint p) {
  return p.x >= box.low.x && p.x <= box.high.x && p.y >= box.low.y && p.y <= box.high.y;
}

double PlaneDistance(PlanePoint a, PlanePoint b) {
  const double dx = a.x - b.x;
  const double dy = a.y - b.y;
  return std::sqrt(dx * dx + dy * dy);
}

bool IsOnEdge(PlanePoint a, PlanePoint b, PlanePoint p) {
  if (p.x < std::min(a.x, b.x) || p.x > std::max(a.x, b.x) || p.y < std::min(a.y, b.y) ||
      p.y > std::max(a.y, b.y)) {
    return false;
  }
  return (b.x - a.x) * (p.y - a.y) == (b.y - a.y) * (p.x - a.x);
}

// Edges belong to the polygon; for the rest the edges to the right of the point are counted.
bool IsInPolygon(const std::vector<PlanePoint>& polygon, PlanePoint p) {
  bool inside = false;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const PlanePoint a = polygon[i];
    const PlanePoint b = polygon[(i + 1) % polygon.size()];
    if (IsOnEdge(a, b, p)) return true;
    if (p.y <= std::min(a.y, b.y) || p.y > std::max(a.y, b.y) || p.x > std::max(a.x, b.x)) continue;
    const double crossing = (p.y - a.y) * (b.x - a.x) / (b.y - a.y) + a.x;
    if (p.x <= crossing) inside = !inside;
  }
  return inside;
}

// Edges and vertices count as inside.
bool PolygonHas(const S2Polygon& polygon, const S2Point& point) {
  return polygon.Contains(point) || polygon.MayIntersect(S2Cell(point));
}

bool PolygonHas(const S2Polygon& polygon, const S2Polyline& line) {
  if (polygon.Contains(line)) return true;
  const auto inside = polygon.IntersectWithPolyline(line);
  return inside.size() == 1 &&
         inside.front()->NearlyCovers(line, S1Angle::Degrees(kLineToleranceDegrees));
}

bool PolygonHas(const S2Polygon& polygon, const S2Polygon& other) {
  return polygon.Contains(other) ||
         polygon.ApproxContains(other, S1Angle::Degrees(kLineToleranceDegrees));
}

bool CapHas(const S2Cap& cap, const S2Point& point) { return cap.Contains(point); }

// A cap larger than a hemisphere is not convex: then no edge may come into what it leaves out.
bool CapHas(const S2Cap& cap, const S2Polyline& line) {
  for (int i = 0; i < line.num_vertices(); ++i) {
    if (!cap.Contains(line.vertex(i))) return false;
  }
  if (cap.height() <= 1) return true;
  const S2Point outside = -cap.center();
  const S1Angle radius = S1Angle::Radians(M_PI) - cap.GetRadius();
  for (int i = 0; i + 1 < line.num_vertices(); ++i) {
    if (S2::GetDistance(outside, line.vertex(i), line.vertex(i + 1)) < radius) return false;
  }
  return true;
}

bool CapHas(const S2Cap& cap, const S2Polygon& polygon) {
  if (cap.is_full()) return true;
  const S2Point outside = -cap.center();
  const S1Angle radius = S1Angle::Radians(M_PI) - cap.GetRadius();
  if (polygon.GetDistance(outside) < radius) return false;
  for (int i = 0; i < polygon.num_loops(); ++i) {
    for (int j = 0; j < polygon.loop(i)->num_vertices(); ++j) {
      if (!cap.Contains(polygon.loop(i)->vertex(j))) return false;
    }
  }
  return true;
}

bool Touches(const S2Point& a, const S2Point& b) { return S2CellId(a) == S2CellId(b); }
bool Touches(const S2Polyline& line, const S2Point& point) {
  return line.MayIntersect(S2Cell(point));
}
bool Touches(const S2Polygon& polygon, const S2Point& point) { return PolygonHas(polygon, point); }
bool Touches(const S2Polyline& a, const S2Polyline& b) { return a.Intersects(b); }
bool Touches(const S2Polygon& polygon, const S2Polyline& line) {
  if (polygon.Intersects(line)) return true;
  for (int i = 0; i < line.num_vertices(); ++i) {
    if (PolygonHas(polygon, line.vertex(i))) return true;
  }
  return false;
}
bool Touches(const S2Polygon& a, const S2Polygon& b) { return a.Intersects(b); }

}  // namespace

Geometry::Geometry() : shape_(std::make_unique<Shape>()) {}
Geometry::~Geometry() = default;
Geometry::Geometry(Geometry&&) noexcept = default;
Geometry& Geometry::operator=(Geometry&&) noexcept = default;

bool Geometry::IsPoint() const { return shape_->point.has_value(); }
bool Geometry::IsLegacyPoint() const { return shape_->legacy_point; }
bool Geometry::IsFlat() const { return shape_->IsPlane() || shape_->legacy_point; }
bool Geometry::IsStrict() const { return shape_->strict; }
bool Geometry::HasInside() const {
  return shape_->IsPlane() || shape_->cap.has_value() || !shape_->polygons.empty();
}
bool Geometry::FitsSphere() const {
  return !shape_->IsPlane() && !(shape_->legacy_point && shape_->points.empty());
}
PlanePoint Geometry::point() const { return *shape_->point; }

bool Geometry::Contains(const Geometry& other) const {
  if (shape_->IsPlane()) {
    if (!other.shape_->point.has_value()) return false;
    const PlanePoint p = *other.shape_->point;
    if (shape_->box.has_value()) return IsInBox(*shape_->box, p);
    if (shape_->circle.has_value()) {
      return PlaneDistance(shape_->circle->center, p) <= shape_->circle->radius;
    }
    return IsInPolygon(shape_->plane_polygon, p);
  }
  if (!other.FitsSphere()) return false;
  const auto has = [this](const auto& part) {
    if (shape_->cap.has_value()) return CapHas(*shape_->cap, part);
    return std::any_of(shape_->polygons.begin(), shape_->polygons.end(),
                       [&](const auto& polygon) { return PolygonHas(*polygon, part); });
  };
  const auto has_pointee = [&](const auto& part) { return has(*part); };
  const Shape& parts = *other.shape_;
  return std::all_of(parts.points.begin(), parts.points.end(), has) &&
         std::all_of(parts.lines.begin(), parts.lines.end(), has_pointee) &&
         std::all_of(parts.polygons.begin(), parts.polygons.end(), has_pointee);
}

bool Geometry::Intersects(const Geometry& other) const {
  if (!FitsSphere() || !other.FitsSphere()) return false;
  const Shape& a = *shape_;
  const Shape& b = *other.shape_;
  const auto any = [](const auto& parts, const auto& test) {
    return std::any_of(parts.begin(), parts.end(), test);
  };
  const auto with_points = [&](const Shape& shape, const S2Point& point) {
    return any(shape.points, [&](const S2Point& p) { return Touches(p, point); }) ||
           any(shape.lines, [&](const auto& line) { return Touches(*line, point); }) ||
           any(shape.polygons, [&](const auto& polygon) { return Touches(*polygon, point); });
  };
  const auto with_polygons = [&](const Shape& shape, const S2Polyline& line) {
    return any(shape.polygons, [&](const auto& polygon) { return Touches(*polygon, line); });
  };
  if (any(b.points, [&](const S2Point& point) { return with_points(a, point); })) return true;
  if (any(a.points, [&](const S2Point& point) { return with_points(b, point); })) return true;
  if (any(b.lines, [&](const auto& line) { return with_polygons(a, *line); })) return true;
  if (any(a.lines, [&](const auto& line) { return with_polygons(b, *line); })) return true;
  const auto crosses = [&](const auto& line) {
    return any(b.lines, [&](const auto& l) { return Touches(*l, *line); });
  };
  const auto overlaps = [&](const auto& polygon) {
    return any(b.polygons, [&](const auto& p) { return Touches(*p, *polygon); });
  };
  return any(a.lines, crosses) || any(a.polygons, overlaps);
}

std::optional<double> Geometry::DistanceRadians(PlanePoint from) const {
  if (!FitsSphere() || !IsLongitudeLatitude(from)) return std::nullopt;
  const S2Point start = ToS2Point(from);
  std::optional<double> nearest;
  const auto consider = [&](S1Angle angle) {
    if (!nearest.has_value() || angle.radians() < *nearest) nearest = angle.radians();
  };
  for (const S2Point& point : shape_->points) consider(S1Angle(start, point));
  for (const auto& line : shape_->lines) {
    int next_vertex = 0;
    consider(S1Angle(start, line->Project(start, &next_vertex)));
  }
  for (const auto& polygon : shape_->polygons) consider(polygon->GetDistance(start));
  return nearest;
}

std::optional<double> Geometry::DistanceOnPlane(PlanePoint from) const {
  if (!shape_->point.has_value()) return std::nullopt;
  return PlaneDistance(*shape_->point, from);
}

}  // namespace mayfly::engine::geo

// $near and $nearSphere: documents in the order of their distance from a point. The node in the
// filter matches what is between the least and the greatest distance; the order is made by who runs
// the query.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/geo/geometry.h"
#include "engine/query/filter.h"

namespace mayfly::engine {

// What distances are measured on, and which kind of index the query needs.
enum class NearSurface : uint8_t {
  kPlane,         // a legacy point and $near: needs a 2d index
  kSphere,        // a GeoJSON point: metres, needs a 2dsphere index
  kLegacySphere,  // a legacy point and $nearSphere: radians, either kind
};

struct NearArguments {
  geo::PlanePoint center;
  NearSurface surface = NearSurface::kPlane;
  double least = 0;
  double greatest = std::numeric_limits<double>::infinity();
};

class Near {
 public:
  // The value at the path that is nearest to the point, which views into the document.
  struct Place {
    double distance = 0;
    bson::ValueView value;
  };

  virtual ~Near() = default;
  virtual std::string_view near_path() const = 0;
  virtual NearSurface surface() const = 0;
  // In the surface's unit; nullopt if there is no geometry at the path.
  virtual std::optional<Place> Nearest(bson::View document) const = 0;
  virtual bool IsInRange(double distance) const = 0;
};

// The point of a document or an array, where {coordinates: ...} without a type is a point's too.
absl::StatusOr<geo::Geometry> ParseNearPoint(bson::ValueView point);

// Outside of filters: for $geoNear.
std::unique_ptr<Near> MakeNear(std::string_view path, const NearArguments& arguments);

// The filter's one $near, or null.
const Near* FindNear(const FilterNode& filter);

// $near must stand at the top of the filter, once. Error: 2.
absl::Status CheckNearPlaces(const FilterNode& filter);

}  // namespace mayfly::engine

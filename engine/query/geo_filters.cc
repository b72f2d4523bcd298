// $geoWithin and $geoIntersects: places inside an area or touching a geometry.
#include <memory>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "engine/geo/geometry.h"
#include "engine/query/filter_families.h"
#include "engine/query/filter_nodes.h"

namespace mayfly::engine {
namespace {

using base::ErrorCode;
using base::StrCat;
using bson::ValueView;

absl::Status Bad(std::string_view text) { return base::Error(ErrorCode::kBadValue, text); }

enum class Relation { kWithin, kIntersects };

class GeoNode final : public PathNode {
 public:
  GeoNode(std::string_view path, Relation relation, geo::Geometry area, bson::View operand)
      : PathNode(FilterKind::kGeo, path),
        relation_(relation),
        area_(std::move(area)),
        operand_(operand) {}

  void SerializeOperator(bson::Builder* out) const override {
    out->Document(relation_ == Relation::kWithin ? "$geoWithin" : "$geoIntersects",
                  operand_.view());
  }
  bool DependsOnCollation() const override { return false; }

 private:
  bool Test(ValueView value, MatchContext&) const override {
    if (!value.IsContainer()) return false;
    const absl::StatusOr<geo::Geometry> stored = geo::Geometry::FromStored(value);
    if (!stored.ok() || stored->IsStrict()) return false;
    return relation_ == Relation::kWithin ? area_.Contains(*stored) : area_.Intersects(*stored);
  }

  Relation relation_;
  geo::Geometry area_;
  bson::Document operand_;
};

absl::StatusOr<geo::Geometry> ParseArea(const FilterOperator& op) {
  // The operator must be alone in its document.
  if (op.siblings.Count() > 1) {
    return Bad(StrCat("can't parse extra field beside ", op.name));
  }
  if (!op.operand.IsContainer()) return Bad(StrCat(op.name, " needs an object"));
  std::optional<geo::Geometry> area;
  for (const bson::Element& element : op.operand.AsDocument()) {
    if (element.key == "$uniqueDocs") continue;
    if (area.has_value()) return Bad(StrCat("can't parse extra field: ", element.key));
    MAYFLY_ASSIGN_OR_RETURN(area, geo::Geometry::FromShape(element));
  }
  if (!area.has_value()) return Bad("geometry needed for a geo query");
  return *std::move(area);
}

absl::Status ParseWithin(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(geo::Geometry area, ParseArea(op));
  if (!area.HasInside()) {
    return Bad(StrCat("$within not supported with provided geometry: ", op.name));
  }
  out->push_back(std::make_unique<GeoNode>(op.path, Relation::kWithin, std::move(area),
                                           op.operand.AsDocument()));
  return absl::OkStatus();
}

absl::Status ParseIntersects(const FilterOperator& op, std::vector<FilterPtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(geo::Geometry area, ParseArea(op));
  if (!area.FitsSphere()) {
    return Bad(StrCat("$geoIntersect not supported with provided geometry: ", op.name));
  }
  out->push_back(std::make_unique<GeoNode>(op.path, Relation::kIntersects, std::move(area),
                                           op.operand.AsDocument()));
  return absl::OkStatus();
}

constexpr FilterRow kRows[] = {
    {"$geoWithin", ParseWithin, nullptr, "The place lies wholly inside an area."},
    {"$within", ParseWithin, nullptr, "Old name of $geoWithin."},
    {"$geoIntersects", ParseIntersects, nullptr, "The place touches a geometry on the sphere."},
};

}  // namespace

FilterFamily GeoFilters() { return {"geospatial", kRows}; }

}  // namespace mayfly::engine

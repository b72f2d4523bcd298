#include "engine/geo/geometry.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/shell_notation.h"

namespace mayfly::engine::geo {
namespace {

bson::Document Parse(std::string_view text) {
  auto document = test::ParseShell(text);
  EXPECT_TRUE(document.ok()) << document.status().message() << text;
  return document.ok() ? *std::move(document) : bson::Document();
}

absl::StatusOr<Geometry> Stored(std::string_view value) {
  const bson::Document holder = Parse("{v: " + std::string(value) + "}");
  return Geometry::FromStored(holder.Find("v"));
}

absl::StatusOr<Geometry> Shape(std::string_view shape) {
  const bson::Document holder = Parse("{" + std::string(shape) + "}");
  return Geometry::FromShape(holder.view().First());
}

constexpr std::string_view kSquare =
    "$geometry: {type: 'Polygon', coordinates: [[[-10, -10], [10, -10], [10, 10], [-10, 10], [-10, "
    "-10]]]}";
constexpr std::string_view kClockwiseStrict =
    "$geometry: {type: 'Polygon', coordinates: [[[-10, -10], [-10, 10], [10, 10], [10, -10], [-10, "
    "-10]]], "
    "crs: {type: 'name', properties: {name: 'urn:x-mongodb:crs:strictwinding:EPSG:4326'}}}";

TEST(Geometry, InvalidShapesAreRefused) {
  for (const std::string_view shape : {
           "$geometry: {type: 'Point', coordinates: [181, 0]}",
           "$geometry: {type: 'Point', coordinates: [0]}",
           "$geometry: {type: 'Point'}",
           "$geometry: {type: 'Place', coordinates: [0, 0]}",
           "$geometry: {x: 1, y: 2, z: 3}",
           "$geometry: {type: 'LineString', coordinates: [[1, 1], [1, 1]]}",
           "$geometry: {type: 'Polygon', coordinates: []}",
           "$geometry: {type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 1]]]}",
           "$geometry: {type: 'Polygon', coordinates: [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]}",
           "$geometry: {type: 'GeometryCollection', geometries: []}",
           "$geometry: {type: 'Point', coordinates: [0, 0], crs: {type: 'name', properties: "
           "{name: 'urn:x-mongodb:crs:strictwinding:EPSG:4326'}}}",
           "$box: [[0, 0]]",
           "$box: [[0, 0], ['a', 1]]",
           "$center: [[0, 0], -1]",
           "$center: [[0, 0], 1, 2]",
           "$centerSphere: [[0, 91], 1]",
           "$polygon: [[0, 0], [1, 1]]",
           "$circle: [[0, 0], 1]",
       }) {
    EXPECT_FALSE(Shape(shape).ok()) << shape;
  }
}

struct Relation {
  std::string_view shape;
  std::string_view stored;
  bool contains;
  bool intersects;
};

class GeometryRelation : public testing::TestWithParam<Relation> {};

TEST_P(GeometryRelation, IsAsOnTheMap) {
  const auto shape = Shape(GetParam().shape);
  const auto stored = Stored(GetParam().stored);
  ASSERT_TRUE(shape.ok()) << shape.status().message();
  ASSERT_TRUE(stored.ok()) << stored.status().message();
  EXPECT_EQ(shape->Contains(*stored), GetParam().contains)
      << GetParam().shape << " and " << GetParam().stored;
  EXPECT_EQ(shape->Intersects(*stored), GetParam().intersects)
      << GetParam().shape << " and " << GetParam().stored;
}

constexpr Relation kRelations[] = {
    {kSquare, "[1, 2]", true, true},
    {kSquare, "{x: 1, y: 2, name: 'more'}", true, true},
    {kSquare, "[500, 2]", false, false},
    {kSquare, "{type: 'Point', coordinates: [10, 10]}", true, true},
    {kSquare, "{type: 'Point', coordinates: [50, 50]}", false, false},
    {kSquare, "{type: 'LineString', coordinates: [[0, 0], [5, 5]]}", true, true},
    {kSquare, "{type: 'LineString', coordinates: [[0, 0], [50, 50]]}", false, true},
    {kSquare, "{type: 'MultiPoint', coordinates: [[0, 0], [50, 50]]}", false, true},
    {kSquare, "{type: 'GeometryCollection', geometries: [{type: 'Point', coordinates: [1, 1]}]}",
     true, true},
    {kClockwiseStrict, "{type: 'Point', coordinates: [0, 0]}", false, false},
    {kClockwiseStrict, "{type: 'Point', coordinates: [50, 50]}", true, true},
    {"$box: [[10, 10], [0, 0]]", "[5, 10]", true, false},
    {"$box: [[0, 0], [10, 10]]", "[5, 11]", false, false},
    {"$box: [[0, 0], [10, 10]]", "{type: 'LineString', coordinates: [[1, 1], [2, 2]]}", false,
     false},
    {"$center: [[0, 0], 5]", "[3, 4]", true, false},
    {"$center: [[0, 0], 5]", "[3, 4.1]", false, false},
    {"$polygon: [[0, 0], [10, 0], [10, 10], [0, 10]]", "[5, 5]", true, false},
    {"$polygon: [[0, 0], [10, 0], [10, 10], [0, 10]]", "[15, 5]", false, false},
    {"$polygon: [[0, 0], [10, 0], [10, 10], [0, 10]]", "[5, 0]", true, false},
    {"$polygon: [[1, 1], [1, 1], [1, 1]]", "[1, 1]", true, false},
    {"$box: [[0, 0], [9, 9], [50, 50]]", "[20, 20]", false, false},
    {"$geometry: {type: 'LineString', coordinates: [[-1, 1], [1, -1]]}",
     "{type: 'LineString', coordinates: [[-1, -1], [1, 1]]}", false, true},
};

INSTANTIATE_TEST_SUITE_P(Relations, GeometryRelation, testing::ValuesIn(kRelations));

TEST(Geometry, CapsContainLinesAndPolygons) {
  const auto cap = Shape("$centerSphere: [[0, 0], 0.1]");
  ASSERT_TRUE(cap.ok());
  EXPECT_TRUE(cap->Contains(*Stored("{type: 'LineString', coordinates: [[0, 0], [1, 1]]}")));
  EXPECT_FALSE(cap->Contains(*Stored("{type: 'LineString', coordinates: [[0, 0], [20, 0]]}")));
  EXPECT_TRUE(cap->Contains(
      *Stored("{type: 'Polygon', coordinates: [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}")));
  // Beyond a hemisphere: both ends are inside, the edge between them is not.
  const auto large = Shape("$centerSphere: [[0, 0], 3]");
  ASSERT_TRUE(large.ok());
  EXPECT_TRUE(large->Contains(*Stored("{type: 'LineString', coordinates: [[0, 0], [90, 0]]}")));
  EXPECT_FALSE(
      large->Contains(*Stored("{type: 'LineString', coordinates: [[170, 0], [-170, 0]]}")));
}

TEST(Geometry, DistancesAreToTheNearestPlace) {
  const auto line = Stored("{type: 'LineString', coordinates: [[1, -5], [1, 5]]}");
  ASSERT_TRUE(line.ok());
  EXPECT_NEAR(*line->DistanceRadians({0, 0}) * kEarthRadiusMetres, 111'319, 1);
  EXPECT_EQ(line->DistanceOnPlane({0, 0}), std::nullopt);
  EXPECT_EQ(Stored("[3, 4]")->DistanceOnPlane({0, 0}), 5);
  EXPECT_EQ(Stored("[300, 4]")->DistanceRadians({0, 0}), std::nullopt);
}

}  // namespace
}  // namespace mayfly::engine::geo

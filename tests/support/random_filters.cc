#include "tests/support/random_filters.h"

#include <cstdio>
#include <cstdlib>

#include "base/strings.h"

namespace mayfly::test {

using base::StrCat;

namespace {

constexpr int kMaxDepth = 2;
constexpr double kEarthRadiusMetres = 6378100;
// Words of which none is the stem of another, nor part of one.
const std::vector<std::string> kWords = {"apple", "pear", "plum", "cherry", "fig", "melon"};

}  // namespace

uint64_t SeedFromEnvironment() {
  const char* given = std::getenv("MAYFLY_SEED");
  const uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : base::Random::FromSystem().NextU64();
  std::printf("MAYFLY_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

std::string RandomFilters::Scalar() {
  return OneOf({"1",
                "2",
                "3",
                "-1",
                "0",
                "2.5",
                "{$numberLong: '2'}",
                "{$numberDouble: 'NaN'}",
                "{$numberDouble: 'Infinity'}",
                "{$numberDouble: '-0.0'}",
                "null",
                "true",
                "false",
                "'x'",
                "'X'",
                "'xy'",
                "'\u00e9'",
                "''",
                "{$minKey: 1}",
                "{$maxKey: 1}",
                "{$numberDecimal: '2'}",
                "{$numberDecimal: '0.1'}",
                "0.1",
                "{$date: '2020-01-01T00:00:00Z'}",
                "{$oid: '0123456789abcdef01234567'}",
                "{$timestamp: {t: 1, i: 2}}",
                "{$binary: {base64: 'AAE=', subType: '00'}}",
                "{$numberLong: '9007199254740993'}"});
}

std::string RandomFilters::Value(bool arrays) {
  const uint64_t kind = Below(arrays ? 10 : 7);
  if (kind < 5) return Scalar();
  if (kind == 5) return "{}";
  if (kind == 6) return StrCat("{x: ", Scalar(), ", y: ", Scalar(), "}");
  if (kind == 7) return "[]";
  if (kind == 8) return StrCat("[", Scalar(), ", ", Scalar(), "]");
  return StrCat("[{x: ", Scalar(), "}, {x: ", Scalar(), ", y: ", Scalar(), "}, [", Scalar(), "]]");
}

std::string RandomFilters::Document(int id, const Shape& shape) {
  std::string document = StrCat("{_id: ", id);
  for (const char* field : {"a", "b"}) {
    if (Below(5) != 0) document += StrCat(", ", field, ": ", Value(shape.arrays));
  }
  if (shape.points_on_plane) {
    if (Below(8) != 0) document += StrCat(", g: ", Coordinates(180, 90));
  } else if (Below(8) != 0) {
    const uint64_t kind = Below(6);
    if (kind < 4) document += StrCat(", g: ", kind == 0 ? Coordinates(170, 80) : Point());
    if (kind == 4) document += StrCat(", g: ", Polygon(true));
    if (kind == 5) {
      document += StrCat(", g: {type: 'MultiPoint', coordinates: [", Coordinates(170, 80), ", ",
                         Coordinates(170, 80), "]}");
    }
  }
  if (Below(5) != 0) document += StrCat(", t: '", OneOf(kWords), " ", OneOf(kWords), "'");
  return document + "}";
}

std::string RandomFilters::Op(const std::string& name, const std::string& operand) {
  used_.insert(name);
  return StrCat("{", name, ": ", operand, "}");
}

std::string RandomFilters::Comparison() {
  const std::string name = OneOf({"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"});
  return Op(name, name == "$eq" ? Value(true) : name == "$ne" ? Scalar() : Value(false));
}

// What may stand at a field.
std::string RandomFilters::Condition(int depth) {
  switch (Below(depth >= kMaxDepth ? 15 : 18)) {
    case 0:
      return Op(
          "$in",
          StrCat("[", Scalar(), ", ", Value(true), ", ",
                 OneOf({Scalar(), "{$regularExpression: {pattern: '^x', options: ''}}"}), "]"));
    case 1:
      return Op("$nin", StrCat("[", Scalar(), ", ", Scalar(), "]"));
    case 2:
      return Op("$exists", OneOf({"true", "false"}));
    case 3:
      return Op("$type", OneOf({"'number'", "'string'", "'object'", "'array'", "'null'", "'bool'",
                                "'decimal'", "['int', 'string']", "'minKey'", "'timestamp'"}));
    case 4:
      return Op("$regex", OneOf({"'^x'", "'y$'", "'^'", "'^x|^X'",
                                 "{$regularExpression: {pattern: '^x', options: 'i'}}"}));
    case 5:
      used_.insert("$options");
      return StrCat("{$regex: '", OneOf({"^X", "^x", "y"}), "', $options: '", OneOf({"i", "m", ""}),
                    "'}");
    case 6:
      return Op("$mod", OneOf({"[2, 0]", "[3, 1]", "[2, -1]"}));
    case 7:
      return Op("$size", OneOf({"0", "1", "2", "3"}));
    case 8:
      return Op(OneOf({"$bitsAllSet", "$bitsAnySet", "$bitsAllClear", "$bitsAnyClear"}),
                OneOf({"[0]", "[1, 2]", "2", "{$binary: {base64: 'AQ==', subType: '00'}}"}));
    case 9:
      return Op("$all",
                OneOf({StrCat("[", Scalar(), "]"), StrCat("[", Scalar(), ", ", Scalar(), "]"),
                       StrCat("[{$elemMatch: {x: ", Scalar(), "}}]"), "[]"}));
    case 10:
      used_.insert({"$gte", "$lt"});
      return StrCat("{$gte: ", Scalar(), ", $lt: ", Scalar(), "}");
    case 15:
      return Op("$not", OneOf({Condition(depth + 1),
                               "{$regularExpression: {pattern: '^x', options: ''}}"}));
    case 16:
      return Op("$elemMatch", Condition(kMaxDepth));
    case 17:
      return Op("$elemMatch",
                StrCat("{", OneOf({"x", "y", "'0'"}), ": ", Condition(kMaxDepth), "}"));
    default:
      return Comparison();
  }
}

std::string RandomFilters::Schema() {
  return OneOf({StrCat("{properties: {a: {minimum: ", OneOf({"0", "1", "2"}), "}}}"),
                "{required: ['a']}",
                "{properties: {a: {bsonType: 'string'}}, required: ['a', 'b']}",
                StrCat("{properties: {a: {enum: [", Scalar(), ", ", Scalar(), "]}}}"),
                "{properties: {a: {bsonType: 'array', minItems: 2}}}"});
}

// What may stand in the place of a field.
std::string RandomFilters::Whole(int depth) {
  const std::string both = StrCat("[", Filter(depth + 1), ", ", Filter(depth + 1), "]");
  switch (Below(10)) {
    case 0:
      used_.insert("$comment");
      return StrCat("{a: ", Value(true), ", $comment: 'x'}");
    case 1:
      return Op(OneOf({"$alwaysTrue", "$alwaysFalse"}), "1");
    case 2:
      return Op("$jsonSchema", Schema());
    case 3: {
      const std::string name = OneOf({"$eq", "$gt", "$gte", "$lt", "$lte", "$ne"});
      return Op("$expr",
                StrCat("{", name, ": ['$", OneOf({"a", "b", "a.x"}), "', ", Scalar(), "]}"));
    }
    case 4:
      return Op("$nor", both);
    case 5:
    case 6:
      return Op("$or", both);
    default:
      return Op("$and", both);
  }
}

std::string RandomFilters::Filter(int depth) {
  const std::string path = OneOf({"a", "a", "b", "'a.x'", "'a.y'", "'a.0'", "'b.x'"});
  const uint64_t kind = Below(depth >= kMaxDepth ? 4 : 9);
  if (kind < 3) return StrCat("{", path, ": ", Condition(0), "}");
  if (kind == 3) return StrCat("{", path, ": ", Value(true), "}");
  if (kind == 4) return StrCat("{a: ", Condition(1), ", b: ", Condition(1), "}");
  return Whole(depth);
}

std::string RandomFilters::Degrees(int limit) {
  return StrCat(static_cast<int64_t>(Below(2 * limit)) - limit, ".", Below(1000));
}

std::string RandomFilters::Coordinates(int longitude, int latitude) {
  return StrCat("[", Degrees(longitude), ", ", Degrees(latitude), "]");
}

std::string RandomFilters::Point() {
  return StrCat("{type: 'Point', coordinates: ", Coordinates(170, 80), "}");
}

std::string RandomFilters::Polygon(bool geo_json) {
  const int west = static_cast<int>(Below(300)) - 150;
  const int south = static_cast<int>(Below(120)) - 70;
  const int east = west + 1 + static_cast<int>(Below(20));
  const int north = south + 1 + static_cast<int>(Below(15));
  const std::string ring =
      StrCat("[", west, ", ", south, "], [", east, ", ", south, "], [", east, ", ", north, "]");
  if (!geo_json) return StrCat("[", ring, "]");
  return StrCat("{type: 'Polygon', coordinates: [[", ring, ", [", west, ", ", south, "]]]}");
}

// `condition` on `g`, alone or beside others.
std::string RandomFilters::OnPlace(std::string_view condition) {
  if (Below(3) != 0) return StrCat("{g: ", condition, "}");
  return StrCat("{g: ", condition, ", ", OneOf({"a", "b"}), ": ", Condition(1), "}");
}

std::string RandomFilters::SphereFilter() {
  switch (Below(4)) {
    case 0:
      return OnPlace(
          Op("$geoIntersects", StrCat("{$geometry: ", OneOf({Polygon(true), Point()}), "}")));
    case 1:
      return OnPlace(Op("$geoWithin", StrCat("{$centerSphere: [", Coordinates(170, 80), ", 0.",
                                             Below(9), "1]}")));
    case 2:
      return OnPlace(Op("$within", StrCat("{$geometry: ", Polygon(true), "}")));
    default:
      return OnPlace(Op("$geoWithin", StrCat("{$geometry: ", Polygon(true), "}")));
  }
}

std::string RandomFilters::PlaneFilter() {
  switch (Below(4)) {
    case 0:
      return OnPlace(Op("$geoWithin", StrCat("{$box: [", Coordinates(180, 90), ", ",
                                             Coordinates(180, 90), "]}")));
    case 1:
      return OnPlace(
          Op("$geoWithin", StrCat("{$center: [", Coordinates(180, 90), ", ", Below(90), ".5]}")));
    case 2:
      return OnPlace(Op("$geoWithin", StrCat("{$centerSphere: [", Coordinates(170, 80), ", 0.",
                                             Below(9), "1]}")));
    default:
      return OnPlace(Op("$geoWithin", StrCat("{$polygon: ", Polygon(false), "}")));
  }
}

RandomFilters::Pair RandomFilters::NearOnSphere() {
  const std::string centre = Coordinates(170, 80);
  const double radians = 0.05 + static_cast<double>(Below(100)) / 100;
  const std::string name = OneOf({"$near", "$nearSphere"});
  used_.insert({name, "$maxDistance"});
  return {StrCat("{", name, ": {$geometry: {type: 'Point', coordinates: ", centre,
                 "}, $maxDistance: ", radians * kEarthRadiusMetres, "}}"),
          StrCat("{$geoWithin: {$centerSphere: [", centre, ", ", radians, "]}}")};
}

RandomFilters::Pair RandomFilters::NearOnPlane() {
  const std::string centre = Coordinates(180, 90);
  const std::string radius = StrCat(Below(90), ".25");
  const std::string name = OneOf({"$near", "$geoNear"});
  used_.insert({name, "$maxDistance", "$minDistance", "$uniqueDocs"});
  return {StrCat("{", name, ": ", centre, ", $maxDistance: ", radius, ", ",
                 OneOf({"$minDistance: 0", "$uniqueDocs: true"}), "}"),
          StrCat("{$geoWithin: {$center: [", centre, ", ", radius, "]}}")};
}

RandomFilters::Pair RandomFilters::Text() {
  const std::string first = OneOf(kWords);
  const std::string second = OneOf(kWords);
  used_.insert("$text");
  const std::string rest = Below(3) != 0 ? "" : StrCat(", ", OneOf({"a", "b"}), ": ", Condition(1));
  return {StrCat("{$text: {$search: '", first, " ", second, "'}", rest, "}"),
          StrCat("{t: {$regex: '", first, "|", second, "'}", rest, "}")};
}

}  // namespace mayfly::test

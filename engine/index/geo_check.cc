#include "engine/index/geo_check.h"

#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

// GeometryCollections lie inside each other so deep at most.
constexpr int kMaxCollectionDepth = 100;

struct Position {
  double longitude = 0;
  double latitude = 0;
  bool operator==(const Position&) const = default;
};

// The first two elements as numbers.
bool ReadPair(ValueView value, Position* out) {
  if (!value.IsArray() && !value.IsDocument()) return false;
  int read = 0;
  for (const bson::Element& element : value.AsDocument()) {
    if (!element.value.IsNumber()) return false;
    const double number = bson::ToDouble(element.value);
    if (!std::isfinite(number)) return false;
    (read == 0 ? out->longitude : out->latitude) = number;
    if (++read == 2) return true;
  }
  return false;
}

bool IsOnSphere(const Position& position) {
  return std::abs(position.longitude) <= 180 && std::abs(position.latitude) <= 90;
}

bool ReadPosition(ValueView value, Position* out) {
  return value.IsArray() && ReadPair(value, out) && IsOnSphere(*out);
}

bool ReadPositions(ValueView value, std::vector<Position>* out) {
  if (!value.IsArray()) return false;
  for (const bson::Element& element : value.AsDocument()) {
    Position position;
    if (!ReadPosition(element.value, &position)) return false;
    out->push_back(position);
  }
  return true;
}

using Vector = std::array<double, 3>;

Vector ToVector(const Position& position) {
  const double longitude = position.longitude * std::numbers::pi / 180;
  const double latitude = position.latitude * std::numbers::pi / 180;
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
          std::sin(latitude)};
}

double Side(const Vector& a, const Vector& b, const Vector& c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// True if the arcs a-b and c-d cross inside both.
bool Cross(const Vector& a, const Vector& b, const Vector& c, const Vector& d) {
  const double acb = -Side(a, b, c);
  const double bda = Side(a, b, d);
  if (acb * bda <= 0) return false;
  const double cbd = -Side(c, d, b);
  const double dac = Side(c, d, a);
  return acb * cbd > 0 && acb * dac > 0;
}

// A ring is closed, has three different corners and does not cross itself.
bool IsRing(ValueView value) {
  std::vector<Position> positions;
  if (!ReadPositions(value, &positions)) return false;
  if (positions.size() < 4 || positions.front() != positions.back()) return false;
  std::vector<Vector> corners;
  for (const Position& position : positions) corners.push_back(ToVector(position));
  for (size_t i = 0; i + 1 < corners.size(); ++i) {
    for (size_t j = i + 2; j + 1 < corners.size(); ++j) {
      if (Cross(corners[i], corners[i + 1], corners[j], corners[j + 1])) return false;
    }
  }
  return true;
}

template <typename Check>
bool All(ValueView value, const Check& check) {
  if (!value.IsArray() || value.AsDocument().empty()) return false;
  for (const bson::Element& element : value.AsDocument()) {
    if (!check(element.value)) return false;
  }
  return true;
}

bool IsPoint(ValueView value) {
  Position position;
  return ReadPosition(value, &position);
}

bool IsLine(ValueView value) {
  std::vector<Position> positions;
  return ReadPositions(value, &positions) && positions.size() >= 2;
}

bool IsPolygon(ValueView value) { return All(value, IsRing); }
bool ArePoints(ValueView value) { return All(value, IsPoint); }
bool AreLines(ValueView value) { return All(value, IsLine); }
bool ArePolygons(ValueView value) { return All(value, IsPolygon); }

struct GeometryRow {
  std::string_view type;
  bool (*check)(ValueView coordinates);
};

constexpr GeometryRow kGeometries[] = {
    {"Point", IsPoint},        {"LineString", IsLine},        {"Polygon", IsPolygon},
    {"MultiPoint", ArePoints}, {"MultiLineString", AreLines}, {"MultiPolygon", ArePolygons},
};

bool IsGeometry(ValueView value, int depth) {
  if (!value.IsDocument() || depth > kMaxCollectionDepth) return false;
  const ValueView type = value.AsDocument().Find("type");
  if (!type.IsString()) return false;
  if (type.AsString() == "GeometryCollection") {
    return All(value.AsDocument().Find("geometries"),
               [&](ValueView member) { return IsGeometry(member, depth + 1); });
  }
  for (const GeometryRow& row : kGeometries) {
    if (row.type == type.AsString()) return row.check(value.AsDocument().Find("coordinates"));
  }
  return false;
}

absl::Status CheckOnSphere(ValueView value) {
  Position position;
  if (ReadPair(value, &position) && IsOnSphere(position)) return absl::OkStatus();
  if (IsGeometry(value, 0)) return absl::OkStatus();
  return base::Error(
      16755, base::StrCat("Can't extract geo keys: not a geometry: ", bson::ToShellText(value)));
}

absl::Status CheckOnPlane(const IndexSpec& spec, ValueView value) {
  Position position;
  if (!ReadPair(value, &position)) {
    return base::Error(16804, "location object expected, location array not in correct format");
  }
  const auto limit = [&](std::string_view name, double otherwise) {
    const ValueView value = spec.stored.Find(name);
    return value.IsNumber() ? bson::ToDouble(value) : otherwise;
  };
  const double low = limit("min", -180);
  const double high = limit("max", 180);
  const auto inside = [&](double number) { return number >= low && number <= high; };
  if (inside(position.longitude) && inside(position.latitude)) return absl::OkStatus();
  return base::Error(13027, base::StrCat("point not in interval of [ ", low, ", ", high,
                                         " ] :: caused by :: ", bson::ToShellText(value)));
}

absl::Status CheckPlaneField(const IndexSpec& spec, ValueView value) {
  const bool is_list = value.IsArray() && !value.AsDocument().empty() &&
                       !value.AsDocument().First().value.IsNumber();
  if (!is_list) return CheckOnPlane(spec, value);
  for (const bson::Element& point : value.AsDocument()) {
    MAYFLY_RETURN_IF_ERROR(CheckOnPlane(spec, point.value));
  }
  return absl::OkStatus();
}

// The values at the end of the path; arrays on the way are walked through.
void Collect(ValueView value, std::string_view path, int depth, std::vector<ValueView>* out) {
  if (depth > kMaxCollectionDepth) return;
  if (path.empty()) {
    if (!value.IsNullish()) out->push_back(value);
    return;
  }
  if (value.IsArray()) {
    for (const bson::Element& element : value.AsDocument()) {
      if (element.value.IsDocument()) Collect(element.value, path, depth + 1, out);
    }
  } else if (value.IsDocument()) {
    const size_t dot = path.find('.');
    const std::string_view rest =
        dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    Collect(value.AsDocument().Find(path.substr(0, dot)), rest, depth + 1, out);
  }
}

}  // namespace

absl::Status CheckGeometry(const IndexSpec& spec, bson::View document) {
  for (const IndexField& field : spec.fields) {
    if (field.kind != IndexKind::kGeo2d && field.kind != IndexKind::kGeo2dSphere) continue;
    std::vector<ValueView> values;
    Collect(ValueView(bson::Type::kDocument, document.data(), document.size()), field.path, 0,
            &values);
    for (const ValueView value : values) {
      MAYFLY_RETURN_IF_ERROR(field.kind == IndexKind::kGeo2d ? CheckPlaneField(spec, value)
                                                             : CheckOnSphere(value));
    }
  }
  return absl::OkStatus();
}

}  // namespace mayfly::engine

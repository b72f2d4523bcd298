// Random documents and filters over them, written as in a shell: for tests that compare ways to
// answer a query. The same seed gives the same texts.
//
// Documents have _id and may have: `a` and `b` of any type, `g` a place or a shape, `t` words.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"

namespace mayfly::test {

// MAYFLY_SEED from the environment, or a new one; printed, so that a run can be repeated.
uint64_t SeedFromEnvironment();

class RandomFilters {
 public:
  explicit RandomFilters(uint64_t seed) : random_(seed) {}

  struct Shape {
    bool arrays = true;            // `a` and `b` may be arrays or hold them
    bool points_on_plane = false;  // `g` is a legacy pair, fit for a 2d index; else GeoJSON, too
  };
  std::string Document(int id, const Shape& shape);

  // A filter over `a` and `b` with any operators but those of places and texts.
  std::string Filter() { return Filter(0); }
  // A filter that has such a condition on `g`: on the sphere, or on the plane.
  std::string SphereFilter();
  std::string PlaneFilter();

  // The same documents, once asked for by distance and once by area: a condition on `g` with $near,
  // $nearSphere or $geoNear, and one with $geoWithin.
  struct Pair {
    std::string special;
    std::string plain;
  };
  Pair NearOnSphere();
  Pair NearOnPlane();
  // The same documents by $text and by $regex: whole filters.
  Pair Text();

  std::string OneOf(const std::vector<std::string>& choices) {
    return choices[random_.Below(choices.size())];
  }
  uint64_t Below(uint64_t n) { return random_.Below(n); }

  // The operators that were written at least once.
  const std::set<std::string, std::less<>>& used() const { return used_; }

 private:
  std::string Scalar();
  std::string Value(bool arrays);
  std::string Op(const std::string& name, const std::string& operand);
  std::string Condition(int depth);
  std::string Comparison();
  std::string Filter(int depth);
  std::string Whole(int depth);
  std::string Schema();
  std::string Degrees(int limit);
  std::string Coordinates(int longitude, int latitude);
  std::string Point();
  std::string Polygon(bool geo_json);
  std::string OnPlace(std::string_view condition);

  base::Random random_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace mayfly::test

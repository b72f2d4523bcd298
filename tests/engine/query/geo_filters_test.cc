// $geoWithin, $geoIntersects, $near as filters: what they match and what they refuse.
#include "engine/query/near.h"

#include "gtest/gtest.h"
#include "tests/engine/query/filter_testing.h"

namespace mayfly::engine {
namespace {

struct Case {
  std::string_view filter;
  std::string_view document;
  int expected;
};

class GeoFilter : public testing::TestWithParam<Case> {};

TEST_P(GeoFilter, AnswersAsMongoDb) {
  EXPECT_EQ(Match(GetParam().filter, GetParam().document), GetParam().expected)
      << GetParam().filter << " on " << GetParam().document;
}

constexpr Case kCases[] = {
    {R"({"a": {"$geoWithin": {"$box": [[0, 0], [9, 9]]}}})", R"({"a": [1, 1]})", 1},
    {R"({"a": {"$within": {"$box": [[0, 0], [9, 9]]}}})", R"({"a": [[20, 20], [1, 1]]})", 1},
    {R"({"a.b": {"$geoWithin": {"$box": [[0, 0], [9, 9]]}}})", R"({"a": [{"b": [1, 1]}]})", 1},
    {R"({"a": {"$geoWithin": {"$box": [[0, 0], [9, 9]]}}})", R"({"a": "here"})", 0},
    {R"({"a": {"$not": {"$geoWithin": {"$box": [[0, 0], [9, 9]]}}}})", R"({"b": 1})", 1},
    {R"({"a": {"$geoIntersects": {"$geometry": [1, 1]}}})",
     R"({"a": {"type": "Point", "coordinates": [1, 1]}})", 1},
    {R"({"a": {"$geoIntersects": {"$geometry": [1, 1]}}})",
     R"({"a": {"type": "Polygon", "coordinates": []}})", 0},
    {R"({"a": {"$near": [0, 0], "$maxDistance": 5}})", R"({"a": [3, 4]})", 1},
    {R"({"a": {"$near": [0, 0], "$maxDistance": 5, "$minDistance": 1}})", R"({"a": [0, 0]})", 0},
    {R"({"a": {"$nearSphere": [0, 0, 0.01]}})", R"({"a": [1, 1]})", 0},
    {R"({"a": {"$near": {"$geometry": {"coordinates": [0, 0]}, "$maxDistance": 112000}}})",
     R"({"a": {"type": "Point", "coordinates": [1, 0]}})", 1},
};

INSTANTIATE_TEST_SUITE_P(Cases, GeoFilter, testing::ValuesIn(kCases));

struct Refusal {
  std::string_view filter;
  int code;
};

class GeoFilterRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(GeoFilterRefusal, HasMongoDbsCode) {
  EXPECT_EQ(Match(GetParam().filter, "{}"), -GetParam().code) << GetParam().filter;
}

constexpr Refusal kRefusals[] = {
    {R"({"a": {"$geoWithin": {}}})", 2},
    {R"({"a": {"$geoWithin": {"$geometry": {"type": "Point", "coordinates": [0, 0]}}}})", 2},
    {R"({"a": {"$geoWithin": {"$box": [[0, 0], [1, 1]], "$center": [[0, 0], 1]}}})", 2},
    {R"({"a": {"$geoWithin": {"$box": [[0, 0], [1, 1]]}, "$eq": 1}})", 2},
    {R"({"a": {"$geoIntersects": {"$box": [[0, 0], [1, 1]]}}})", 2},
    {R"({"a": {"$near": [0]}})", 2},
    {R"({"a": {"$near": [0, 0], "$eq": 1}})", 34413},
    {R"({"a": {"$near": [0, 0], "$minDistance": -1}})", 16894},
    {R"({"a": {"$near": [0, 0], "$maxDistance": "far"}})", 16895},
    {R"({"a": {"$nearSphere": [500, 0]}})", 17444},
    {R"({"a": {"$near": {"$geometry": {"type": "Point", "coordinates": [0, 0]}, "$maxDistance": -1}}})",
     2},
    {R"({"$or": [{"a": {"$near": [0, 0]}}, {"b": 1}]})", 2},
    {R"({"a": {"$not": {"$near": [0, 0]}}})", 2},
    {R"({"a": {"$near": [0, 0]}, "b": {"$near": [0, 0]}})", 2},
    {R"({"a": {"$maxDistance": 1}})", 2},
};

INSTANTIATE_TEST_SUITE_P(Refusals, GeoFilterRefusal, testing::ValuesIn(kRefusals));

}  // namespace
}  // namespace mayfly::engine

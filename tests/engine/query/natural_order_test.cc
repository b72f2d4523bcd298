#include "engine/query/natural_order.h"

#include "gtest/gtest.h"
#include "tests/engine/query/filter_testing.h"

namespace mayfly::engine {
namespace {

TEST(NaturalOrder, StandsAlone) {
  EXPECT_EQ(**NaturalOrder(Json(R"({"$natural": -1})")), -1);
  EXPECT_FALSE(NaturalOrder(Json(R"({"a": 1})"))->has_value());
  EXPECT_FALSE(NaturalOrder(Json(R"({"$natural": 2})")).ok());
}

}  // namespace
}  // namespace mayfly::engine

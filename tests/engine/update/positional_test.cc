#include <gtest/gtest.h>

#include "tests/support/update_testing.h"

namespace mayfly::engine {
namespace {

TEST(PositionalTest, TakesTheIndexThatMatched) {
  EXPECT_EQ(
      Applied({.update = R"({"$set": {"a.$": 9}})", .matched_index = 1}, R"({"a": [1, 2, 3]})"),
      Printed(R"({"a": [1, 9, 3]})"));
  EXPECT_EQ(
      Applied({.update = R"({"$inc": {"a.$.n": 1}, "$set": {"a.0.m": 5}})", .matched_index = 0},
              R"({"a": [{"n": 1}]})"),
      Printed(R"({"a": [{"n": 2, "m": 5}]})"));
  EXPECT_EQ(
      Applied({.update = R"({"$unset": {"a.$": 1}})", .matched_index = 0}, R"({"a": [1, 2]})"),
      Printed(R"({"a": [null, 2]})"));
}

TEST(PositionalTest, WithoutAMatchIsAnError) {
  EXPECT_EQ(Applied({.update = R"({"$set": {"a.$": 9}})"}, R"({"a": [1]})"), "error 2");
  EXPECT_EQ(Applied({.update = R"({"$set": {"a.$": 9}})"}, R"({"a": 5})"), "error 2");
}

TEST(PositionalTest, ConflictsShowWhenApplied) {
  const UpdateCase test{.update = R"({"$set": {"a.$": 9, "a.0": 1}})", .matched_index = 0};
  EXPECT_EQ(Applied(test, R"({"a": [1]})"), "error 40");
}

TEST(AllElementsTest, AppliesToEveryElement) {
  ExpectApplied({
      {R"({"$set": {"a.$[]": 7}})", R"({"a": [1, 2]})", R"({"a": [7, 7]})"},
      {R"({"$inc": {"a.$[].b.$[]": 1}})", R"({"a": [{"b": [1]}, {"b": []}]})",
       R"({"a": [{"b": [2]}, {"b": []}]})"},
      {R"({"$unset": {"a.$[]": 1}})", R"({"a": [1, 2]})", R"({"a": [null, null]})"},
      {R"({"$pull": {"a.$[]": 2}})", R"({"a": [[1, 2], [2]]})", R"({"a": [[1], []]})"},
      {R"({"$set": {"a.$[]": 7}})", R"({"a": []})", "unchanged"},
      {R"({"$unset": {"a.$[]": 7}})", R"({"a": []})", "unchanged"},
      {R"({"$set": {"a.$[]": 7}})", R"({"b": 1})", "error 2"},
      {R"({"$unset": {"a.$[]": 7}})", R"({"b": 1})", "error 2"},
      {R"({"$set": {"a.$[]": 7}})", R"({"a": 5})", "error 2"},
      {R"({"$set": {"a.$[]": 7}})", R"({"a": null})", "error 2"},
      {R"({"$set": {"a.b.$[]": 7}})", R"({"a": {}})", "error 2"},
      {R"({"$set": {"a.b.$[]": 7}})", R"({"a": 1})", "error 2"},
      {R"({"$set": {"a.$[]": 7, "a.0": 1}})", R"({"a": [1]})", "error 40"},
  });
}

TEST(ArrayFiltersTest, ChooseElements) {
  const auto applied = [](std::string_view update, std::vector<std::string> filters,
                          std::string_view document) {
    return Applied({.update = update, .filters = std::move(filters)}, document);
  };
  EXPECT_EQ(applied(R"({"$set": {"a.$[e]": 0}})", {R"({"e": {"$gte": 2}})"}, R"({"a": [1, 2, 3]})"),
            Printed(R"({"a": [1, 0, 0]})"));
  EXPECT_EQ(applied(R"({"$set": {"g.$[e].ok": true}})",
                    {R"({"$or": [{"e.v": {"$lt": 2}}, {"e.t": "x"}]})"},
                    R"({"g": [{"v": 1}, {"v": 5, "t": "x"}, {"v": 5}]})"),
            Printed(R"({"g": [{"v": 1, "ok": true}, {"v": 5, "t": "x", "ok": true}, {"v": 5}]})"));
  EXPECT_EQ(
      applied(R"({"$set": {"a.$[x].m": 9, "a.$[y].n": 9}})", {R"({"x.m": 1})", R"({"y.n": 2})"},
              R"({"a": [{"m": 1, "n": 2}, {"m": 1, "n": 1}]})"),
      Printed(R"({"a": [{"m": 9, "n": 9}, {"m": 9, "n": 1}]})"));
  EXPECT_EQ(applied(R"({"$set": {"a.$[x]": 9, "a.$[y]": 8}})",
                    {R"({"x": 1})", R"({"y": {"$gt": 0}})"}, R"({"a": [1]})"),
            "error 40");
}

TEST(ArrayFiltersTest, BadFiltersAreErrors) {
  const auto applied = [](std::string_view update, std::vector<std::string> filters) {
    return Applied({.update = update, .filters = std::move(filters)}, R"({"a": [1]})");
  };
  EXPECT_EQ(applied(R"({"$set": {"a.$[e]": 0}})", {}), "error 2");
  EXPECT_EQ(applied(R"({"$set": {"a.$[e]": 0}})", {R"({"x": 1})"}), "error 2");
  EXPECT_EQ(applied(R"({"$set": {"a": 0}})", {R"({"x": 1})"}), "error 9");
  EXPECT_EQ(applied(R"({"$set": {}})", {R"({"x": 1})"}), "error 9");
  EXPECT_EQ(applied(R"({"$set": {"a.$[E]": 0}})", {R"({"E": 1})"}), "error 2");
  EXPECT_EQ(applied(R"({"$set": {"a.$[1e]": 0}})", {R"({"1e": 1})"}), "error 2");
  EXPECT_EQ(applied(R"({"$set": {"a.$[e]": 0}})", {R"({"e": 1, "f": 2})"}), "error 9");
  EXPECT_EQ(applied(R"({"$set": {"a.$[e]": 0}})", {R"({"e": 1})", R"({"e": 2})"}), "error 9");
  EXPECT_EQ(applied(R"({"$set": {"a.$[e]": 0}})", {R"({})"}), "error 9");
  EXPECT_EQ(applied(R"({"$set": {"a.$[e]": 0}})", {R"({"e": {"$bad": 1}})"}), "error 2");
}

}  // namespace
}  // namespace mayfly::engine

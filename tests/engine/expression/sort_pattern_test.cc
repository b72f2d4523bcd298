#include "engine/query/sort.h"

#include "gtest/gtest.h"
#include "tests/engine/query/filter_testing.h"

namespace mayfly::engine {
namespace {

int ParseError(std::string_view pattern) {
  return static_cast<int>(base::CodeOf(SortSpec::Parse(Json(pattern), {}).status()));
}

// The key as JSON, or the error code.
std::string Key(std::string_view pattern, std::string_view document) {
  const absl::StatusOr<SortSpec> sort = SortSpec::Parse(Json(pattern), {});
  const absl::StatusOr<bson::Value> key = sort->KeyOf(Json(document));
  if (!key.ok()) return std::to_string(static_cast<int>(base::CodeOf(key.status())));
  return bson::ToShellText(*key);
}

TEST(SortSpec, RefusesWhatMongoDbRefuses) {
  EXPECT_EQ(ParseError(R"({"a": 1, "b.c": -1.9})"), 0);
  EXPECT_EQ(ParseError("{}"), 0);
  EXPECT_EQ(ParseError(R"({"a": "asc"})"), 15974);
  EXPECT_EQ(ParseError(R"({"a": 2})"), 15975);
  EXPECT_EQ(ParseError(R"({"a": {"$foo": 1}})"), 17312);
  EXPECT_EQ(ParseError(R"({"a": {"$meta": "randVal", "x": 1}})"), 9);
  EXPECT_EQ(ParseError(R"({"a": {"$meta": "x"}})"), 31138);
  EXPECT_EQ(ParseError(R"({"a": {"$meta": "textScore"}})"), 40218);
  EXPECT_EQ(ParseError(R"({"": 1})"), 40352);
  EXPECT_EQ(ParseError(R"({"a.": 1})"), 40353);
  EXPECT_EQ(ParseError(R"({"a..b": 1})"), 15998);
  EXPECT_EQ(ParseError(R"({"$a": 1})"), 16410);
}

TEST(SortSpec, KeyTakesTheElementThatSortsFirst) {
  EXPECT_EQ(Key(R"({"a": 1})", R"({"a": [3, 1, 2]})"), "[ 1 ]");
  EXPECT_EQ(Key(R"({"a": -1})", R"({"a": [3, 1, 2]})"), "[ 3 ]");
  EXPECT_EQ(Key(R"({"a": 1})", "{}"), "[ null ]");
  EXPECT_EQ(Key(R"({"a": 1})", R"({"a": []})"), "[ undefined ]");
  EXPECT_EQ(Key(R"({"a": 1})", R"({"a": [[2], [1]]})"), "[ [ 1 ] ]");
  EXPECT_EQ(Key(R"({"a.b": 1})", R"({"a": [{"b": 2}, {"b": [1, 7]}]})"), "[ 1 ]");
  EXPECT_EQ(Key(R"({"a.b": -1})", R"({"a": [{"b": 2}, {"b": [1, 7]}]})"), "[ 7 ]");
  EXPECT_EQ(Key(R"({"a.b": 1})", R"({"a": [{"b": 2}, 5]})"), "[ null ]");
  EXPECT_EQ(Key(R"({"a.0": 1})", R"({"a": [4, 3]})"), "[ 4 ]");
  EXPECT_EQ(Key(R"({"a.b": 1, "a.c": 1})", R"({"a": [{"b": 1, "c": 5}, {"b": 2, "c": 0}]})"),
            "[ 1, 5 ]");
}

TEST(SortSpec, ParallelArraysAreAnError) {
  EXPECT_EQ(Key(R"({"a": 1, "b": 1})", R"({"a": [1], "b": [1]})"), "2");
}

TEST(SortSpec, ComparesInItsDirections) {
  const auto sort = SortSpec::Parse(Json(R"({"a": 1, "b": -1})"), {});
  const bson::Value x = *sort->KeyOf(Json(R"({"a": 1, "b": 1})"));
  const bson::Value y = *sort->KeyOf(Json(R"({"a": 1, "b": 2})"));
  EXPECT_GT(sort->Compare(x, y), 0);
  EXPECT_LT(sort->Compare(y, x), 0);
  EXPECT_EQ(sort->Compare(x, x), 0);
}

TEST(NaturalOrder, StandsAlone) {
  EXPECT_EQ(**NaturalOrder(Json(R"({"$natural": -1})")), -1);
  EXPECT_FALSE(NaturalOrder(Json(R"({"a": 1})"))->has_value());
  EXPECT_FALSE(NaturalOrder(Json(R"({"$natural": 2})")).ok());
}

}  // namespace
}  // namespace mayfly::engine

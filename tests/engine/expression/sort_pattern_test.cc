#include "engine/expression/sort_pattern.h"

#include <string>

#include "base/status.h"
#include "bson/json.h"
#include "gtest/gtest.h"

namespace mayfly::engine {
namespace {

bson::Document Json(std::string_view text) { return *bson::ParseJson(text); }

int ParseError(std::string_view pattern) {
  return static_cast<int>(base::CodeOf(SortPattern::Parse(Json(pattern)).status()));
}

// The key as an array, or the error code.
std::string Key(std::string_view pattern, std::string_view document) {
  const absl::StatusOr<SortPattern> sort = SortPattern::Parse(Json(pattern));
  const absl::StatusOr<std::vector<bson::Value>> key = sort->Key(Json(document), nullptr);
  if (!key.ok()) return std::to_string(static_cast<int>(base::CodeOf(key.status())));
  std::string text;
  for (const bson::Value& value : *key) {
    text += text.empty() ? "[ " : ", ";
    text += bson::ToShellText(value);
  }
  return text + " ]";
}

TEST(SortPattern, RefusesWhatMongoDbRefuses) {
  EXPECT_EQ(ParseError(R"({"a": 1, "b.c": -1.9})"), 0);
  EXPECT_EQ(ParseError("{}"), 15976);
  EXPECT_EQ(ParseError(R"({"a": "asc"})"), 15974);
  EXPECT_EQ(ParseError(R"({"a": 2})"), 15975);
  EXPECT_EQ(ParseError(R"({"a": {"$foo": 1}})"), 17312);
  EXPECT_EQ(ParseError(R"({"a": {"$meta": "randVal", "x": 1}})"), 9);
  EXPECT_EQ(ParseError(R"({"a": {"$meta": "x"}})"), 31138);
  EXPECT_EQ(ParseError(R"({"": 1})"), 40352);
  EXPECT_EQ(ParseError(R"({"a.": 1})"), 40353);
  EXPECT_EQ(ParseError(R"({"a..b": 1})"), 15998);
  EXPECT_EQ(ParseError(R"({"$a": 1})"), 16410);
}

TEST(SortPattern, KeyTakesTheElementThatSortsFirst) {
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

TEST(SortPattern, ParallelArraysAreAnError) {
  EXPECT_EQ(Key(R"({"a": 1, "b": 1})", R"({"a": [1], "b": [1]})"), "2");
}

TEST(SortPattern, ComparesInItsDirections) {
  const auto sort = SortPattern::Parse(Json(R"({"a": 1, "b": -1})"));
  const auto x = *sort->Key(Json(R"({"a": 1, "b": 1})"), nullptr);
  const auto y = *sort->Key(Json(R"({"a": 1, "b": 2})"), nullptr);
  EXPECT_GT(sort->Compare(x, y, nullptr), 0);
  EXPECT_LT(sort->Compare(y, x, nullptr), 0);
  EXPECT_EQ(sort->Compare(x, x, nullptr), 0);
}

}  // namespace
}  // namespace mayfly::engine

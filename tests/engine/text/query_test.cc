#include "engine/text/query.h"

#include <string_view>

#include "gtest/gtest.h"
#include "tests/support/shell_notation.h"

namespace mayfly::engine::text {
namespace {

bson::Document Parse(std::string_view text) { return *test::ParseShell(text); }

std::optional<double> Score(std::string_view search, std::string_view document,
                            std::string_view spec = "{weights: {a: 1}}",
                            const Sensitivity& sensitivity = {}) {
  const auto index = Index::FromSpec(Parse(spec));
  const Query query(search, index->default_language(), sensitivity);
  return query.Score(*index, Parse(document));
}

bool Matches(std::string_view search, std::string_view document,
             const Sensitivity& sensitivity = {}) {
  return Score(search, document, "{weights: {a: 1}}", sensitivity).has_value();
}

TEST(TextQuery, OneWordIsEnough) {
  EXPECT_TRUE(Matches("coffee tea", "{a: 'Tea for two'}"));
  EXPECT_FALSE(Matches("coffee", "{a: 'Tea for two'}"));
  EXPECT_FALSE(Matches("coffee", "{b: 'coffee'}"));
  EXPECT_FALSE(Matches("", "{a: 'coffee'}"));
}

TEST(TextQuery, StemsMeet) {
  EXPECT_TRUE(Matches("running", "{a: 'I run'}"));
  EXPECT_TRUE(Matches("blueberry", "{a: 'blueberries'}"));
  EXPECT_FALSE(Matches("blue", "{a: 'blueberries'}"));
}

TEST(TextQuery, StopWordsSayNothing) {
  EXPECT_FALSE(Matches("the", "{a: 'the fox'}"));
  EXPECT_TRUE(Matches("the fox", "{a: 'the fox'}"));
  EXPECT_TRUE(
      Score("the", "{a: 'the fox'}", "{weights: {a: 1}, default_language: 'none'}").has_value());
}

TEST(TextQuery, PhrasesMustStandThere) {
  EXPECT_TRUE(Matches("\"brown fox\"", "{a: 'a Brown Fox'}"));
  EXPECT_FALSE(Matches("\"brown fox\"", "{a: 'brown dog, fox'}"));
  EXPECT_FALSE(Matches("\"brown fox\" \"red dog\"", "{a: 'a brown fox'}"));
}

TEST(TextQuery, WhatFollowsAMinusMustNot) {
  EXPECT_FALSE(Matches("fox -brown", "{a: 'brown fox'}"));
  EXPECT_TRUE(Matches("fox -brown", "{a: 'red fox'}"));
  EXPECT_FALSE(Matches("-brown", "{a: 'red fox'}"));
  EXPECT_TRUE(Matches("well-known", "{a: 'well done'}"));
  EXPECT_FALSE(Matches("fox -\"brown fox\"", "{a: 'brown fox'}"));
}

TEST(TextQuery, CaseAndAccentsCountWhereAskedFor) {
  EXPECT_TRUE(Matches("cafe", "{a: 'Café'}"));
  EXPECT_FALSE(Matches("cafe", "{a: 'Café'}", {.to_case = true}));
  EXPECT_TRUE(Matches("Cafe", "{a: 'Café'}", {.to_case = true}));
  EXPECT_FALSE(Matches("cafe", "{a: 'Café'}", {.to_diacritics = true}));
  EXPECT_TRUE(Matches("café", "{a: 'Café'}", {.to_diacritics = true}));
}

TEST(TextQuery, FieldsOfTheIndexCount) {
  EXPECT_TRUE(Score("fox", "{a: ['dog', 1, 'fox']}").has_value());
  EXPECT_FALSE(Score("fox", "{a: {b: 'fox'}}").has_value());
  EXPECT_TRUE(Score("fox", "{a: {b: 'fox'}}", "{weights: {'a.b': 1}}").has_value());
  EXPECT_TRUE(Score("fox", "{a: [{b: 'fox'}]}", "{weights: {'$**': 1}}").has_value());
  EXPECT_TRUE(Score("corriendo", "{a: 'me gusta correr', language: 'spanish'}",
                    "{weights: {a: 1}, default_language: 'spanish'}")
                  .has_value());
}

TEST(TextQuery, ScoresFollowWeightsAndDensity) {
  EXPECT_DOUBLE_EQ(*Score("fox", "{a: 'fox'}"), 1.1);
  EXPECT_DOUBLE_EQ(*Score("fox", "{a: 'fox dog'}"), 0.75);
  EXPECT_DOUBLE_EQ(*Score("fox", "{a: 'fox fox'}"), 1.5);
  EXPECT_DOUBLE_EQ(*Score("fox", "{a: 'fox dog'}", "{weights: {a: 10}}"), 7.5);
}

}  // namespace
}  // namespace mayfly::engine::text

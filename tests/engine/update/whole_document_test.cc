// Replacement documents, upserts, limits.
#include <gtest/gtest.h>

#include <string>

#include "base/strings.h"
#include "engine/update/update_operator.h"
#include "tests/support/update_testing.h"

namespace mayfly::engine {
namespace {

TEST(ReplacementTest, KeepsTheIdAndPutsItFirst) {
  ExpectApplied({
      {R"({"x": 1})", R"({"_id": 1, "a": 2})", R"({"_id": 1, "x": 1})"},
      {R"({})", R"({"_id": 1, "a": 2})", R"({"_id": 1})"},
      {R"({"x": 1, "_id": 1})", R"({"_id": 1, "a": 2})", R"({"_id": 1, "x": 1})"},
      {R"({"a": 2})", R"({"_id": 1, "a": 2})", R"({"_id": 1, "a": 2})"},
      {R"({"_id": 1, "a": 2})", R"({"_id": 1, "a": 2})", "unchanged"},
      {R"({"_id": 2, "a": 2})", R"({"_id": 1, "a": 2})", "error 66"},
      {R"({"a": 2, "$set": {"b": 1}})", R"({"_id": 1})", "error 52"},
      {R"({"a": {"$b": 1}})", R"({"_id": 1})", R"({"_id": 1, "a": {"$b": 1}})"},
  });
}

TEST(ReplacementTest, NeitherMultiNorArrayFilters) {
  EXPECT_EQ(Applied({.update = R"({"a": 1})", .multi = true}, R"({"_id": 1})"), "error 9");
  EXPECT_EQ(Applied({.update = R"({"a": 1})", .filters = {R"({"x": 1})"}}, R"({"_id": 1})"),
            "error 9");
}

TEST(ReplacementTest, EmptyTimestampsAtTheTopBecomeNow) {
  constexpr std::string_view kUpdate =
      R"({"t": {"$timestamp": {"t": 0, "i": 0}}, "n": {"t": {"$timestamp": {"t": 0, "i": 0}}}})";
  EXPECT_EQ(
      Applied({.update = kUpdate}, R"({"_id": 1})"),
      Printed(
          R"({"_id": 1, "t": {"$timestamp": {"t": 1700000000, "i": 1}}, "n": {"t": {"$timestamp": {"t": 0, "i": 0}}}})"));
  EXPECT_EQ(
      Applied({.update = kUpdate, .keep_empty_timestamps = true}, R"({"_id": 1})"),
      Printed(
          R"({"_id": 1, "t": {"$timestamp": {"t": 0, "i": 0}}, "n": {"t": {"$timestamp": {"t": 0, "i": 0}}}})"));
}

struct UpsertRow {
  std::string_view update;
  std::string_view filter;
  std::string_view expected;
};

void ExpectUpserted(const std::vector<UpsertRow>& rows) {
  for (const UpsertRow& row : rows) {
    EXPECT_EQ(Upserted({.update = row.update}, row.filter), Printed(row.expected))
        << row.update << " where " << row.filter;
  }
}

constexpr std::string_view kGenerated = R"({"$oid": "abababababababababababab"})";

TEST(UpsertTest, EqualitiesOfTheFilterEnter) {
  ExpectUpserted({
      {R"({"$set": {"c": 3}})", R"({"_id": 1, "b": 2, "a": 1})",
       R"({"_id": 1, "a": 1, "b": 2, "c": 3})"},
      {R"({"$set": {"ok": 1}})", R"({"_id": 1, "level": {"$gt": 9}})", R"({"_id": 1, "ok": 1})"},
      {R"({"$set": {"c": 1}})", R"({"_id": 1, "a.b": 5})", R"({"_id": 1, "a": {"b": 5}, "c": 1})"},
      {R"({"$set": {"c": 1}})", R"({"_id": 1, "a": {"$in": [5]}, "b": {"$eq": 6}})",
       R"({"_id": 1, "a": 5, "b": 6, "c": 1})"},
      {R"({"$set": {"x": 1}})", R"({"_id": 1, "$and": [{"a": 1}, {"$or": [{"b": 2}]}]})",
       R"({"_id": 1, "a": 1, "b": 2, "x": 1})"},
      {R"({"$set": {"x": 1}})", R"({"_id": 1, "$or": [{"b": 2}, {"b": 3}]})",
       R"({"_id": 1, "x": 1})"},
      {R"({"$inc": {"a": 1}})", R"({"_id": 1, "a": 5})", R"({"_id": 1, "a": 6})"},
      {R"({"$setOnInsert": {"a": 1, "b.c": 2}})", R"({"_id": 1})",
       R"({"_id": 1, "a": 1, "b": {"c": 2}})"},
      {R"({"$setOnInsert": {"_id": 7}})", R"({"a": 1})", R"({"_id": 7, "a": 1})"},
      {R"({"$set": {"arr.$[]": 0}})", R"({"_id": 1, "arr": [1, 2]})",
       R"({"_id": 1, "arr": [0, 0]})"},
      {R"({"$setOnInsert": {"$x": 1}})", R"({"_id": 1})", R"({"_id": 1, "$x": 1})"},
      {R"({"$set": {"x": 1}})", R"({"_id.a": 1})", R"({"_id": {"a": 1}, "x": 1})"},
  });
  EXPECT_EQ(Upserted({.update = R"({"$set": {"a": 1}})"}, R"({"b": {"$gt": 1}})"),
            Printed(base::StrCat(R"({"_id": )", kGenerated, R"(, "a": 1})")));
  EXPECT_EQ(Upserted({.update = R"({"a": 1})"}, R"({"b": 1})"),
            Printed(base::StrCat(R"({"_id": )", kGenerated, R"(, "a": 1})")));
  EXPECT_EQ(Upserted({.update = R"({"a": 1})"}, R"({"_id": 5, "b": 1})"),
            Printed(R"({"_id": 5, "a": 1})"));
}

TEST(UpsertTest, ContradictionsAreErrors) {
  ExpectUpserted({
      {R"({"$set": {"x": 1}})", R"({"$and": [{"a": 1}, {"a": 2}]})", "error 54"},
      {R"({"$set": {"x": 1}})", R"({"a": 1, "a.b": 2})", "error 54"},
      {R"({"$setOnInsert": {"_id": 2}})", R"({"_id": 1})", "error 66"},
      {R"({"$setOnInsert": {"_id.b": 2}})", R"({"_id.a": 1})", "error 66"},
      {R"({"$setOnInsert": {"_id": "x"}})", R"({"_id.a": 1})", "error 66"},
      {R"({"_id": 2})", R"({"_id": 1})", "error 66"},
      {R"({"x": 2})", R"({"_id.a": 1})", "error 111"},
      {R"({"$set": {"_id": [1]}})", R"({"a": 1})", "error 53"},
      {R"({"$set": {"_id": {"$a": 1}}})", R"({"a": 1})", "error 52"},
      {R"({"$set": {"a.$": 1}})", R"({"a": 5})", "error 2"},
      {R"({"$set": {"a.$[]": 1}})", R"({"x": {"$gt": 5}})", "error 2"},
  });
}

std::string Nested(int levels) {
  std::string text = "1";
  for (int i = 0; i < levels; ++i) text = base::StrCat("{\"a\": ", text, "}");
  return text;
}

TEST(LimitsTest, NestingDeeperThanAStoredDocumentMayBe) {
  const std::string fits = base::StrCat("{\"$set\": {\"a\": ", Nested(90), "}}");
  EXPECT_EQ(Applied({.update = fits}, "{\"_id\": 1}").substr(0, 1), "{");
  const std::string path(2 * 89 + 1, '.');
  std::string dotted;
  for (int i = 0; i < 90; ++i) dotted += i == 0 ? "b" : ".b";
  EXPECT_EQ(
      Applied({.update = base::StrCat("{\"$set\": {\"", dotted, "\": ", Nested(90), "}}")}, "{}")
          .substr(0, 1),
      "{");
  EXPECT_EQ(
      Applied({.update = base::StrCat("{\"$set\": {\"", dotted, "\": ", Nested(91), "}}")}, "{}"),
      "error 15");
}

TEST(LimitsTest, DocumentsBeyondSixteenMegabytes) {
  const std::string half(9 * 1024 * 1024, 'x');
  EXPECT_EQ(Applied({.update = base::StrCat("{\"$set\": {\"b\": \"", half, "\"}}")},
                    base::StrCat("{\"a\": \"", half, "\"}")),
            "error 17419");
}

TEST(OperatorRowsTest, NamesAreUniqueAndHelpful) {
  std::vector<std::string_view> names;
  for (const UpdateOperatorRow* row : AllUpdateOperators()) {
    EXPECT_FALSE(row->help.empty()) << row->name;
    EXPECT_EQ(FindUpdateOperator(row->name), row) << row->name;
    names.push_back(row->name);
  }
  EXPECT_EQ(names.size(), 15u);
  EXPECT_EQ(FindUpdateOperator("$nothing"), nullptr);
}

}  // namespace
}  // namespace mayfly::engine

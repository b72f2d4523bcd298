#include "engine/projection/projection.h"

#include "bson/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/query/filter_testing.h"

namespace mayfly::engine {
namespace {

// The projected document as shell text, or the error code.
std::string Project(std::string_view spec, std::string_view document,
                    std::string_view filter = "{}") {
  const EvaluationContext evaluation;
  const absl::StatusOr<FilterPtr> node = Parse(filter);
  ProjectionContext context;
  context.filter = node->get();
  context.evaluation = &evaluation;
  const absl::StatusOr<Projection> projection = Projection::Parse(Json(spec), context);
  if (!projection.ok()) {
    return std::to_string(static_cast<int>(base::CodeOf(projection.status())));
  }
  MatchContext match(evaluation);
  const absl::StatusOr<bson::Document> result = projection->Apply(Json(document), match);
  if (!result.ok()) return std::to_string(static_cast<int>(base::CodeOf(result.status())));
  return bson::ToShellText(result->view());
}

constexpr std::string_view kDocument =
    R"({"_id": 1, "a": {"b": 1, "c": 2}, "list": [{"x": 1, "y": 2}, {"x": 3}, 5, [{"x": 7}]], "n": [1, 2, 3]})";

TEST(Projection, IncludesFieldsInTheDocumentsOrder) {
  EXPECT_EQ(Project(R"({"n": 1, "a": 1})", kDocument),
            "{ _id: 1, a: { b: 1, c: 2 }, n: [ 1, 2, 3 ] }");
  EXPECT_EQ(Project(R"({"a.c": 1, "_id": 0})", kDocument), "{ a: { c: 2 } }");
  EXPECT_EQ(Project(R"({"a": {"c": 1}, "_id": 0})", kDocument), "{ a: { c: 2 } }");
  EXPECT_EQ(Project(R"({"n.x": 1, "a.b.c": 1, "_id": 0})", kDocument), "{ a: {}, n: [] }");
  EXPECT_EQ(Project(R"({"_id": 1})", kDocument), "{ _id: 1 }");
}

TEST(Projection, EntersArraysOfDocuments) {
  EXPECT_EQ(Project(R"({"list.x": 1, "_id": 0})", kDocument),
            "{ list: [ { x: 1 }, { x: 3 }, [ { x: 7 } ] ] }");
  EXPECT_EQ(Project(R"({"list.x": 0, "a": 0, "n": 0})", kDocument),
            "{ _id: 1, list: [ { y: 2 }, {}, 5, [ {} ] ] }");
}

TEST(Projection, ExcludesFields) {
  EXPECT_EQ(Project(R"({"list": 0, "n": 0})", kDocument), "{ _id: 1, a: { b: 1, c: 2 } }");
  EXPECT_EQ(Project(R"({"_id": 0, "list": 0, "a.b": 0})", kDocument),
            "{ a: { c: 2 }, n: [ 1, 2, 3 ] }");
  EXPECT_EQ(Project(R"({"_id": 1, "list": 0, "a": 0})", kDocument), "{ _id: 1, n: [ 1, 2, 3 ] }");
}

TEST(Projection, SliceKeepsPartOfAnArray) {
  EXPECT_EQ(Project(R"({"n": {"$slice": 2}, "list": 0, "a": 0})", kDocument),
            "{ _id: 1, n: [ 1, 2 ] }");
  EXPECT_EQ(Project(R"({"n": {"$slice": -1}, "_id": 1})", kDocument), "{ _id: 1, n: [ 3 ] }");
  EXPECT_EQ(Project(R"({"n": {"$slice": [1, 1]}, "a.b": 1})", kDocument),
            "{ _id: 1, a: { b: 1 }, n: [ 2 ] }");
  EXPECT_EQ(Project(R"({"n": {"$slice": [-2, 5]}, "_id": 1})", kDocument),
            "{ _id: 1, n: [ 2, 3 ] }");
}

TEST(Projection, ElemMatchComesLastInInclusions) {
  EXPECT_EQ(Project(R"({"list": {"$elemMatch": {"x": 3}}, "n": 1})", kDocument),
            "{ _id: 1, n: [ 1, 2, 3 ], list: [ { x: 3 } ] }");
  EXPECT_EQ(Project(R"({"n": {"$elemMatch": {"$gt": 5}}})", kDocument), "{ _id: 1 }");
  EXPECT_EQ(Project(R"({"a": 0, "n": {"$elemMatch": {"$gt": 1}}, "list": 0})", kDocument),
            "{ _id: 1, n: [ 2 ] }");
}

TEST(Projection, PositionalTakesTheElementThatMatched) {
  EXPECT_EQ(Project(R"({"n.$": 1})", kDocument, R"({"n": {"$gt": 1}})"), "{ _id: 1, n: [ 2 ] }");
  EXPECT_EQ(Project(R"({"n.$": 1})", kDocument, R"({"$or": [{"n": 3}, {"n": 9}]})"),
            "{ _id: 1, n: [ 3 ] }");
  EXPECT_EQ(Project(R"({"n.$": 1})", kDocument, R"({"_id": 1})"), "51246");
  EXPECT_EQ(Project(R"({"n.$": 1})", kDocument, R"({"list": [{"x": 7}]})"), "51247");
}

TEST(Projection, ComputesFields) {
  EXPECT_EQ(Project(R"({"sum": {"$add": ["$a.b", 1]}, "text": "plain", "_id": 0})", kDocument),
            "{ sum: 2, text: \"plain\" }");
  EXPECT_EQ(Project(R"({"a.b": "$a.c", "_id": 0})", kDocument), "{ a: { b: 2 } }");
  EXPECT_EQ(Project(R"({"new.b": "$a.c", "_id": 0})", kDocument), "{ new: { b: 2 } }");
}

TEST(Projection, WithoutPlainFieldsIsWhatItsOperatorsSay) {
  EXPECT_EQ(Project(R"({"n": {"$slice": 1}, "_id": 0})", R"({"_id": 1, "n": [1, 2], "m": 3})"),
            "{ n: [ 1 ], m: 3 }");
  EXPECT_EQ(Project(R"({"n": {"$slice": 1}, "k": {"$elemMatch": {"$gt": 1}}})",
                    R"({"_id": 1, "n": [1, 2], "k": [1, 2], "m": 3})"),
            "{ _id: 1, n: [ 1 ], k: [ 2 ], m: 3 }");
  EXPECT_EQ(Project(R"({"x": {"$meta": "randVal"}})", R"({"_id": 1, "n": 2})"), "{ _id: 1, n: 2 }");
  EXPECT_EQ(Project(R"({"x": {"$meta": "randVal"}, "_id": 1})", R"({"_id": 1, "n": 2})"),
            "{ _id: 1 }");
}

TEST(Projection, OfManyFieldsFindsEach) {
  std::string spec, document, expected;
  for (int i = 0; i < 100; ++i) {
    const std::string comma = i == 0 ? "" : ", ", name = "f" + std::to_string(99 - i);
    spec += comma + "\"f" + std::to_string(i) + (i % 2 == 0 ? "\": 1" : "\": \"$x\"");
    document += comma + "\"" + name + "\": " + std::to_string(i);
    if (i % 2 == 1) expected += ", " + name + ": " + std::to_string(i);
  }
  for (int i = 1; i < 100; i += 2) expected += ", f" + std::to_string(i) + ": 7";
  EXPECT_EQ(Project("{" + spec + "}", "{\"x\": 7, \"_id\": 1, \"y\": 8, " + document + "}"),
            "{ _id: 1" + expected + " }");
}

TEST(Projection, RefusesWhatMongoDbRefuses) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"a": 1, "b": 0})", "31254"},
      {R"({"a": 0, "b": 1})", "31253"},
      {R"({"a": 1, "a.b": 1})", "31249"},
      {R"({"a.b": 1, "a": 1})", "31250"},
      {R"({"a": 0, "b": {"$add": [1, 2]}})", "31252"},
      {R"({"a": 0, "b": "$a"})", "31310"},
      {R"({"a": {}})", "51270"},
      {R"({"a": {"$bogus": 1}})", "31325"},
      {R"({"a": {"$elemMatch": 1}})", "31274"},
      {R"({"a.b": {"$elemMatch": {"c": 1}}})", "31275"},
      {R"({"a.$.b": 1})", "31394"},
      {R"({"a.$": 1, "b.$": 1})", "31276"},
      {R"({"a.$": 0})", "31395"},
      {R"({"a.$": "x"})", "31308"},
      {R"({"a.$": {"b": 1}})", "31271"},
      {R"({"a.$": 1, "b": {"$elemMatch": {"x": 1}}})", "31255"},
      {R"({"b": {"$elemMatch": {"x": 1}}, "a.$": 1})", "31256"},
      {R"({"a": {"$slice": [1, 2, 3]}})", "28724"},
      {R"({"": 1})", "40352"},
      {R"({"$a": 1})", "16410"},
      {R"({"a": {"$add": [1, 2], "b": 1}})", "16410"},
  };
  for (const auto& [spec, expected] : cases) EXPECT_EQ(Project(spec, kDocument), expected) << spec;
}

TEST(Projection, TellsThePlannerWhatItNeeds) {
  const EvaluationContext evaluation;
  ProjectionContext context;
  context.evaluation = &evaluation;
  const auto covered = Projection::Parse(Json(R"({"a": 1, "b.c": 1, "_id": 0})"), context);
  EXPECT_THAT(*covered->CoveredPaths(), testing::ElementsAre("a", "b.c"));
  const auto with_id = Projection::Parse(Json(R"({"a": 1})"), context);
  EXPECT_THAT(*with_id->CoveredPaths(), testing::ElementsAre("a", "_id"));
  const auto excluded = Projection::Parse(Json(R"({"a": 0})"), context);
  EXPECT_TRUE(excluded->RequiresDocument());
  Dependencies dependencies;
  const auto computed = Projection::Parse(Json(R"({"s": {"$add": ["$x", 1]}})"), context);
  computed->AddDependencies(&dependencies);
  EXPECT_THAT(dependencies.paths, testing::ElementsAre("_id", "x"));
}

}  // namespace
}  // namespace mayfly::engine

#include <gtest/gtest.h>

#include "tests/support/update_testing.h"

namespace mayfly::engine {
namespace {

TEST(PipelineUpdateTest, StagesComputeFields) {
  ExpectApplied({
      {R"({u: [{$set: {c: {$add: ["$a", "$b"]}}}]})", R"({_id: 1, a: 1, b: 2})",
       R"({_id: 1, a: 1, b: 2, c: 3})"},
      {R"({u: [{$addFields: {"x.y": 1}}, {$unset: "a"}]})", R"({_id: 1, a: 1})",
       R"({_id: 1, x: {y: 1}})"},
      {R"({u: [{$project: {a: 1}}]})", R"({_id: 1, a: 1, b: 2})", R"({_id: 1, a: 1})"},
      {R"({u: [{$replaceWith: {x: "$a"}}]})", R"({_id: 1, a: 1})", R"({_id: 1, x: 1})"},
      {R"({u: [{$replaceRoot: {newRoot: {x: "$a", _id: 1}}}]})", R"({_id: 1, a: 1})",
       R"({_id: 1, x: 1})"},
      {R"({u: [{$set: {a: 1}}]})", R"({_id: 1, a: 1})", "unchanged"},
      {R"({u: []})", R"({_id: 1, a: 1})", "unchanged"},
      {R"({u: [{$set: {at: "$$NOW"}}]})", R"({_id: 1})", R"({_id: 1, at: {$date: 1700000000123}})"},
  });
}

TEST(PipelineUpdateTest, ErrorsOfStagesAndIds) {
  ExpectApplied({
      {R"({u: [{$match: {a: 1}}]})", R"({_id: 1})", "error 72"},
      {R"({u: [{$nothing: {a: 1}}]})", R"({_id: 1})", "error 40324"},
      {R"({u: [{$set: {_id: 2}}]})", R"({_id: 1})", "error 66"},
      {R"({u: [{$replaceWith: "$a"}]})", R"({_id: 1, a: 5})", "error 40228"},
  });
}

TEST(PipelineUpdateTest, ArrayFiltersAreRefused) {
  EXPECT_EQ(Applied({.update = "{u: [{$set: {a: 1}}]}", .filters = {"{x: 1}"}}, "{_id: 1}"),
            "error 9");
}

TEST(PipelineUpdateTest, UpsertsStartFromTheFiltersEqualities) {
  EXPECT_EQ(Upserted({.update = R"({u: [{$set: {n: {$add: ["$a", 1]}}}]})"},
                     "{_id: 5, a: 1, b: {$gt: 2}}"),
            Printed("{_id: 5, a: 1, n: 2}"));
}

}  // namespace
}  // namespace mayfly::engine

#include "engine/expression/expression.h"

#include <gtest/gtest.h>

#include "engine/expression/operator.h"
#include "tests/engine/expression/evaluate.h"

namespace mayfly::engine {
namespace {

TEST(FieldPath, Plain_GivesTheValueOrMissing) {
  EXPECT_EQ(Eval("\"$a\"", "{\"a\": 1}"), "1");
  EXPECT_EQ(Eval("\"$a.b\"", "{\"a\": {\"b\": \"x\"}}"), "\"x\"");
  EXPECT_EQ(Eval("\"$a.b\"", "{\"a\": 1}"), "missing");
  EXPECT_EQ(Eval("\"$b\"", "{\"a\": 1}"), "missing");
}

TEST(FieldPath, ThroughArrays_MapsOverDocumentsOnly) {
  EXPECT_EQ(Eval("\"$a.b\"", "{\"a\": [{\"b\": 1}, 5, {\"c\": 2}, {\"b\": 3}, [{\"b\": 4}]]}"),
            "[ 1, 3 ]");
  EXPECT_EQ(Eval("\"$a.b.c\"", "{\"a\": [{\"b\": [{\"c\": 1}]}, {\"b\": {\"c\": 2}}]}"),
            "[ [ 1 ], 2 ]");
  EXPECT_EQ(Eval("\"$a.0\"", "{\"a\": [5]}"), "[]");
}

TEST(FieldPath, Malformed_GivesMongoCodes) {
  EXPECT_EQ(Eval("\"$\""), "error 16872");
  EXPECT_EQ(Eval("\"$$\""), "error 9");
  EXPECT_EQ(Eval("\"$a.\""), "error 40353");
  EXPECT_EQ(Eval("\"$a..b\""), "error 15998");
  EXPECT_EQ(Eval("\"$a.$b\""), "error 16410");
  EXPECT_EQ(Eval("\"$$x\""), "error 17276");
}

TEST(Variables, System_ResolveWithoutDefinition) {
  EXPECT_EQ(Eval("\"$$ROOT.a\"", "{\"a\": 1}"), "1");
  EXPECT_EQ(Eval("\"$$CURRENT\"", "{\"a\": 1}"), "{ a: 1 }");
  EXPECT_EQ(Eval("\"$$REMOVE\""), "missing");
  EXPECT_EQ(Eval("{\"$eq\": [\"$$NOW\", {\"$literal\": {\"$date\": 1700000000000}}]}"), "true");
  EXPECT_EQ(Eval("\"$$USER_ROLES\""), "[]");
}

TEST(Object, FieldsAreExpressions_MissingIsLeftOut) {
  EXPECT_EQ(Eval("{\"x\": \"$a\", \"y\": \"$b\", \"z\": [\"$b\"]}", "{\"a\": 1}"),
            "{ x: 1, z: [ null ] }");
  EXPECT_EQ(Eval("{\"a.b\": 1}"), "error 16412");
  EXPECT_EQ(Eval("{\"a\": 1, \"$add\": [1]}"), "error 16410");
  EXPECT_EQ(Eval("{\"$add\": [1], \"a\": 1}"), "error 15983");
  EXPECT_EQ(Eval("{\"$nope\": 1}"), "error 168");
}

TEST(Comparison, MixedTypes_FollowBsonOrder) {
  EXPECT_EQ(Eval("{\"$cmp\": [1, \"a\"]}"), "-1");
  EXPECT_EQ(Eval("{\"$eq\": [1, 1.0]}"), "true");
  EXPECT_EQ(Eval("{\"$gt\": [null, \"$missing\"]}"), "true");
  EXPECT_EQ(Eval("{\"$lt\": [1]}"), "error 16020");
}

TEST(Conditional, BranchesNotTaken_AreNotEvaluated) {
  EXPECT_EQ(
      Eval("{\"$cond\": [\"$a\", 1, {\"$divide\": [1, \"$zero\"]}]}", "{\"a\": 1, \"zero\": 0}"),
      "1");
  EXPECT_EQ(Eval("{\"$ifNull\": [null, \"$x\", 3]}"), "3");
  EXPECT_EQ(Eval("{\"$ifNull\": [null]}"), "error 1257300");
  EXPECT_EQ(Eval("{\"$switch\": {\"branches\": [{\"case\": false, \"then\": 1}]}}"), "error 40069");
  EXPECT_EQ(Eval("{\"$cond\": {\"if\": \"$a\", \"then\": 1, \"else\": 2}}", "{\"a\": 0}"), "2");
}

TEST(Folding, ConstantsThatFail_FailEvenIfNeverReached) {
  EXPECT_EQ(Eval("{\"$ifNull\": [1, {\"$divide\": [1, 0]}]}"), "error 2");
  EXPECT_EQ(Eval("{\"$or\": [{\"$divide\": [1, \"$zero\"]}, true]}", "{\"zero\": 0}"), "true");
}

TEST(Let, InnerScope_HidesOuterVariables) {
  EXPECT_EQ(Eval("{\"$let\": {\"vars\": {\"x\": \"$a\"}, \"in\": {\"$let\": {\"vars\": {\"x\": 2, "
                 "\"y\": \"$$x\"}, "
                 "\"in\": [\"$$x\", \"$$y\"]}}}}",
                 "{\"a\": 1}"),
            "[ 2, 1 ]");
  EXPECT_EQ(
      Eval("{\"$let\": {\"vars\": {\"CURRENT\": \"$a\"}, \"in\": \"$b\"}}", "{\"a\": {\"b\": 7}}"),
      "7");
  EXPECT_EQ(Eval("{\"$let\": {\"vars\": {\"X\": 1}, \"in\": 1}}"), "error 9");
}

TEST(Field, GetAndSet_TakeNamesLiterally) {
  EXPECT_EQ(Eval("{\"$getField\": \"a.b\"}", "{\"a.b\": 1}"), "1");
  EXPECT_EQ(Eval("{\"$setField\": {\"field\": \"a\", \"input\": \"$$ROOT\", \"value\": 2}}",
                 "{\"a\": 1, \"b\": 1}"),
            "{ a: 2, b: 1 }");
  EXPECT_EQ(
      Eval("{\"$unsetField\": {\"field\": \"a\", \"input\": \"$$ROOT\"}}", "{\"a\": 1, \"b\": 1}"),
      "{ b: 1 }");
}

TEST(Operators, Rows_AreUniqueAndHaveHelp) {
  std::set<std::string_view> names;
  for (absl::Span<const OperatorRow> family : OperatorFamilies()) {
    for (const OperatorRow& row : family) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_FALSE(row.help.empty()) << row.name;
      EXPECT_NE(row.function == nullptr, row.parse == nullptr) << row.name;
      EXPECT_EQ(FindOperator(row.name), &row);
    }
  }
}

TEST(Parse, TooDeep_IsAnError) {
  std::string text = "1";
  for (int i = 0; i < 40; ++i) text = "{\"$not\": [" + text + "]}";
  EXPECT_EQ(Eval(text), "true");
}

}  // namespace
}  // namespace mayfly::engine

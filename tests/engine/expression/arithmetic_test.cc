// Arithmetic, trigonometry and bits.
#include <gtest/gtest.h>

#include "tests/engine/expression/evaluate.h"

namespace mayfly::engine {
namespace {

TEST(Add, MixedNumbers_TakeTheWidestType) {
  EXPECT_EQ(Eval("{\"$add\": [1, 2]}"), "3");
  EXPECT_EQ(Eval("{\"$type\": {\"$add\": [2147483647, 1]}}"), "\"long\"");
  EXPECT_EQ(Eval("{\"$type\": {\"$add\": [{\"$numberLong\": \"9223372036854775807\"}, 1]}}"),
            "\"double\"");
  EXPECT_EQ(Eval("{\"$add\": [1, null, \"x\"]}"), "null");
  EXPECT_EQ(Eval("{\"$add\": [1, \"x\"]}"), "error 14");
}

TEST(Add, Dates_TakeMillisecondsAndOnlyOneDate) {
  EXPECT_EQ(Eval("{\"$toLong\": {\"$add\": [{\"$toDate\": {\"$numberLong\": \"1000\"}}, 500]}}"),
            "1500");
  EXPECT_EQ(Eval("{\"$add\": [\"$$NOW\", \"$$NOW\"]}"), "error 16612");
}

TEST(Subtract, Dates_GiveMilliseconds) {
  EXPECT_EQ(Eval("{\"$subtract\": [5, 3]}"), "2");
  EXPECT_EQ(Eval("{\"$subtract\": [\"$$NOW\", \"$$NOW\"]}"), "0");
  EXPECT_EQ(Eval("{\"$subtract\": [3, \"$$NOW\"]}"), "error 14");
}

TEST(Division, ByZero_IsAnErrorOfItsOwn) {
  EXPECT_EQ(Eval("{\"$divide\": [1, 4]}"), "0.25");
  EXPECT_EQ(Eval("{\"$divide\": [1, 0]}"), "error 2");
  EXPECT_EQ(Eval("{\"$mod\": [1, 0]}"), "error 16610");
  EXPECT_EQ(Eval("{\"$mod\": [-7, 3]}"), "-1");
  EXPECT_EQ(Eval("{\"$mod\": [1, {\"$numberDecimal\": \"0\"}]}"), "error 5733415");
}

TEST(Functions, OutsideTheirDomain_GiveMongoCodes) {
  EXPECT_EQ(Eval("{\"$ln\": 0}"), "error 28766");
  EXPECT_EQ(Eval("{\"$log10\": -1}"), "error 28761");
  EXPECT_EQ(Eval("{\"$sqrt\": -1}"), "error 28714");
  EXPECT_EQ(Eval("{\"$log\": [8, 1]}"), "error 28759");
  EXPECT_EQ(Eval("{\"$pow\": [0, -1]}"), "error 28764");
  EXPECT_EQ(Eval("{\"$abs\": {\"$numberLong\": \"-9223372036854775808\"}}"), "error 28680");
  EXPECT_EQ(Eval("{\"$acos\": 2}"), "error 50989");
  EXPECT_EQ(Eval("{\"$exp\": 0}"), "1.0");
  EXPECT_EQ(Eval("{\"$sigmoid\": 0}"), "0.5");
}

TEST(Pow, Integers_StayIntegersWhileTheyFit) {
  EXPECT_EQ(Eval("{\"$pow\": [2, 10]}"), "1024");
  EXPECT_EQ(Eval("{\"$type\": {\"$pow\": [2, 40]}}"), "\"long\"");
  EXPECT_EQ(Eval("{\"$type\": {\"$pow\": [2, 64]}}"), "\"double\"");
}

TEST(Round, Places_CountBothWays) {
  EXPECT_EQ(Eval("{\"$round\": [2.5]}"), "2.0");
  EXPECT_EQ(Eval("{\"$round\": [1234.567, 1]}"), "1234.6");
  EXPECT_EQ(Eval("{\"$round\": [1250, -2]}"), "1200");
  EXPECT_EQ(Eval("{\"$trunc\": [-1.9]}"), "-1.0");
  EXPECT_EQ(Eval("{\"$round\": [1, 101]}"), "error 51083");
  EXPECT_EQ(Eval("{\"$round\": [1, 1.5]}"), "error 51082");
  EXPECT_EQ(Eval("{\"$ceil\": 1.2}"), "2.0");
  EXPECT_EQ(Eval("{\"$floor\": -1.2}"), "-2.0");
}

TEST(Bits, Integers_AreCombined) {
  EXPECT_EQ(Eval("{\"$bitAnd\": [6, 3]}"), "2");
  EXPECT_EQ(Eval("{\"$bitOr\": [6, 3]}"), "7");
  EXPECT_EQ(Eval("{\"$bitXor\": [6, 3]}"), "5");
  EXPECT_EQ(Eval("{\"$bitNot\": 0}"), "-1");
  EXPECT_EQ(Eval("{\"$bitAnd\": [1.5]}"), "error 14");
}

TEST(Accumulators, AsOperators_TakeListsOrOneArray) {
  EXPECT_EQ(Eval("{\"$sum\": [1, 2, \"x\"]}"), "3");
  EXPECT_EQ(Eval("{\"$sum\": \"$a\"}", "{\"a\": [1, 2, 3]}"), "6");
  EXPECT_EQ(Eval("{\"$avg\": [1, 2]}"), "1.5");
  EXPECT_EQ(Eval("{\"$max\": [1, \"x\", null]}"), "\"x\"");
  EXPECT_EQ(Eval("{\"$min\": [null]}"), "null");
  EXPECT_EQ(Eval("{\"$stdDevPop\": [1, 3]}"), "1.0");
  EXPECT_EQ(Eval("{\"$stdDevSamp\": [1]}"), "null");
  EXPECT_EQ(Eval("{\"$median\": {\"input\": [1, 2, 3], \"method\": \"approximate\"}}"), "2.0");
}

}  // namespace
}  // namespace mayfly::engine

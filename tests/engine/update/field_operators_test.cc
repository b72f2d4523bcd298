#include <gtest/gtest.h>

#include "tests/support/update_testing.h"

namespace mayfly::engine {
namespace {

TEST(SetTest, ExistingFieldsKeepTheirPlaceAndNewOnesComeInOrder) {
  ExpectApplied({
      {R"({"$set": {"b": 9}})", R"({"_id": 1, "b": 1, "c": 2})", R"({"_id": 1, "b": 9, "c": 2})"},
      {R"({"$set": {"z": 1, "b": 2, "a": 3}})", R"({"_id": 1})",
       R"({"_id": 1, "a": 3, "b": 2, "z": 1})"},
      {R"({"$set": {"10": 1, "9": 2, "a": 3}})", R"({"_id": 1})",
       R"({"_id": 1, "9": 2, "10": 1, "a": 3})"},
      {R"({"$set": {"d.e.f": 1}})", R"({"_id": 1, "d": {"x": 0}})",
       R"({"_id": 1, "d": {"x": 0, "e": {"f": 1}}})"},
      {R"({"$set": {"a.$b": 1}})", R"({"_id": 1, "a": {}})", R"({"_id": 1, "a": {"$b": 1}})"},
      {R"({"$set": {"a.0": 1}})", R"({"_id": 1})", R"({"_id": 1, "a": {"0": 1}})"},
      {R"({"$set": {"a.b.0.c": 1}})", R"({"_id": 1})",
       R"({"_id": 1, "a": {"b": {"0": {"c": 1}}}})"},
      {R"({"$set": {}})", R"({"_id": 1})", "unchanged"},
      {R"({"$set": {"a": 1}})", R"({"_id": 1, "a": 1})", "unchanged"},
      {R"({"$set": {"a": 1.0}})", R"({"_id": 1, "a": 1})", R"({"_id": 1, "a": 1.0})"},
      {R"({"$set": {"_id": 1, "a": 2}})", R"({"_id": 1})", R"({"_id": 1, "a": 2})"},
  });
}

TEST(SetTest, ArraysAreWrittenByIndexAndFilledWithNulls) {
  ExpectApplied({
      {R"({"$set": {"a.1": 9}})", R"({"a": [1, 2, 3]})", R"({"a": [1, 9, 3]})"},
      {R"({"$set": {"a.4": 9}})", R"({"a": [1, 2]})", R"({"a": [1, 2, null, null, 9]})"},
      {R"({"$set": {"a.11": 1, "a.9": 2, "a.10": 3}})", R"({"a": [0,0,0,0,0,0,0,0,0]})",
       R"({"a": [0,0,0,0,0,0,0,0,0,2,3,1]})"},
      {R"({"$set": {"a.1.b": 9}})", R"({"a": [{"b": 1}, {"b": 2, "c": 3}]})",
       R"({"a": [{"b": 1}, {"b": 9, "c": 3}]})"},
      {R"({"$set": {"a.0.b": 9}})", R"({"a": []})", R"({"a": [{"b": 9}]})"},
      {R"({"$set": {"a.2000000": 9}})", R"({"a": []})", "error 36"},
  });
}

TEST(SetTest, PathsThatCannotBeMadeAreErrors) {
  ExpectApplied({
      {R"({"$set": {"a.b": 1}})", R"({"a": "x"})", "error 28"},
      {R"({"$set": {"a.b": 1}})", R"({"a": null})", "error 28"},
      {R"({"$set": {"a.b": 1}})", R"({"a": [{"b": 2}]})", "error 28"},
      {R"({"$set": {"a.b.c": 1}})", R"({"a": {"b": 5}})", "error 28"},
      {R"({"$set": {"_id": 2}})", R"({"_id": 1})", "error 66"},
      {R"({"$set": {"_id": 1.0}})", R"({"_id": 1})", "error 66"},
      {R"({"$set": {"_id.a": 2}})", R"({"_id": {"a": 1}})", "error 66"},
      {R"({"$set": {"_id.b": 2}})", R"({"_id": {"a": 1}})", "error 66"},
  });
}

TEST(SetTest, BadNamesAreErrors) {
  ExpectApplied({
      {R"({"$set": {"": 1}})", R"({})", "error 56"},
      {R"({"$set": {"a.": 1}})", R"({})", "error 56"},
      {R"({"$set": {".a": 1}})", R"({})", "error 56"},
      {R"({"$set": {"a..b": 1}})", R"({})", "error 56"},
      {R"({"$set": {"$a": 1}})", R"({})", "error 52"},
      {R"({"$set": {"$": 1}})", R"({})", "error 2"},
      {R"({"$set": {"$[]": 1}})", R"({})", "error 2"},
      {R"({"$set": {"a.$.b.$": 1}})", R"({})", "error 2"},
      {R"({"$set": 1})", R"({})", "error 9"},
      {R"({"$set": []})", R"({})", "error 9"},
      {R"({"$bad": {"a": 1}})", R"({})", "error 9"},
      {R"({"$set": {"a": 1}, "b": 2})", R"({})", "error 9"},
  });
}

TEST(UpdateTest, TwoOperatorsOnOnePathConflict) {
  ExpectApplied({
      {R"({"$set": {"a": 1, "a.b": 2}})", R"({})", "error 40"},
      {R"({"$set": {"a.b": 1}, "$unset": {"a": 1}})", R"({})", "error 40"},
      {R"({"$mul": {"q": 3}, "$setOnInsert": {"q": 1}})", R"({})", "error 40"},
      {R"({"$rename": {"a": "b"}, "$set": {"b": 1}})", R"({})", "error 40"},
      {R"({"$rename": {"a": "b"}, "$set": {"a": 1}})", R"({})", "error 40"},
      {R"({"$rename": {"a": "b", "b": "c"}})", R"({})", "error 40"},
      {R"({"$rename": {"a": "b", "c": "b"}})", R"({})", "error 40"},
      {R"({"$set": {"a.b": 1, "a.c": 2}, "$inc": {"a.d": 3}})", R"({})",
       R"({"a": {"b": 1, "c": 2, "d": 3}})"},
  });
}

TEST(SetOnInsertTest, StoredDocumentsStayAsTheyAre) {
  ExpectApplied({
      {R"({"$setOnInsert": {"a": 1, "b.c": 2}})", R"({"_id": 1, "a": 5})", "unchanged"},
      {R"({"$setOnInsert": {"a.b": 1}})", R"({"_id": 1, "a": 5})", "unchanged"},
  });
}

TEST(UnsetTest, RemovesFieldsAndNullsElements) {
  ExpectApplied({
      {R"({"$unset": {"a": ""}})", R"({"_id": 1, "a": 1, "b": 2})", R"({"_id": 1, "b": 2})"},
      {R"({"$unset": {"a.b": ""}})", R"({"a": {"b": 1}})", R"({"a": {}})"},
      {R"({"$unset": {"a.1": ""}})", R"({"a": [1, 2, 3]})", R"({"a": [1, null, 3]})"},
      {R"({"$unset": {"a.9": ""}})", R"({"a": [1]})", "unchanged"},
      {R"({"$unset": {"a.b": ""}})", R"({"a": [{"b": 1}]})", "unchanged"},
      {R"({"$unset": {"a.b.c": ""}})", R"({"a": "text"})", "unchanged"},
      {R"({"$unset": {"x": ""}})", R"({"a": 1})", "unchanged"},
      {R"({"$unset": {"_id": ""}})", R"({"_id": 1})", "error 66"},
      {R"({"$unset": {"a.0": ""}})", R"({"a": {"0": 1, "1": 2}})", R"({"a": {"1": 2}})"},
  });
}

TEST(RenameTest, MovesTheValueAndKeepsThePlaceOfAnExistingTarget) {
  ExpectApplied({
      {R"({"$rename": {"a": "b"}})", R"({"_id": 1, "a": 5, "c": 6})",
       R"({"_id": 1, "c": 6, "b": 5})"},
      {R"({"$rename": {"a": "b"}})", R"({"_id": 1, "b": 4, "a": 5})", R"({"_id": 1, "b": 5})"},
      {R"({"$rename": {"a": "x.y.z"}})", R"({"a": {"b": [1]}})",
       R"({"x": {"y": {"z": {"b": [1]}}}})"},
      {R"({"$rename": {"a.b": "a.c"}})", R"({"a": {"b": 1}})", R"({"a": {"c": 1}})"},
      {R"({"$rename": {"a": "b"}})", R"({"_id": 1, "b": 4})", "unchanged"},
      {R"({"$rename": {"a": "b.c"}})", R"({"_id": 1, "b": 4})", "unchanged"},
  });
}

TEST(RenameTest, ArraysIdsAndBadPathsAreErrors) {
  ExpectApplied({
      {R"({"$rename": {"a": "a"}})", R"({"a": 1})", "error 2"},
      {R"({"$rename": {"a": "a.b"}})", R"({"a": 1})", "error 2"},
      {R"({"$rename": {"a": 1}})", R"({"a": 1})", "error 2"},
      {R"({"$rename": {"a.$": "b"}})", R"({"a": 1})", "error 2"},
      {R"({"$rename": {"a": "b.$[]"}})", R"({"a": 1})", "error 2"},
      {R"({"$rename": {"_id": "b"}})", R"({"_id": 1})", "error 66"},
      {R"({"$rename": {"a": "_id"}})", R"({"_id": 1, "a": 2})", "error 66"},
      {R"({"$rename": {"a": "_id"}})", R"({"_id": 1, "a": 1})", "error 66"},
      {R"({"$rename": {"$a": "b"}})", R"({"_id": 1})", "unchanged"},
      {R"({"$rename": {"a.0": "x"}})", R"({"a": [1]})", "error 2"},
      {R"({"$rename": {"a.0.b": "x"}})", R"({"a": [{"b": 1}]})", "error 2"},
      {R"({"$rename": {"x": "a.0"}})", R"({"x": 1, "a": [1]})", "error 2"},
      {R"({"$rename": {"a.b": "c"}})", R"({"a": 1})", "error 28"},
      {R"({"$rename": {"a": "b.x"}})", R"({"a": 1, "b": 2})", "error 28"},
      {R"({"$rename": {"": "b"}})", R"({"a": 1})", "error 56"},
      {R"({"$rename": {"a": ""}})", R"({"a": 1})", "error 56"},
      {R"({"$rename": {"a": "b..c"}})", R"({"a": 1})", "error 56"},
      {R"({"$rename": {"a": "$b"}})", R"({"a": 1})", "error 52"},
      {R"({"$rename": {"a": "b\u0000c"}})", R"({"a": 1})", "error 9867600"},
  });
}

TEST(CurrentDateTest, WritesDateOrTimestamp) {
  ExpectApplied({
      {R"({"$currentDate": {"a": true}})", R"({})",
       R"({"a": {"$date": {"$numberLong": "1700000000123"}}})"},
      {R"({"$currentDate": {"a": false}})", R"({"a": 1})",
       R"({"a": {"$date": {"$numberLong": "1700000000123"}}})"},
      {R"({"$currentDate": {"a": {"$type": "date"}}})", R"({})",
       R"({"a": {"$date": {"$numberLong": "1700000000123"}}})"},
      {R"({"$currentDate": {"a": {"$type": "timestamp"}}})", R"({})",
       R"({"a": {"$timestamp": {"t": 1700000000, "i": 1}}})"},
      {R"({"$currentDate": {"a": 1}})", R"({})", "error 2"},
      {R"({"$currentDate": {"a": {}}})", R"({})", "error 2"},
      {R"({"$currentDate": {"a": {"$type": "Date"}}})", R"({})", "error 2"},
      {R"({"$currentDate": {"a": {"$type": "date", "x": 1}}})", R"({})", "error 2"},
      {R"({"$currentDate": {"_id": true}})", R"({"_id": 1})", "error 66"},
  });
}

TEST(MinMaxTest, FollowTheOrderOfAllTypes) {
  ExpectApplied({
      {R"({"$min": {"s": 5}})", R"({"_id": 1})", R"({"_id": 1, "s": 5})"},
      {R"({"$min": {"s": 5}})", R"({"s": null})", "unchanged"},
      {R"({"$min": {"s": 5}})", R"({"s": "x"})", R"({"s": 5})"},
      {R"({"$min": {"s": 5}})", R"({"s": [1]})", R"({"s": 5})"},
      {R"({"$max": {"s": 5}})", R"({"s": null})", R"({"s": 5})"},
      {R"({"$max": {"s": 5}})", R"({"s": "x"})", "unchanged"},
      {R"({"$max": {"s": 5}})", R"({"s": [1]})", "unchanged"},
      {R"({"$max": {"s": 5.0}})", R"({"s": 5})", "unchanged"},
  });
}

}  // namespace
}  // namespace mayfly::engine

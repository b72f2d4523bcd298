// The parts of the script runner that need no server.

#include "tests/scripts/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "bson/json.h"
#include "tests/scripts/matcher.h"
#include "tests/support/shell_notation.h"

namespace mayfly::test {
namespace {

using ::testing::HasSubstr;

std::string Difference(std::string_view expected, std::string_view actual,
                       ReplyKind kind = ReplyKind::kFields, SavedValues* saved = nullptr) {
  SavedValues own;
  return Mismatch({.reply_kind = kind, .reply = std::string(expected)}, *ParseShell(actual),
                  saved == nullptr ? &own : saved);
}

std::string Printed(std::string_view text) {
  const auto document = ParseShell(text);
  return document.ok() ? bson::ToCanonicalJson(*document) : "error";
}

TEST(ParseShell, BareNamesAndSingleQuotes_AreAllowed) {
  EXPECT_EQ(Printed("{a.b: 'x\"y', $c: true, 'e': null, f: \"it's: no\", g: 'it\\'s \\u0041'}"),
            Printed("{\"a.b\": \"x\\\"y\", \"$c\": true, \"e\": null, \"f\": \"it's: no\", \"g\": "
                    "\"it's A\"}"));
}

TEST(ParseShell, Wrappers_AreValues_AndOtherDollarNamesAreNot) {
  const auto document = ParseShell(
      "{a: {$numberLong: '5'}, b: {$date: '1970-01-01T00:00:01Z'}, c: {$type: 'string'}, d: "
      "{$regex: 'x'}}");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->Find("a").type(), bson::Type::kInt64);
  EXPECT_EQ(document->Find("b").AsDate(), 1000);
  EXPECT_TRUE(document->Find("c").IsDocument());
  EXPECT_TRUE(document->Find("d").IsDocument());
}

TEST(ParseShell, Numbers_HaveTheTypeTheirTextSays) {
  const auto document = ParseShell("{a: 1, b: 2147483648, c: 1.0, d: 1e5, e: -0.0, f: -7}");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->Find("a").type(), bson::Type::kInt32);
  EXPECT_EQ(document->Find("b").type(), bson::Type::kInt64);
  EXPECT_EQ(document->Find("c").type(), bson::Type::kDouble);
  EXPECT_EQ(document->Find("d").AsDouble(), 1e5);
  EXPECT_EQ(document->Find("e").type(), bson::Type::kDouble);
  EXPECT_EQ(document->Find("f").AsInt32(), -7);
}

TEST(ParseShell, Mistakes_AreErrors) {
  for (const std::string_view text :
       {"", "{", "{a}", "{a: }", "{a: 1,}", "{a: 'x}", "{a: 1} 2", "[1]", "{a: 1.2.3}"}) {
    EXPECT_EQ(Printed(text), "error") << text;
  }
}

TEST(ParseScript, EveryKindOfStep_IsRead) {
  const auto steps = ParseScript(
      "# a comment\n"
      "> {insert: 'c',\n"
      "   documents: []}\n"
      "{n: 1,\n"
      " ok: 1}\n"
      "\n"
      "use other\n"
      "> {ping: 1}\n"
      "error 67 CannotCreateIndex: some text\n"
      "> {ping: 1}\n"
      "> {ping: 1}\n"
      "[{a: 1}]\n"
      "advance 2m\n"
      "purge\n"
      "purge 3\n"
      "restart\n"
      "kill");
  ASSERT_TRUE(steps.ok()) << base::MessageOf(steps.status());
  ASSERT_EQ(steps->size(), 9u);
  EXPECT_EQ((*steps)[0].command, "{insert: 'c',\ndocuments: []}");
  EXPECT_EQ((*steps)[0].reply, "{n: 1,\nok: 1}");
  EXPECT_EQ((*steps)[0].database, "test");
  EXPECT_EQ((*steps)[1].database, "other");
  EXPECT_EQ((*steps)[1].code, 67);
  EXPECT_EQ((*steps)[1].code_name, "CannotCreateIndex");
  EXPECT_EQ((*steps)[1].text, "some text");
  EXPECT_EQ((*steps)[2].reply, "{}");
  EXPECT_EQ((*steps)[3].reply_kind, ReplyKind::kDocuments);
  EXPECT_EQ((*steps)[4].number, 120'000);
  EXPECT_EQ((*steps)[5].number, -1);
  EXPECT_EQ((*steps)[6].number, 3);
  EXPECT_EQ((*steps)[7].kind, StepKind::kRestart);
  EXPECT_EQ((*steps)[8].line, 17);
}

TEST(ParseScript, AMistake_IsFoundWithItsLine) {
  EXPECT_THAT(base::MessageOf(ParseScript("\nsleep 3\n").status()), HasSubstr("line 2"));
  EXPECT_FALSE(ParseScript("advance 3 parsecs").ok());
  EXPECT_FALSE(ParseScript("> {ping: 1}\nfine\n").ok());
  EXPECT_FALSE(ParseScript(" indented").ok());
}

TEST(Mismatch, NamedFields_AreCompared) {
  EXPECT_EQ(Difference("{n: 1}", "{n: 1, more: 2, ok: 1}"), "");
  EXPECT_THAT(Difference("{n: 1}", "{n: 2, ok: 1}"), HasSubstr("n: expected 1, got 2"));
  EXPECT_THAT(Difference("{n: 1}", "{ok: 1}"), HasSubstr("got nothing"));
  EXPECT_THAT(Difference("{}", "{ok: 0, code: 59}"), HasSubstr("expected ok"));
  EXPECT_EQ(Difference("{ok: 0, code: 59}", "{ok: 0, code: 59}"), "");
}

TEST(Mismatch, NestedDocuments_AreComparedWholeUnlessTheySayOtherwise) {
  EXPECT_NE(Difference("{a: {b: 1}}", "{a: {b: 1, c: 2}, ok: 1}"), "");
  EXPECT_NE(Difference("{a: {b: 1, c: 2}}", "{a: {c: 2, b: 1}, ok: 1}"), "");
  EXPECT_NE(Difference("{a: {b: 1, c: 2}}", "{a: {b: 1}, ok: 1}"), "");
  EXPECT_EQ(Difference("{a: {b: 1, $etc: 1}}", "{a: {c: 2, b: 1}, ok: 1}"), "");
}

TEST(Mismatch, Placeholders_MatchAndSave) {
  SavedValues saved;
  EXPECT_EQ(Difference("{id: {$save: 'x'}, b: {$any: 1}, c: {$absent: 1}}", "{id: 7, b: [], ok: 1}",
                       ReplyKind::kFields, &saved),
            "");
  EXPECT_NE(Difference("{c: {$absent: 1}}", "{c: 1, ok: 1}"), "");
  EXPECT_NE(Difference("{c: {$any: 1}}", "{ok: 1}"), "");
  const auto command = Substitute(*ParseShell("{a: [{$saved: 'x'}]}"), saved);
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(bson::ToRelaxedJson(*command), bson::ToRelaxedJson(*ParseShell("{a: [7]}")));
  EXPECT_FALSE(Substitute(*ParseShell("{a: {$saved: 'y'}}"), saved).ok());
  EXPECT_EQ(Difference("{b: {$saved: 'x'}}", "{b: 7, ok: 1}", ReplyKind::kFields, &saved), "");
  EXPECT_NE(Difference("{b: {$saved: 'x'}}", "{b: 8, ok: 1}", ReplyKind::kFields, &saved), "");
  EXPECT_NE(Difference("{b: {$saved: 'y'}}", "{b: 7, ok: 1}", ReplyKind::kFields, &saved), "");
}

TEST(Mismatch, Exact_SeesTypes) {
  EXPECT_EQ(Difference("{n: 1}", "{n: 1.0, ok: 1}"), "");
  EXPECT_NE(Difference("{n: 1}", "{n: 1.0, ok: 1}", ReplyKind::kExact), "");
}

TEST(Mismatch, Batches_AreComparedInOrder) {
  const std::string_view reply = "{cursor: {firstBatch: [{a: 1}, {a: 2}], id: 0, ns: 'x'}, ok: 1}";
  EXPECT_EQ(Difference("[{a: 1}, {a: 2}]", reply, ReplyKind::kDocuments), "");
  EXPECT_NE(Difference("[{a: 2}, {a: 1}]", reply, ReplyKind::kDocuments), "");
  EXPECT_NE(Difference("[]", reply, ReplyKind::kDocuments), "");
  EXPECT_NE(Difference("[]", "{ok: 1}", ReplyKind::kDocuments), "");
}

TEST(Mismatch, Errors_AreComparedByCodeNameAndText) {
  const auto reply = ParseShell("{ok: 0, code: 67, codeName: 'N', errmsg: 'a long text'}");
  Step step{.reply_kind = ReplyKind::kError, .code = 67, .code_name = "N", .text = "long"};
  SavedValues saved;
  EXPECT_EQ(Mismatch(step, *reply, &saved), "");
  step.text = "short";
  EXPECT_NE(Mismatch(step, *reply, &saved), "");
  step.text.clear();
  step.code_name = "M";
  EXPECT_NE(Mismatch(step, *reply, &saved), "");
  step.code_name.clear();
  step.code = 68;
  EXPECT_NE(Mismatch(step, *reply, &saved), "");
}

}  // namespace
}  // namespace mayfly::test

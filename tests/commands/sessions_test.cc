#include "commands/sessions.h"

#include "base/status.h"
#include "gtest/gtest.h"
#include "tests/support/shell_notation.h"

namespace mayfly::commands {
namespace {

using Registry = SessionRegistry;

class SessionRegistryTest : public testing::Test {
 protected:
  base::ManualClock clock_{1'000'000};
  Registry registry_{clock_};
};

TEST_F(SessionRegistryTest, StartGivesDifferentUuidsOfVersion4) {
  const SessionId a = *registry_.Start();
  const SessionId b = *registry_.Start();
  EXPECT_NE(a, b);
  EXPECT_EQ(a.bytes[6] >> 4, 4);
  EXPECT_TRUE(registry_.Contains(a));
  EXPECT_EQ(registry_.Stats().active, 2);
  EXPECT_EQ(SessionIdOf(a.ToLsid()), a);
}

TEST_F(SessionRegistryTest, SessionsExpireWhenUnused) {
  const SessionId old = *registry_.Start();
  const SessionId used = *registry_.Start();
  clock_.AdvanceMs(20 * 60 * 1000);
  EXPECT_TRUE(registry_.Touch(used).ok());
  clock_.AdvanceMs(20 * 60 * 1000);
  EXPECT_TRUE(registry_.Touch(used).ok());
  EXPECT_FALSE(registry_.Contains(old));
  EXPECT_TRUE(registry_.Contains(used));
  EXPECT_EQ(registry_.Stats().expired, 1);
}

TEST_F(SessionRegistryTest, RefusesMoreThanTheLimit) {
  Registry registry(clock_, 2);
  const SessionId a = *registry.Start();
  EXPECT_TRUE(registry.Start().ok());
  EXPECT_EQ(base::CodeOf(registry.Start().status()), base::ErrorCode::kTooManyLogicalSessions);
  registry.End(a);
  EXPECT_TRUE(registry.Start().ok());
}

TEST_F(SessionRegistryTest, ARepeatedWriteGetsTheFirstReply) {
  const SessionId id = *registry_.Start();
  EXPECT_EQ(registry_.FindReply(id, 5)->reply, std::nullopt);
  registry_.Remember(id, 5, "first");
  EXPECT_EQ(registry_.FindReply(id, 5)->reply, "first");
  EXPECT_TRUE(registry_.FindReply(id, 6)->is_known);
  EXPECT_EQ(registry_.FindReply(id, 6)->reply, std::nullopt);
  EXPECT_EQ(base::CodeOf(registry_.FindReply(id, 4).status()), base::ErrorCode::kTransactionTooOld);
}

TEST_F(SessionRegistryTest, AWriteThatWasUndoneMayComeAgain) {
  const SessionId id = *registry_.Start();
  registry_.Remember(id, 5, "first");
  registry_.Forget(id, 5);
  EXPECT_EQ(registry_.FindReply(id, 5)->reply, std::nullopt);
}

TEST_F(SessionRegistryTest, OldRepliesGoWhenThereIsTooMuchAndAreNotTakenForNew) {
  const SessionId old = *registry_.Start();
  const SessionId next = *registry_.Start();
  registry_.Remember(old, 1, std::string(Registry::kMaxReplyBytes / 2, 'a'));
  registry_.Remember(next, 1, std::string(Registry::kMaxReplyBytes / 2 + 1, 'b'));
  EXPECT_FALSE(registry_.FindReply(old, 1)->is_known);
  EXPECT_TRUE(registry_.FindReply(next, 1)->reply.has_value());
}

int ParseCode(std::string_view text) {
  const bson::Document document = *test::ParseShell(text);
  return static_cast<int>(base::CodeOf(ParseSessionId(document.Find("v"), "lsid").status()));
}

TEST(ParseSessionIdTest, ChecksItsParts) {
  EXPECT_EQ(ParseCode("{v: {id: {$uuid: '0fbc7c5b-8d33-4b8c-9d1e-0a0b0c0d0e0f'}}}"), 0);
  EXPECT_EQ(ParseCode("{v: 1}"), 14);
  EXPECT_EQ(ParseCode("{v: {}}"), 40414);
  EXPECT_EQ(ParseCode("{v: {id: null}}"), 40414);
  EXPECT_EQ(ParseCode("{v: {id: 'x'}}"), 14);
  EXPECT_EQ(ParseCode("{v: {foo: 1}}"), 40415);
  EXPECT_EQ(ParseCode("{v: {id: {$binary: {base64: 'AAAAAAAAAAAAAAAAAAAAAA==', subType: '00'}}}}"),
            14);
  EXPECT_EQ(ParseCode("{v: {id: {$binary: {base64: 'AAAA', subType: '04'}}}}"), 207);
}

}  // namespace
}  // namespace mayfly::commands

#include <string>

#include "base/status.h"
#include "bson/json.h"
#include "bson/number.h"
#include "engine/exec/execution_context.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"
#include "ttl/survey.h"

namespace mayfly::commands {
namespace {

// Ends the operation at the n-th look.
class EndsAfter : public engine::Interrupt {
 public:
  explicit EndsAfter(int looks) : left_(looks) {}
  absl::Status Check() override {
    if (left_-- > 0) return absl::OkStatus();
    return base::Error(base::ErrorCode::kMaxTimeMSExpired, "operation exceeded time limit");
  }
  int left() const { return left_; }

 private:
  int left_;
};

absl::StatusOr<ttl::Survey> Survey(test::TestServer& server, engine::Interrupt* interrupt) {
  const auto handle = server.services().engine.Open("db", engine::Store::IfMissing::kNull);
  absl::StatusOr<ttl::Survey> survey;
  const absl::Status status =
      (*handle)->storage().Run({}, [&](engine::Transaction& transaction) -> absl::Status {
        MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, (*handle)->GetCatalog(transaction));
        const auto collection = catalog->Find("c");
        engine::ExecutionContext execution;
        execution.transaction = &transaction;
        execution.now_ms = server.clock().NowMs();
        execution.evaluation.now_ms = execution.now_ms;
        execution.evaluation.interrupt = interrupt;
        survey = ttl::SurveyCollection(execution, collection, ttl::RulesOf(*collection));
        return absl::OkStatus();
      });
  EXPECT_TRUE(status.ok()) << status;
  return survey;
}

void Fill(test::TestServer& server) {
  server.Run("db",
             "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: 'r', expireAfterSeconds: 60}]}");
  server.Run("db", "{insert: 'c', documents: [{_id: 1}, {_id: 2, ttl: 10}, {_id: 3, ttl: -1}]}");
}

TEST(TtlStatusTest, ASurveyEndsWhenItIsInterrupted) {
  test::TestServer server;
  Fill(server);
  EndsAfter second_document(1);
  EXPECT_EQ(base::CodeOf(Survey(server, &second_document).status()),
            base::ErrorCode::kMaxTimeMSExpired);
  EndsAfter never(1000);
  const auto survey = Survey(server, &never);
  ASSERT_TRUE(survey.ok()) << survey.status();
  EXPECT_EQ(survey->visible, 3);
  EXPECT_LT(never.left(), 1000 - 2) << "looks at the interrupt for every document";
}

TEST(TtlStatusTest, TheNextMomentIsThatOfTheFirstDocumentStillVisible) {
  test::TestServer server;
  Fill(server);
  EndsAfter never(1000);
  EXPECT_EQ(Survey(server, &never)->next_due_ms, test::TestServer::kStartMs + 10'000);
  server.clock().AdvanceMs(10'000);
  const auto survey = Survey(server, &never);
  EXPECT_EQ(survey->hidden, 1);
  EXPECT_EQ(survey->oldest_due_ms, test::TestServer::kStartMs + 10'000);
  EXPECT_EQ(survey->next_due_ms, test::TestServer::kStartMs + 60'000);
}

TEST(TtlStatusTest, DocumentsFromTheFutureAreCounted) {
  test::TestServer server;
  Fill(server);
  server.clock().JumpToMs(test::TestServer::kStartMs - 3'600'000);
  EndsAfter never(1000);
  EXPECT_EQ(Survey(server, &never)->from_future, 3);
  const bson::Document reply = server.Run("db", "{ttlStatus: 'c', filter: {_id: 3}}");
  const std::string text = bson::ToShellText(reply.view());
  EXPECT_NE(text.find("in the future of the server's clock"), std::string::npos) << text;
}

}  // namespace
}  // namespace mayfly::commands

#include "commands/current_op.h"

#include "bson/builder.h"
#include "commands/operation_registry.h"

namespace mayfly::commands {

absl::StatusOr<std::vector<bson::Document>> DescribeOperations(CommandContext& context) {
  std::vector<bson::Document> documents;
  const int64_t now_us = context.services.clock.MonotonicUs();
  for (const auto& operation : context.services.operations.All()) {
    bson::Builder builder;
    builder.String("type", "op").String("host", context.services.facts.host);
    builder.Int64("connectionId", operation->connection_id).String("client", operation->client);
    builder.Bool("active", true).Int64("opid", operation->id());
    builder.Int64("secs_running", (now_us - operation->start_us()) / 1'000'000);
    builder.Int64("microsecs_running", now_us - operation->start_us());
    builder.String("op", operation->kind).String("ns", operation->ns);
    builder.Document("command", operation->command);
    documents.push_back(builder.Finish());
  }
  return documents;
}

}  // namespace mayfly::commands

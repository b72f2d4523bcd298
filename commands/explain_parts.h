// What explain's replies are made of, for searches and for pipelines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/builder.h"
#include "commands/command.h"
#include "commands/plan_description.h"
#include "engine/plan/planner.h"

namespace mayfly::commands {

enum class Verbosity : uint8_t { kQueryPlanner, kExecutionStats, kAllPlans };

// What an explained command asks for.
struct Explained {
  std::string_view collection;
  engine::FindRequest request;
  Purpose purpose = Purpose::kRead;
  std::string_view key;    // of a distinct
  bson::ValueView update;  // of an update: document or array
  std::vector<bson::View> array_filters;
  bool multi = true;  // writes: all matching documents, not only the first
  bool upsert = false;
};

// What a command asks for, but for its collection; nullopt if it is none that searches. Errors:
// those of its arguments.
absl::StatusOr<std::optional<Explained>> ReadExplained(bson::View command);

// The errors that an explained update would have, whatever it finds.
absl::Status CheckUpdate(const Explained& explained, const engine::EvaluationContext& evaluation,
                         const engine::FindQuery& query);
// Searches by `path` until there are so many results, and counts; changes nothing.
absl::StatusOr<PlanCounts> RunExplained(CommandContext& context, const Explained& explained,
                                        const std::shared_ptr<engine::Collection>& collection,
                                        const engine::AccessPath& path, int64_t max_results);

// queryPlanner up to and without the winning plan; to be closed by the caller.
struct PlannerFacts {
  std::string_view ns;
  const engine::FilterNode* filter = nullptr;
  std::string plan_shape;
  bool filtered_indexes = false;  // an index filter was in force
};
void OpenPlanner(const PlannerFacts& facts, bson::Builder& reply);

// queryShapeHash, command, serverInfo, serverParameters.
void AppendEnding(const CommandContext& context, bson::View command, std::string_view query_shape,
                  bson::Builder& reply);

// A plan for a collection that does not exist, with its statistics, the planner still open.
void AppendNothing(Verbosity verbosity, Purpose purpose, bson::Builder& reply);

// An aggregation; `command` is what was explained, `pipeline` the stages it comes to on
// `collection`.
struct ExplainedPipeline {
  bson::View command;
  std::string_view collection;
  bson::View pipeline;
  bson::ValueView collation;
  bson::View let;
  bson::ValueView hint;
};
absl::Status ExplainPipeline(CommandContext& context, const ExplainedPipeline& explained,
                             Verbosity verbosity, bson::Builder& reply);

absl::Status ExplainSearch(CommandContext& context, bson::View command, const Explained& explained,
                           Verbosity verbosity, std::string_view query_shape, bson::Builder& reply);

}  // namespace mayfly::commands

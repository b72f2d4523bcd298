// Pipelines inside stages: parsing them, and running them over other collections with variables
// from outside.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/aggregate/pipeline.h"
#include "engine/aggregate/stage.h"

namespace mayfly::engine {

// Parses the pipeline of a stage that reads `ns`, one level deeper than `context`.
absl::StatusOr<std::unique_ptr<Pipeline>> ParseSubPipeline(bson::View array,
                                                           const PipelineContext& context,
                                                           PipelinePlace place, const Namespace& ns,
                                                           const Variables& variables);

// `let` of $lookup and $merge: variables that are computed from a document outside and read in a
// pipeline inside.
struct OuterVariables {
  struct Entry {
    Slot slot;
    ExpressionPtr value;
  };
  std::vector<Entry> entries;
  Slot slots = 0;  // in use inside, those from further out included
};

// Defines the variables of `let` in `*inner`, a scope inside the context's. Error: 9 for bad names,
// 14 no object.
absl::StatusOr<OuterVariables> ParseOuterVariables(bson::ValueView let,
                                                   const PipelineContext& context,
                                                   Variables* inner);

// What a pipeline inside needs to run: the outside's context with the variables filled in. `outer`
// must outlive it.
class InnerRuntime {
 public:
  explicit InnerRuntime(const Runtime& outer)
      : outer_(outer), evaluation_(*outer.evaluation), runtime_(outer) {
    if (evaluation_.variables) values_ = *evaluation_.variables;
    evaluation_.variables = &values_;
    runtime_.evaluation = &evaluation_;
    ++runtime_.depth;
  }
  InnerRuntime(const InnerRuntime&) = delete;
  InnerRuntime& operator=(const InnerRuntime&) = delete;

  // Evaluates the variables for the frame's document.
  absl::Status Bind(const OuterVariables& variables, Frame& frame);
  // To be called whenever the inside goes on: what belongs to one command, such as its interrupt,
  // is that of the outside as it is now, which may be a later batch's.
  const Runtime& runtime() {
    evaluation_.interrupt = outer_.evaluation->interrupt;
    evaluation_.random = outer_.evaluation->random;
    return runtime_;
  }

 private:
  const Runtime& outer_;
  EvaluationContext evaluation_;
  Runtime runtime_;
  std::vector<bson::Value> values_;
};

// Opens the stream of a sub-pipeline: over its own source, or over a collection of the host.
// `filter` may be null.
absl::StatusOr<std::unique_ptr<Stream>> OpenSubPipeline(const Pipeline& pipeline,
                                                        const Namespace& ns,
                                                        const FilterNode* filter,
                                                        const Runtime& runtime);

// {db: ..., coll: ...} or a name, as $lookup, $out and $merge take them. The database is the
// context's if not given.
struct NamespaceErrors {
  std::string_view stage;
  int type_code;
};
absl::StatusOr<Namespace> ParseStageNamespace(bson::ValueView value, const PipelineContext& context,
                                              const NamespaceErrors& errors);
// 73 InvalidNamespace for names that no collection can have, not even one that does not exist.
absl::Status CheckNamespace(const Namespace& ns);

}  // namespace mayfly::engine

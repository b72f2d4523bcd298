// What running streams share: the current operation's transaction and the moments and limits of the
// command.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/aggregate/pipeline.h"
#include "engine/expression/context.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

class PipelineReporter;

// Owned by the command or, between batches, by the cursor; streams keep a pointer. A getMore
// replaces `transaction`, `now_ms` and `interrupt` and leaves the rest.
struct ExecutionContext {
  Transaction* transaction = nullptr;
  // Expired means expired at this moment: that of the command, and of each getMore.
  int64_t now_ms = 0;
  // For filters and expressions; its now_ms ($$NOW) stays that of the first command.
  EvaluationContext evaluation;
  // For stages of pipelines and sorts; `evaluation` is set by who uses it.
  Runtime runtime;
  // Of the current operation, for stages that report about the server; null: they are not allowed.
  PipelineReporter* reporter = nullptr;
  // Called before others get to run: a writer hands over what it has counted so far.
  std::function<void()> before_yield;
  // Rows found through an index say by which key: for {$meta: "indexKey"}.
  bool index_keys = false;
  // True once a stream holds stored documents in memory from one batch to the next.
  bool holds_documents = false;
  // For explain: keys and documents looked at, those that are hidden not counted.
  int64_t keys_examined = 0;
  int64_t documents_examined = 0;
};

}  // namespace mayfly::engine

// What parsing and evaluating filters, expressions, updates and projections depend on besides their
// arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/random.h"
#include "bson/compare.h"
#include "bson/value.h"
#include "engine/expression/cluster_clock.h"

namespace mayfly::engine {

// Checked now and then by whatever may run long: killOp, maxTimeMS, shutdown.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  // Ok, or the error to end the operation with (11601 Interrupted, 50 MaxTimeMSExpired, 11600
  // InterruptedAtShutdown). Cheap: a relaxed load and, now and then, a look at the clock.
  virtual absl::Status Check() = 0;
  // What a long operation is at, for those who ask meanwhile. `what` must be a literal.
  virtual void ReportProgress(const char* what, int64_t done, int64_t total) {}
};

// Names visible to an expression besides the fields: user variables of `let` and of
// $let/$map/$filter/$reduce. Variables are resolved to numbered slots while parsing (see Variables
// in expression.h), so evaluation does no look-up by name. System variables ($$NOW, $$ROOT,
// $$CURRENT, $$REMOVE, $$CLUSTER_TIME, $$USER_ROLES ...) are fixed slots.
struct EvaluationContext {
  int64_t now_ms = 0;                               // the command's one `now`
  bson::Timestamp cluster_time;                     // $$CLUSTER_TIME
  ClusterClock* cluster_clock = nullptr;            // for more times of its kind; may be null
  base::Random* random = nullptr;                   // $rand, $sampleRate; never null in a server
  const bson::StringComparator* strings = nullptr;  // the operation's collation; null: binary
  // Values of the variables in slots 0 ... n-1 that come from outside, such as $lookup's `let`; may
  // be null.
  const std::vector<bson::Value>* variables = nullptr;
  Interrupt* interrupt = nullptr;  // null: never interrupted
};

}  // namespace mayfly::engine

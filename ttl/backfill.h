// Entries for documents that were there before a rule of expiry was switched on.
#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/collection/write_context.h"

namespace mayfly::ttl {

// Adds missing entries of the last-write rule and of the epoch rule, some hundred at a time, until
// all are there or `spent` says that it is enough; progress is kept in the catalog. `spent` is
// asked after each such step.
absl::Status BackfillEntries(const engine::WriteContext& write,
                             const std::shared_ptr<engine::Collection>& collection,
                             absl::FunctionRef<bool()> spent);

// True if there is something to add.
bool NeedsBackfill(const engine::Collection& collection);

}  // namespace mayfly::ttl

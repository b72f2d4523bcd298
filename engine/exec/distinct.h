// The different values of a field from the entries of an index, one look-up for each value.
#pragma once

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/exec/execution_context.h"
#include "engine/exec/find_query.h"

namespace mayfly::engine {

// The scan whose entries tell the values that `key` has in the documents of `query`; nullopt if no
// index does. Errors as FindQuery::ChoosePath.
absl::StatusOr<std::optional<AccessPath>> DistinctPath(const FindQuery& query,
                                                       const Collection& collection,
                                                       std::string_view key);

// Whether DistinctPath would take `path`, once it is chosen.
bool EntriesTellDistinct(const Collection& collection, const AccessPath& path,
                         std::string_view key);

// Calls `add` with documents that together have all those values at the path, each at least once.
// False if it turns out, after others ran, that the entries no longer tell: then some may be
// missing.
absl::StatusOr<bool> ScanDistinct(ExecutionContext& context, const Collection& collection,
                                  const AccessPath& path,
                                  absl::FunctionRef<absl::Status(bson::View document)> add);

}  // namespace mayfly::engine

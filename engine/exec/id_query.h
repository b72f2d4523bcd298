// The most frequent query, one document by its `_id`, without a filter tree and a plan.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "bson/view.h"
#include "engine/catalog/collection.h"
#include "engine/exec/find_query.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

// The `_id` that `request` asks for, if it asks for nothing else and the value is a plain one: no
// operator, no container, nothing that matches other values too. Missing otherwise.
bson::ValueView SoughtId(const FindRequest& request, const Collection& collection);

// The document with that `_id`, if there is one that can be seen. Its bytes are valid until the
// next call on the transaction.
absl::StatusOr<std::optional<bson::View>> FindById(Transaction& transaction,
                                                   const Collection& collection, bson::ValueView id,
                                                   int64_t now_ms);

}  // namespace mayfly::engine

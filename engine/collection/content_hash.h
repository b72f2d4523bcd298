// The contents of a collection as one hash: what dbHash compares.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "engine/catalog/collection.h"
#include "engine/expression/context.h"
#include "engine/storage/kv.h"

namespace mayfly::engine {

// The MD5, as 32 hexadecimal digits, of the visible documents' bytes in order of `_id`. Yields; the
// result is then that of no single moment. Error: 26 if the collection is dropped meanwhile.
absl::StatusOr<std::string> HashContents(Transaction& transaction, const EvaluationContext& context,
                                         const Collection& collection);

// The MD5 of `text`, the same way.
std::string HashText(std::string_view text);

}  // namespace mayfly::engine

// The queries that an encrypted field allows: {queryType: 'range', min: ..., max: ...}.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "bson/builder.h"
#include "bson/types.h"
#include "bson/value.h"

namespace mayfly::commands {

// Whether values of the type can be encrypted at all.
bool IsEncryptableType(bson::Type type);

// Checks `given`, one query or an array of them, for a field of `type`, and appends `queries` with
// the defaults filled in to the open document. Errors: MongoDB's for what does not fit.
absl::Status AppendEncryptedQueries(bson::ValueView given, std::optional<bson::Type> type,
                                    bson::Builder* out);

}  // namespace mayfly::commands

// encryptedFields of `create`: which fields clients encrypt, and how they may be queried.
#pragma once

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "bson/view.h"

namespace mayfly::commands {

// The option as it is kept and shown: checked, with the defaults of its queries filled in. Errors:
// MongoDB's for what does not fit.
absl::StatusOr<bson::Document> ParseEncryptedFields(bson::View given);

}  // namespace mayfly::commands

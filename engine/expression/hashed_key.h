// The 64-bit hash that hashed indexes keep in place of a value.
#pragma once

#include <cstdint>

#include "bson/value.h"

namespace mayfly::engine {

// As MongoDB computes it, so equal numbers of different types have equal hashes and fractions are
// cut. Missing counts as null.
int64_t HashedKey(bson::ValueView value);

}  // namespace mayfly::engine

// What documents under a geospatial index must look like. The index has no entries, so that no
// query uses it, but like MongoDB's it accepts only locations.
#pragma once

#include "absl/status/status.h"
#include "bson/view.h"
#include "engine/catalog/index_spec.h"

namespace mayfly::engine {

// OK for text indexes, and where the indexed fields are missing or null. Errors: 16755 for what is
// no geometry (2dsphere); 16804 for what is no pair of coordinates and 13027 for one out of range
// (2d).
absl::Status CheckGeometry(const IndexSpec& spec, bson::View document);

}  // namespace mayfly::engine

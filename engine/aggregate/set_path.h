// Setting one field of a document, by path.
#pragma once

#include <string>
#include <vector>

#include "bson/value.h"

namespace mayfly::engine {

// `document` with the field at `path` replaced, or added at the end; dropped if `value` is missing.
// What stands in the way and is no document is replaced by one.
bson::Document WithPath(bson::View document, const std::vector<std::string>& path,
                        bson::ValueView value);

}  // namespace mayfly::engine

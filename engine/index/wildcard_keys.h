// The keys a document has in a wildcard index: one for each value, under its path.
//
//   key fields := fields before the wildcard, path, value, fields after it
// The path is a string without array positions. A document is walked through, an empty one is a
// value; an array contributes its elements, an empty one `undefined`; an array in an array is a
// value. A document without values has no key, or, if the index has other fields, one with MinKey
// as path and value, so that it is found by them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "bson/view.h"
#include "engine/catalog/collection.h"
#include "engine/keys/key_encoder.h"

namespace mayfly::engine {

// The name of the path's field in explain.
inline constexpr std::string_view kWildcardPathField = "$_path";

// `encoder` must be that of the index. Returns the multikey bits: that of the wildcard is set if
// there was an array on the way. Error: 7246301 if another field of the index is an array.
absl::StatusOr<uint32_t> ForEachWildcardKey(
    const Index& index, bson::View document, const KeyEncoder& encoder,
    absl::FunctionRef<void(std::string fields, std::string type_bits)> sink);

}  // namespace mayfly::engine

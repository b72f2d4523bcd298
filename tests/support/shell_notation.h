// Documents as tests write them: extended JSON with keys that need no quotes, as in MongoDB's
// shell.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "bson/value.h"

namespace mayfly::test {

// Parses one document: {_id: 1, "a.b": [true, 2.5, {$numberLong: "7"}, {$date:
// "2024-01-01T00:00:00Z"}]}. Integers become int32 if they fit and int64 otherwise; numbers with a
// point or an exponent become doubles. An object whose first key is a type wrapper of extended JSON
// ($oid, $numberLong, $date ...) becomes that value; other `$` names, such as $type and $regex,
// stay as they are. Comments run from // to the end of the line. Error: 9 with the place.
absl::StatusOr<bson::Document> ParseShell(std::string_view text);

}  // namespace mayfly::test

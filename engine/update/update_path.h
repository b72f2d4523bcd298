// Dotted paths as update operators name their targets: "a.b", "a.0", "a.$", "a.$[]", "a.$[id]".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace mayfly::engine {

using UpdatePath = std::vector<std::string>;

// At the dots, nothing checked.
UpdatePath SplitPath(std::string_view path);

// Splits and checks. Errors: 56 EmptyFieldName, 2 BadValue (`$` first
// or twice, `$[id]` first), 15 Overflow (deeper than a stored document may be).
absl::StatusOr<UpdatePath> ParseUpdatePath(std::string_view path);

inline bool IsPositional(std::string_view part) { return part == "$"; }
// "id" of "$[id]", "" of "$[]", nullopt otherwise.
std::optional<std::string_view> ArrayFilterIdentifier(std::string_view part);
// True if the path has a part that is found only when it is applied: `$`, `$[]`, `$[id]`.
bool IsDynamic(const UpdatePath& path);
// The array index a part names: at most nine digits, no leading zero.
std::optional<uint32_t> ArrayIndex(std::string_view part);
// True if `a` equals `b` or leads to it.
bool IsPrefixOf(const UpdatePath& a, const UpdatePath& b);
std::string JoinPath(const UpdatePath& path);

}  // namespace mayfly::engine

// The bridge between std::string_view and absl::string_view, which differ in this abseil, and small
// text helpers.
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/string_view.h"

namespace mayfly::base {

inline absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view FromAbsl(absl::string_view text) { return {text.data(), text.size()}; }

// Concatenates anything absl::StrCat takes as text or number; std::string_view included.
template <typename... Parts>
std::string StrCat(const Parts&... parts);

}  // namespace mayfly::base

#include "base/strings_inl.h"

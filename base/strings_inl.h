// Concatenation for base/strings.h; included by it alone.
#pragma once

#include <type_traits>

#include "absl/strings/str_cat.h"
#include "base/strings.h"

namespace mayfly::base {
namespace internal {

template <typename T>
auto CatArgument(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ToAbsl(value);
  } else if constexpr (std::is_convertible_v<const T&, absl::string_view>) {
    return absl::string_view(value);
  } else {
    return value;
  }
}

}  // namespace internal

template <typename... Parts>
std::string StrCat(const Parts&... parts) {
  return absl::StrCat(internal::CatArgument(parts)...);
}

}  // namespace mayfly::base

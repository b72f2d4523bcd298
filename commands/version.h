// The version of MongoDB whose behaviour this server offers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mayfly::commands {

inline constexpr std::string_view kMongoVersion = "8.2.0";
inline constexpr std::array<int32_t, 4> kMongoVersionArray = {8, 2, 0, 0};
inline constexpr std::string_view kMongoFeatureVersion = "8.2";

}  // namespace mayfly::commands

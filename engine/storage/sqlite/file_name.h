// Names of databases as names of files.
//
// file name = encoded database name + ".mayfly"
// encoded   = for each byte: itself if it is a letter, a digit, '-' or '_'; else '%' and two
// upper-case hex digits
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mayfly::engine {

std::string FileNameOf(std::string_view database);
// Nothing if `file` is not what FileNameOf() makes.
std::optional<std::string> DatabaseOf(std::string_view file);

}  // namespace mayfly::engine

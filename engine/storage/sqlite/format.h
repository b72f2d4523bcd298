// The database file as we make it: settings, version, and the tables that are always there. See
// docs/storage-format.md.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "engine/storage/kv.h"
#include "engine/storage/sqlite/connection.h"

namespace mayfly::engine {

// PRAGMA application_id: "Mayf".
inline constexpr int32_t kApplicationId = 0x4D617966;
// PRAGMA user_version. A file with a higher one is refused.
inline constexpr int kFormatVersion = 1;

// Opens the file as storage connection, making it if missing or empty. kUnsupportedFormat if it is
// of a newer version or not ours.
absl::Status OpenDatabaseFile(const std::string& path, Connection& connection);
// Opens a file that OpenDatabaseFile() has opened, for copying the log into it and for reading
// figures.
absl::Status OpenHelperConnection(const std::string& path, Connection& connection);

// SQL that makes the table of a space.
std::string CreateSpaceSql(SpaceId space, SpaceKind kind);
std::string DropSpaceSql(SpaceId space);

}  // namespace mayfly::engine

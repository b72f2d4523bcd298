// The YAML file of --config, flattened.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace mayfly::server {

// A scalar: `name` is the path of its keys joined by dots, "net.port".
struct ConfigEntry {
  std::string name;
  std::string value;
};

// In the file's order. Error: 9 FailedToParse, with the place in the file.
absl::StatusOr<std::vector<ConfigEntry>> ReadConfigFile(const std::string& path);

}  // namespace mayfly::server

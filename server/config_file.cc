#include "server/config_file.h"

#include <yaml-cpp/yaml.h>

#include "base/status.h"
#include "base/strings.h"

namespace mayfly::server {
namespace {

constexpr int kMaxDepth = 10;

absl::Status Flatten(const YAML::Node& node, const std::string& prefix, int depth,
                     std::vector<ConfigEntry>* out) {
  if (depth > kMaxDepth) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat("'", prefix, "' is nested too deep"));
  }
  for (const auto& entry : node) {
    const std::string name = base::StrCat(prefix, prefix.empty() ? "" : ".", entry.first.Scalar());
    if (entry.second.IsMap()) {
      MAYFLY_RETURN_IF_ERROR(Flatten(entry.second, name, depth + 1, out));
    } else if (entry.second.IsScalar()) {
      out->push_back({name, entry.second.Scalar()});
    } else if (!entry.second.IsNull()) {
      return base::Error(base::ErrorCode::kFailedToParse,
                         base::StrCat("'", name, "' must be one value"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ConfigEntry>> ReadConfigFile(const std::string& path) {
  YAML::Node root;
  try {
    root = YAML::LoadFile(path);
  } catch (const YAML::Exception& error) {
    return base::Error(
        base::ErrorCode::kFailedToParse,
        base::StrCat("cannot read the configuration file ", path, ": ", error.what()));
  }
  std::vector<ConfigEntry> entries;
  if (root.IsNull()) return entries;
  if (!root.IsMap()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       base::StrCat(path, " is not a map of options"));
  }
  MAYFLY_RETURN_IF_ERROR(Flatten(root, "", 0, &entries));
  return entries;
}

}  // namespace mayfly::server

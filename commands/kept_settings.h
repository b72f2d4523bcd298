// Settings of the server that outlive the process, kept as documents where MongoDB keeps them:
// the default concerns in config.settings, the feature version in admin.system.version.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bson/value.h"
#include "commands/services.h"
#include "commands/state.h"

namespace mayfly::commands {

// Keeps the default concerns, or the feature version. On a thread that may wait, never inside an
// operation. Errors: the store's.
absl::Status KeepDefaultConcerns(Services& services, const DefaultConcerns& concerns);
absl::Status KeepFeatureVersion(Services& services, std::string_view version);

// Reads back what was kept. Before commands run.
absl::Status LoadKeptSettings(Services& services, ServerState& state);

}  // namespace mayfly::commands

// Settings of the server that outlive the process, kept as documents where MongoDB keeps them:
// the default concerns in config.settings, cluster parameters in config.clusterParameters, the
// block of user writes in config.user_writes_critical_sections, the feature version in
// admin.system.version.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bson/value.h"
#include "commands/services.h"
#include "commands/state.h"

namespace mayfly::commands {

// Each keeps one setting. On a thread that may wait, never inside an
// operation. Errors: the store's.
absl::Status KeepDefaultConcerns(Services& services, const DefaultConcerns& concerns);
absl::Status KeepFeatureVersion(Services& services, std::string_view version);
absl::Status KeepUserWriteBlock(Services& services, bool on, std::string_view reason);
absl::Status KeepClusterParameter(Services& services, std::string_view name,
                                  const ClusterParameterValue& value);

// Reads back what was kept. Before commands run.
absl::Status LoadKeptSettings(Services& services, ServerState& state);

}  // namespace mayfly::commands

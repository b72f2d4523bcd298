// storageEngine of `create`: settings of engines of MongoDB's, which have no effect here but are
// checked as MongoDB checks them.
#pragma once

#include "absl/status/status.h"
#include "bson/view.h"

namespace mayfly::commands {

// {wiredTiger: {configString: "key=value,..."}}. Errors: 72 InvalidOptions for an unknown engine or
// option, 2 BadValue for a configuration that WiredTiger would refuse, 9 FailedToParse for NUL.
absl::Status CheckStorageEngine(bson::View engines);

// indexOptionDefaults: {storageEngine: {...}}.
absl::Status CheckIndexOptionDefaults(bson::View defaults);

}  // namespace mayfly::commands

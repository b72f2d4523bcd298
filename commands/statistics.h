// Sizes and counts of a collection, as collStats and $collStats show them.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "bson/builder.h"
#include "commands/command.h"

namespace mayfly::commands {

// `size` to `scaleFactor`, into the open document.
absl::Status AppendSizes(CommandContext& context,
                         const std::shared_ptr<engine::Collection>& collection, int64_t scale,
                         bson::Builder& reply);

}  // namespace mayfly::commands

// collMod's `index`: changes of one index.
#pragma once

#include "absl/status/status.h"
#include "bson/builder.h"
#include "commands/command.h"

namespace mayfly::commands {

// `request` is {keyPattern or name, changes ...}. `dry_run`: only whether the index could become
// unique. Errors: 72 InvalidOptions, 27 IndexNotFound, 181, 2, 6011800 for a clustered collection's
// own index, 359 CannotConvertIndexToUnique with `violations`.
absl::Status ModifyIndex(CommandContext& context, engine::Collection& collection,
                         bson::View request, bool dry_run, bson::Builder& reply);

}  // namespace mayfly::commands

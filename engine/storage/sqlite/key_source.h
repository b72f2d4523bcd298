// Lets one statement insert many keys: the virtual table mayfly_keys(source), whose rows are the
// keys of a run. The statement's cursor stays where the last key went, which is where the next one
// belongs if they ascend.
#pragma once

#include <sqlite3.h>

#include "absl/status/status.h"
#include "engine/storage/bulk_access.h"
#include "engine/storage/sqlite/connection.h"

namespace mayfly::engine {

// Once for each connection.
absl::Status RegisterKeySource(const Connection& connection);

// `keys` must outlive the statement's run.
void BindKeySource(sqlite3_stmt* statement, int index, const KeyRun& keys);

}  // namespace mayfly::engine

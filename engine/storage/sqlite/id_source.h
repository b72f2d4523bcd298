// Lets one statement fetch many records whose ids become known one after the other: the virtual
// table mayfly_ids(source), every row of which has the id that stands in the source at that moment.
// It has no end, so the statement is stepped once for each record and never restarted, which is
// most of the price of a look-up.
#pragma once

#include <sqlite3.h>

#include "absl/status/status.h"
#include "engine/storage/kv.h"
#include "engine/storage/sqlite/connection.h"

namespace mayfly::engine {

// The id of the row that the next step gives.
struct IdSource {
  RecordId id = kNoRecord;
};

// Once for each connection.
absl::Status RegisterIdSource(const Connection& connection);

// `source` must outlive the statement's run.
void BindIdSource(sqlite3_stmt* statement, int index, IdSource* source);

}  // namespace mayfly::engine

// One update or delete statement, as `update`, `delete` and `findAndModify` have it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/value.h"
#include "commands/command.h"
#include "engine/collection/writer.h"
#include "engine/exec/execution_context.h"

namespace mayfly::commands {

// Views must live while the statement runs.
struct ModifyStatement {
  bson::View query;
  bson::ValueView update;  // document or array; missing: a delete
  std::vector<bson::View> array_filters;
  std::optional<bson::View> constants;  // `c`
  bson::View let;
  bson::View sort;
  bson::View fields;  // projection of findAndModify
  bson::ValueView collation;
  bson::ValueView hint;
  bool multi = false;
  bool upsert = false;
  bool keep_empty_timestamps = false;
  bool return_before = false;  // findAndModify: keep the document as it was
  bool return_after = false;   // and as it is now
};

struct ModifyResult {
  int64_t matched = 0;
  int64_t modified = 0;
  int64_t deleted = 0;
  bson::Value upserted_id;  // missing: nothing was inserted
  bson::Value document;     // findAndModify's value, projected; missing: none
};

// Runs the statement. `collection` may be null if it does not exist; an upsert then creates it.
absl::StatusOr<ModifyResult> RunModify(CommandContext& context, const engine::WriteContext& write,
                                       std::string_view collection_name,
                                       const ModifyStatement& statement);

}  // namespace mayfly::commands

// Replies of commands that open a cursor, and of getMore.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/builder.h"
#include "commands/command.h"
#include "engine/cursor/cursor.h"

namespace mayfly::commands {

// {cursor: {firstBatch: [...], id, ns}}: runs the first batch of at most `batch_size` documents
// (negative: as many as fit) and keeps the cursor if there is more.
absl::Status AppendFirstBatch(CommandContext& context, const Arguments& arguments,
                              std::unique_ptr<engine::Cursor> cursor, int64_t batch_size,
                              bool single_batch, bson::Builder& reply);

// The same without documents and without a cursor.
void AppendEmptyCursor(std::string_view ns, bson::Builder& reply);

// A finished list as a cursor that is exhausted (listCollections, listIndexes): at most
// `batch_size` documents at once, the rest through getMore.
absl::Status AppendDocuments(CommandContext& context, const Arguments& arguments, std::string ns,
                             std::vector<bson::Document> documents, int64_t batch_size,
                             bson::Builder& reply);

// `batchSize` of a `cursor: {...}` argument; -1 (as many as fit) if it is not given. Errors: 2
// negative, 14 not a number, 40415 another field.
absl::StatusOr<int64_t> ReadCursorBatchSize(std::string_view command, bson::View cursor);

}  // namespace mayfly::commands

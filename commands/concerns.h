// readConcern, writeConcern, maxTimeMS, sessions' ids and API parameters: what every command may
// carry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "commands/arguments.h"
#include "engine/storage/database.h"

namespace mayfly::commands {

struct WriteConcern {
  engine::Durability durability = engine::Durability::kCommitted;
  bool acknowledged = true;  // false: {w: 0}
  // Set if the concern cannot be met though the write itself is done: goes to `writeConcernError`.
  std::optional<absl::Status> unsatisfied;
};

// Errors: 9 FailedToParse, 2 BadValue, 14 TypeMismatch, 40415 for unknown fields.
// `journal_by_default`: of the command's class.
absl::StatusOr<WriteConcern> ParseWriteConcern(bson::ValueView value);

// The level must be known and fit a single-node set; errors as MongoDB's.
absl::Status CheckReadConcern(bson::ValueView value, bool replica_set);

// Empty if none is given.
std::string_view ReadConcernLevel(const CommonArguments& common);

// Milliseconds, 0 for none. 2 BadValue if negative or too large, 9 if not whole, 14 if not a
// number.
absl::StatusOr<int64_t> ParseMaxTimeMs(bson::ValueView value, std::string_view command);

// apiVersion, apiStrict, apiDeprecationErrors: 322 APIVersionError, 323 APIStrictError.
absl::Status CheckApiParameters(const CommonArguments& common, bool in_stable_api,
                                std::string_view command);

// lsid, txnNumber, autocommit, startTransaction: shapes, and what this server does not offer.
// `flags`: of the command's row.
absl::Status CheckSessionArguments(const CommonArguments& common, uint32_t flags);

}  // namespace mayfly::commands

// What the stages that report about the server take.
#pragma once

#include "absl/status/status.h"
#include "bson/value.h"
#include "engine/aggregate/stage.h"

namespace mayfly::engine {

// Each checks the operand of the stage it is named after, run on `ns`. Errors: 14 TypeMismatch and
// 40415 for most, else those named.
absl::Status CheckCollStats(bson::ValueView operand, const Namespace& ns);   // 5447000, 31170, 2
absl::Status CheckCurrentOp(bson::ValueView operand, const Namespace& ns);   // 9
absl::Status CheckIndexStats(bson::ValueView operand, const Namespace& ns);  // 28803
absl::Status CheckListClusterCatalog(bson::ValueView operand,
                                     const Namespace& ns);                          // 9621301, ...2
absl::Status CheckListSessions(bson::ValueView operand, const Namespace& ns);       // 73, as below
absl::Status CheckListLocalSessions(bson::ValueView operand, const Namespace& ns);  // 40414, 12
absl::Status CheckPlanCacheStats(bson::ValueView operand,
                                 const Namespace& ns);                          // 9, 13111, 4503200
absl::Status CheckQuerySettings(bson::ValueView operand, const Namespace& ns);  // 7746800
absl::Status CheckQueryStats(bson::ValueView operand, const Namespace& ns);
absl::Status CheckSampledQueries(bson::ValueView operand, const Namespace& ns);

// `scale` of $collStats: {storageStats: {scale: n}}; 1 if there is none.
int64_t ScaleOf(bson::ValueView storage_stats);

}  // namespace mayfly::engine

// Updates by a pipeline of stages that compute fields.
#include "base/status.h"
#include "engine/update/update_kinds.h"

namespace mayfly::engine {

absl::StatusOr<std::unique_ptr<const Update>> ParsePipelineUpdate(
    bson::View u, const UpdateParseContext& context) {
  return base::Error(base::ErrorCode::kNotImplemented, "Pipeline updates are not supported");
}

}  // namespace mayfly::engine

// Reading views: what finds, counts or lists on a view becomes an aggregation of what the view is
// defined on.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "bson/builder.h"
#include "commands/command.h"
#include "engine/exec/find_query.h"
#include "engine/exec/pipeline_query.h"

namespace mayfly::commands {

// find on a view. Errors: 115 or 167 for options that views do not have.
absl::Status FindInView(CommandContext& context, const engine::Collection& view,
                        const Arguments& arguments, const engine::FindRequest& request,
                        int64_t batch_size, bool single_batch, bson::Builder& reply);

// The request as a pipeline: an array's bytes.
bson::Document PipelineOf(const engine::FindRequest& request);

absl::Status CountInView(CommandContext& context, const engine::Collection& view,
                         const engine::FindRequest& request, bson::Builder& reply);

// The documents that match `query`, whether `collection` is stored or a view. `pipeline` is kept
// for the stream.
struct ViewOrCollection {
  std::shared_ptr<engine::PipelineQuery> pipeline;
  std::unique_ptr<engine::Stream> stream;
};
absl::StatusOr<ViewOrCollection> OpenViewOrCollection(
    CommandContext& context, engine::ExecutionContext& execution,
    const std::shared_ptr<engine::Collection>& collection, const engine::FindQuery& query);

}  // namespace mayfly::commands

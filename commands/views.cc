#include "commands/views.h"

#include <string>
#include <utility>

#include "base/status.h"
#include "commands/collections.h"
#include "commands/cursor_reply.h"
#include "engine/cursor/cursor.h"
#include "engine/exec/basic_streams.h"

namespace mayfly::commands {
namespace {

using base::Error;
using base::ErrorCode;

absl::Status CheckRequest(const engine::FindRequest& request) {
  if (request.return_key || request.show_record_id || !request.min.empty() ||
      !request.max.empty()) {
    return Error(ErrorCode::kInvalidPipelineOperator, "option is not supported on a view");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<engine::PipelineQuery>> ParseOnView(
    CommandContext& context, engine::ExecutionContext& execution, const engine::Collection& view,
    bson::View pipeline, const engine::FindRequest& request) {
  if (request.collation.IsDocument() && !request.collation.AsDocument().empty()) {
    MAYFLY_ASSIGN_OR_RETURN(const auto collation,
                            engine::ParseCollation(request.collation.AsDocument()));
    if (!engine::SameCollation(collation.get(), view.options().strings.get())) {
      return Error(ErrorCode::kOptionNotSupportedOnView,
                   "Cannot override a view's default collation for " + view.ns());
    }
  }
  engine::PipelineRequest aggregate{.database = std::string(context.database_name()),
                                    .collection = view.name(),
                                    .pipeline = pipeline,
                                    .collation = {},
                                    .let = request.let,
                                    .hint = request.hint};
  return engine::PipelineQuery::Parse(aggregate, context.catalog, execution, nullptr);
}

}  // namespace

bson::Document PipelineOf(const engine::FindRequest& request) {
  bson::Builder builder;
  builder.OpenArray("pipeline");
  const auto stage = [&](std::string_view name, bson::ValueView operand) {
    builder.PushOpenDocument().Append(name, operand).Close();
  };
  if (!request.filter.empty()) stage("$match", bson::Value::FromDocument(request.filter));
  if (!request.sort.empty()) stage("$sort", bson::Value::FromDocument(request.sort));
  if (request.skip > 0) stage("$skip", bson::Value::Int64(request.skip));
  if (request.limit > 0) stage("$limit", bson::Value::Int64(request.limit));
  if (!request.projection.empty()) stage("$project", bson::Value::FromDocument(request.projection));
  builder.Close();
  const bson::Document holder = builder.Finish();
  return bson::Document(holder.Find("pipeline").AsDocument());
}

absl::Status FindInView(CommandContext& context, const engine::Collection& view,
                        const Arguments& arguments, const engine::FindRequest& request,
                        int64_t batch_size, bool single_batch, bson::Builder& reply) {
  MAYFLY_RETURN_IF_ERROR(CheckRequest(request));
  auto execution = std::make_unique<engine::ExecutionContext>(MakeExecutionContext(context));
  auto pipeline = std::make_shared<bson::Document>(PipelineOf(request));
  MAYFLY_ASSIGN_OR_RETURN(auto query, ParseOnView(context, *execution, view, *pipeline, request));
  MAYFLY_ASSIGN_OR_RETURN(auto stream, query->MakeStream());
  auto cursor = std::make_unique<engine::Cursor>(view.ns(), std::move(execution), std::move(stream),
                                                 engine::Cursor::Keepers{pipeline, query});
  cursor->set_collection(query->source());
  return AppendFirstBatch(context, arguments, std::move(cursor), batch_size, single_batch, reply);
}

absl::Status CountInView(CommandContext& context, const engine::Collection& view,
                         const engine::FindRequest& request, bson::Builder& reply) {
  engine::ExecutionContext execution = MakeExecutionContext(context);
  const bson::Document pipeline = PipelineOf(request);
  MAYFLY_ASSIGN_OR_RETURN(const auto query,
                          ParseOnView(context, execution, view, pipeline, request));
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, query->MakeStream());
  engine::Row row;
  int64_t count = 0;
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, stream->Next(&row));
    if (!more) break;
    ++count;
  }
  reply.Append("n", bson::Value::IntFitting(count));
  return absl::OkStatus();
}

absl::StatusOr<ViewOrCollection> OpenViewOrCollection(
    CommandContext& context, engine::ExecutionContext& execution,
    const std::shared_ptr<engine::Collection>& collection, const engine::FindQuery& query) {
  ViewOrCollection result;
  if (!collection->IsView()) {
    MAYFLY_ASSIGN_OR_RETURN(result.stream, query.MakeStream(execution, collection));
    return result;
  }
  static const bson::Document kNoStages;
  MAYFLY_ASSIGN_OR_RETURN(result.pipeline,
                          ParseOnView(context, execution, *collection, kNoStages, {}));
  MAYFLY_ASSIGN_OR_RETURN(auto stream, result.pipeline->MakeStream());
  result.stream = engine::MakeFilterStream(execution.evaluation, query.filter(), std::move(stream));
  return result;
}

}  // namespace mayfly::commands

#include "commands/write_pipeline.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/pipeline_reports.h"
#include "engine/aggregate/sink.h"
#include "engine/cursor/cursor.h"
#include "engine/exec/pipeline_targets.h"

namespace mayfly::commands {
namespace {

using engine::DatabaseHandle;
using engine::Transaction;

bson::ValueView FieldOf(bson::ValueView value, std::string_view name) {
  return value.IsDocument() ? value.AsDocument().Find(name) : bson::ValueView();
}

class AcrossWriting {
 public:
  AcrossWriting(CommandContext& context, PipelineWriting writing)
      : context_(context), writing_(writing) {}

  absl::Status Run(absl::FunctionRef<absl::StatusOr<PreparedPipeline>()> prepare) {
    MAYFLY_ASSIGN_OR_RETURN(
        source_,
        context_.services.engine.Open(context_.database_name(), engine::Store::IfMissing::kNull));
    MAYFLY_RETURN_IF_ERROR(InSource([&]() -> absl::Status {
      MAYFLY_ASSIGN_OR_RETURN(pipeline_, prepare());
      return absl::OkStatus();
    }));
    // The cursor lets go of what the other context has whenever its batch ends.
    evaluation_ = pipeline_.execution->evaluation;
    runtime_ = pipeline_.execution->runtime;
    runtime_.evaluation = &evaluation_;
    MAYFLY_ASSIGN_OR_RETURN(sink_, pipeline_.query->pipeline().MakeSink(runtime_));
    absl::Status status = Copy();
    if (status.ok()) return status;
    // The failure itself is what the client is told.
    InTarget([&](engine::TargetHost& host) { return sink_->Abandon(host); }).IgnoreError();
    return status;
  }

 private:
  absl::Status Copy() {
    MAYFLY_RETURN_IF_ERROR(InTarget([&](engine::TargetHost& host) { return sink_->Begin(host); }));
    bool ended = false;
    while (!ended) {
      std::vector<bson::Document> batch;
      MAYFLY_RETURN_IF_ERROR(InSource([&] { return Read(&batch, &ended); }));
      if (batch.empty()) continue;
      MAYFLY_RETURN_IF_ERROR(
          InTarget([&](engine::TargetHost& host) { return sink_->Write(std::move(batch), host); }));
    }
    return InTarget([&](engine::TargetHost& host) { return sink_->End(host); });
  }

  absl::Status InSource(absl::FunctionRef<absl::Status()> body) {
    if (source_ == nullptr) return body();
    return source_->storage().Run({}, [&](Transaction& transaction) -> absl::Status {
      context_.database = source_.get();
      context_.transaction = &transaction;
      MAYFLY_ASSIGN_OR_RETURN(context_.catalog, source_->GetCatalog(transaction));
      absl::Status status = body();
      context_.transaction = nullptr;
      return status;
    });
  }

  // The next documents of the pipeline, as many as a client would get at once.
  absl::Status Read(std::vector<bson::Document>* batch, bool* ended) {
    PipelineReports reports(context_);
    if (cursor_ == nullptr) {
      pipeline_.execution->transaction = context_.transaction;
      pipeline_.execution->reporter = &reports;
      MAYFLY_ASSIGN_OR_RETURN(auto stream, pipeline_.query->MakeStream());
      cursor_ = std::make_unique<engine::Cursor>(std::string(), std::move(pipeline_.execution),
                                                 std::move(stream),
                                                 engine::Cursor::Keepers{pipeline_.query});
      cursor_->set_collection(pipeline_.query->source());
    } else {
      cursor_->Attach(context_.transaction, context_.now_ms, context_.interrupt,
                      context_.evaluation.random);
      cursor_->context().reporter = &reports;
    }
    bson::Builder builder;
    builder.OpenArray("documents");
    MAYFLY_ASSIGN_OR_RETURN(*ended, cursor_->FillBatch(-1, &builder));
    cursor_->Detach();
    const bson::Document filled = builder.Close().Finish();
    for (const bson::Element& element : filled.Find("documents").AsDocument()) {
      batch->emplace_back(element.value.AsDocument());
    }
    return absl::OkStatus();
  }

  absl::Status InTarget(absl::FunctionRef<absl::Status(engine::TargetHost&)> body) {
    MAYFLY_ASSIGN_OR_RETURN(
        const auto target,
        context_.services.engine.Open(sink_->target().database, engine::Store::IfMissing::kCreate));
    absl::Status outcome;
    const engine::OperationOptions options{.access = engine::Access::kWrite,
                                           .durability = writing_.durability};
    MAYFLY_RETURN_IF_ERROR(
        target->storage().Run(options, [&](Transaction& transaction) -> absl::Status {
          outcome = RunInTarget(*target, transaction, body);
          return absl::OkStatus();  // what it has written stays
        }));
    return outcome;
  }

  absl::Status RunInTarget(DatabaseHandle& target, Transaction& transaction,
                           absl::FunctionRef<absl::Status(engine::TargetHost&)> body) {
    MAYFLY_ASSIGN_OR_RETURN(engine::Catalog* const catalog, target.GetCatalog(transaction));
    const engine::WriteContext write{
        .transaction = transaction,
        .catalog = *catalog,
        .evaluation = evaluation_,
        .modified_ms = target.StampModification(context_.now_ms),
        .expiry_listener = context_.services.engine.expiry_listener(),
        .removal_observer = context_.services.engine.removal_observer(),
        .bypass_validation = writing_.bypass_validation};
    engine::ExecutionContext execution;
    execution.transaction = &transaction;
    execution.now_ms = context_.now_ms;
    execution.evaluation = evaluation_;
    engine::PipelineTargets targets(write, execution);
    return body(targets);
  }

  CommandContext& context_;
  const PipelineWriting writing_;
  std::shared_ptr<DatabaseHandle> source_;  // null: there is no such database
  PreparedPipeline pipeline_;
  engine::EvaluationContext evaluation_;
  engine::Runtime runtime_;
  std::unique_ptr<engine::Sink> sink_;
  std::unique_ptr<engine::Cursor> cursor_;
};

}  // namespace

std::string_view WrittenDatabase(const bson::Element& stage, std::string_view database) {
  if (stage.key != "$out" && stage.key != "$merge") return {};
  const bson::ValueView target = stage.key == "$out" ? stage.value : FieldOf(stage.value, "into");
  const bson::ValueView named = FieldOf(target, "db");
  const bool is_named = named.IsString() && !named.AsString().empty();
  return is_named ? named.AsString() : database;
}

absl::Status WriteHere(CommandContext& context, const PreparedPipeline& pipeline,
                       PipelineWriting writing) {
  engine::WriteContext write = MakeWriteContext(context);
  write.bypass_validation = writing.bypass_validation;
  engine::ExecutionContext& execution = *pipeline.execution;
  MAYFLY_ASSIGN_OR_RETURN(const auto sink, pipeline.query->pipeline().MakeSink(execution.runtime));
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, pipeline.query->MakeStream());
  engine::PipelineTargets targets(write, execution);
  context.failure = engine::WriteAll(*stream, *sink, targets);
  return absl::OkStatus();
}

absl::Status WriteAcross(CommandContext& context, PipelineWriting writing,
                         absl::FunctionRef<absl::StatusOr<PreparedPipeline>()> prepare) {
  return AcrossWriting(context, writing).Run(prepare);
}

}  // namespace mayfly::commands

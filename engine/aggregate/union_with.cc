// $unionWith: the documents of another collection after those of this pipeline.
#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/aggregate/sub_pipeline.h"

namespace mayfly::engine {
namespace {

class UnionStream final : public StageStream {
 public:
  UnionStream(std::unique_ptr<Stream> source, const Namespace& ns, const Pipeline& pipeline,
              const Runtime& runtime)
      : StageStream(std::move(source)), ns_(ns), pipeline_(pipeline), inner_(runtime) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (!second_) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
      if (more) return true;
      DropSource();
      MAYFLY_ASSIGN_OR_RETURN(second_, OpenSubPipeline(pipeline_, ns_, nullptr, inner_.runtime()));
    }
    inner_.runtime();
    MAYFLY_ASSIGN_OR_RETURN(bool more, second_->Next(row));
    if (more) row->record_id = kNoRecord;
    return more;
  }
  void Suspend() override {
    StageStream::Suspend();
    if (second_) second_->Suspend();
  }
  void Resume(Transaction& transaction) override {
    StageStream::Resume(transaction);
    if (second_) second_->Resume(transaction);
  }

 private:
  const Namespace& ns_;
  const Pipeline& pipeline_;
  InnerRuntime inner_;
  std::unique_ptr<Stream> second_;
};

class UnionStage final : public Stage {
 public:
  UnionStage(const StageRow& row, Namespace ns, std::unique_ptr<Pipeline> pipeline)
      : Stage(row), ns_(std::move(ns)), pipeline_(std::move(pipeline)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<UnionStream>(std::move(source), ns_, *pipeline_, runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kNeedsAll; }
  void AddNamespaces(std::vector<Namespace>* out) const override {
    out->push_back(ns_);
    for (const Namespace& ns : pipeline_->Namespaces()) out->push_back(ns);
  }

 private:
  const Namespace ns_;
  const std::unique_ptr<Pipeline> pipeline_;
};

absl::Status ParseUnionWith(bson::ValueView operand, const StageRow& row,
                            const PipelineContext& context, std::vector<StagePtr>* out) {
  bson::ValueView collection = operand, pipeline;
  if (operand.IsDocument()) {
    collection = operand.AsDocument().Find("coll");
    pipeline = operand.AsDocument().Find("pipeline");
    for (const bson::Element& element : operand.AsDocument()) {
      if (element.key == "coll" || element.key == "pipeline") continue;
      return base::Error(
          40415, base::StrCat("BSON field '$unionWith.", element.key, "' is an unknown field."));
    }
    if (!pipeline.IsMissing() && !pipeline.IsArray()) {
      return base::Error(base::ErrorCode::kTypeMismatch, "A pipeline must be an array of objects");
    }
  } else if (!operand.IsString()) {
    return base::Error(
        base::ErrorCode::kFailedToParse,
        base::StrCat("the $unionWith stage specification must be an object or string, but found ",
                     bson::TypeName(operand.type())));
  }
  if (!collection.IsMissing() && !collection.IsString()) {
    return base::Error(
        base::ErrorCode::kTypeMismatch,
        base::StrCat("BSON field '$unionWith.coll' is the wrong type '",
                     bson::TypeName(collection.type()), "', expected type 'string'"));
  }
  Namespace ns{context.ns.database, ""};
  if (collection.IsString()) {
    ns.collection = std::string(collection.AsString());
    MAYFLY_RETURN_IF_ERROR(CheckNamespace(ns));
  }
  const bson::View stages = pipeline.IsMissing() ? bson::View() : pipeline.AsDocument();
  Variables inner(context.expressions.variables);
  MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Pipeline> parsed,
                          ParseSubPipeline(stages, context, PipelinePlace::kUnionWith, ns, inner));
  if (collection.IsMissing() && !parsed->HasOwnSource()) {
    return base::Error(base::ErrorCode::kFailedToParse,
                       "$unionWith stage without explicit collection must have a pipeline with "
                       "$documents as first stage");
  }
  out->push_back(std::make_unique<UnionStage>(row, std::move(ns), std::move(parsed)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kUnionWithRow = {.name = "$unionWith",
                                .parse = ParseUnionWith,
                                .help = "adds the documents of another collection"};

}  // namespace mayfly::engine

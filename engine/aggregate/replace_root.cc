// $replaceRoot and $replaceWith: every document becomes the value of an expression.
#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

class ReplaceStream final : public StageStream {
 public:
  ReplaceStream(std::unique_ptr<Stream> source, const Expression& expression,
                const Runtime& runtime)
      : StageStream(std::move(source)), expression_(expression), frame_(*runtime.evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
    if (!more) return false;
    frame_.root = row->doc();
    frame_.row = row;
    bson::Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView root, expression_.View(frame_, &scratch));
    if (!root.IsDocument()) {
      return base::Error(
          40228,
          base::StrCat("'newRoot' expression must evaluate to an object, but resulting value was: ",
                       ValueText(root), ". Type of resulting value: '", bson::TypeName(root.type()),
                       "'. Input document: ", ValueText(bson::Value::FromDocument(row->doc()))));
    }
    row->Own(bson::Document(root.AsDocument()));
    row->record_id = kNoRecord;
    return true;
  }

 private:
  const Expression& expression_;
  Frame frame_;
};

class ReplaceStage final : public Stage {
 public:
  ReplaceStage(const StageRow& row, ExpressionPtr expression)
      : Stage(row), expression_(std::move(expression)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<ReplaceStream>(std::move(source), *expression_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    expression_->AddDependencies(out);
    return Fields::kDropsOthers;
  }

 private:
  const ExpressionPtr expression_;
};

absl::Status ParseReplaceWith(bson::ValueView operand, const StageRow& row,
                              const PipelineContext& context, std::vector<StagePtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(operand, context.expressions));
  out->push_back(std::make_unique<ReplaceStage>(row, std::move(expression)));
  return absl::OkStatus();
}

absl::Status ParseReplaceRoot(bson::ValueView operand, const StageRow& row,
                              const PipelineContext& context, std::vector<StagePtr>* out) {
  if (!operand.IsDocument()) {
    return base::Error(
        40229, base::StrCat("expected an object as specification for $replaceRoot stage, got ",
                            bson::TypeName(operand.type())));
  }
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key != "newRoot") {
      return base::Error(
          40415, base::StrCat("BSON field '$replaceRoot.", element.key, "' is an unknown field."));
    }
  }
  bson::ValueView root = operand.AsDocument().Find("newRoot");
  if (root.IsMissing()) {
    return base::Error(40414, "BSON field '$replaceRoot.newRoot' is missing but a required field");
  }
  return ParseReplaceWith(root, row, context, out);
}

}  // namespace

const StageRow kReplaceRootRow = {.name = "$replaceRoot",
                                  .parse = ParseReplaceRoot,
                                  .help = "replaces every document by one that an expression gives",
                                  .in_update = true};
const StageRow kReplaceWithRow = {.name = "$replaceWith",
                                  .parse = ParseReplaceWith,
                                  .help = "the short form of $replaceRoot",
                                  .in_update = true};

}  // namespace mayfly::engine

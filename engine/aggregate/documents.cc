// $documents: documents written in the pipeline itself.
#include "base/strings.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

class DocumentsStream final : public Stream {
 public:
  explicit DocumentsStream(bson::Value array)
      : array_(std::move(array)), elements_(Elements(array_)) {}

  absl::StatusOr<bool> Next(Row* row) override {
    if (next_ >= elements_.size()) return false;
    *row = Row();
    row->Own(bson::Document(elements_[next_++].AsDocument()));
    return true;
  }

 private:
  const bson::Value array_;
  const std::vector<bson::ValueView> elements_;
  size_t next_ = 0;
};

class DocumentsStage final : public Stage {
 public:
  DocumentsStage(const StageRow& row, ExpressionPtr expression)
      : Stage(row), expression_(std::move(expression)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream>,
                                                     const Runtime& runtime) const override {
    Frame frame(*runtime.evaluation);
    MAYFLY_ASSIGN_OR_RETURN(bson::Value array, expression_->Evaluate(frame));
    if (!array.view().IsArray()) {
      return base::Error(
          5858203, base::StrCat("an array is expected, but found ", bson::TypeName(array.type())));
    }
    for (bson::ValueView element : Elements(array)) {
      if (element.IsDocument()) continue;
      return base::Error(
          40228,
          base::StrCat("'newRoot' expression must evaluate to an object, but resulting value was: ",
                       ValueText(element), ". Type of resulting value: '",
                       bson::TypeName(element.type()), "'. Input document: {}"));
    }
    return std::make_unique<DocumentsStream>(std::move(array));
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kDropsOthers; }
  bool IsSource() const override { return true; }

 private:
  const ExpressionPtr expression_;
};

absl::Status ParseDocuments(bson::ValueView operand, const StageRow& row,
                            const PipelineContext& context, std::vector<StagePtr>* out) {
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(operand, context.expressions));
  out->push_back(std::make_unique<DocumentsStage>(row, std::move(expression)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kDocumentsRow = {.name = "$documents",
                                .parse = ParseDocuments,
                                .help = "gives documents written in the pipeline",
                                .position = StagePosition::kFirst,
                                .in_facet = false,
                                .without_collection = true};

}  // namespace mayfly::engine

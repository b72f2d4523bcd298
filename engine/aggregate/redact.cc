// $redact: keeps or prunes documents, level by level, as an expression says.
#include "base/limits.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

constexpr std::string_view kDescend = "descend", kPrune = "prune", kKeep = "keep";

class RedactStream final : public StageStream {
 public:
  RedactStream(std::unique_ptr<Stream> source, const Expression& expression, Slot current,
               const Runtime& runtime)
      : StageStream(std::move(source)),
        expression_(expression),
        current_(current),
        runtime_(runtime),
        frame_(*runtime.evaluation) {}

  absl::StatusOr<bool> Next(Row* row) override {
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(row));
      if (!more) return false;
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
      frame_.root = row->doc();
      frame_.row = row;
      MAYFLY_ASSIGN_OR_RETURN(std::optional<bson::Document> kept, Redact(row->doc(), 0));
      if (!kept) continue;
      row->Own(*std::move(kept));
      row->record_id = kNoRecord;
      return true;
    }
  }

 private:
  // Nullopt if the document is pruned.
  absl::StatusOr<std::optional<bson::Document>> Redact(bson::View document, int depth) {
    if (depth > base::kMaxNestingDepth)
      return base::Error(base::ErrorCode::kOverflow, "document is nested too deeply");
    frame_.Set(current_, bson::ValueView(bson::Type::kDocument, document.data(), document.size()));
    bson::Value scratch;
    MAYFLY_ASSIGN_OR_RETURN(bson::ValueView value, expression_.View(frame_, &scratch));
    const std::string_view verdict = value.IsString() ? value.AsString() : std::string_view();
    if (verdict == kKeep) return std::optional<bson::Document>(document);
    if (verdict == kPrune) return std::optional<bson::Document>();
    if (verdict != kDescend) {
      return base::Error(
          17053,
          base::StrCat("$redact's expression should not return anything aside from the variables "
                       "$$KEEP, $$DESCEND, and $$PRUNE, but returned ",
                       ValueText(value)));
    }
    bson::Builder out;
    for (const bson::Element& element : document) {
      if (element.value.IsDocument()) {
        MAYFLY_ASSIGN_OR_RETURN(std::optional<bson::Document> kept,
                                Redact(element.value.AsDocument(), depth + 1));
        if (kept) out.Document(element.key, *kept);
      } else if (element.value.IsArray()) {
        out.OpenArray(element.key);
        MAYFLY_RETURN_IF_ERROR(RedactElements(element.value, depth + 1, &out));
        out.Close();
      } else {
        out.Append(element);
      }
    }
    return std::optional<bson::Document>(out.Finish());
  }

  absl::Status RedactElements(bson::ValueView array, int depth, bson::Builder* out) {
    if (depth > base::kMaxNestingDepth)
      return base::Error(base::ErrorCode::kOverflow, "document is nested too deeply");
    for (const bson::Element& element : array.AsDocument()) {
      if (element.value.IsDocument()) {
        MAYFLY_ASSIGN_OR_RETURN(std::optional<bson::Document> kept,
                                Redact(element.value.AsDocument(), depth + 1));
        if (kept) out->PushDocument(*kept);
      } else if (element.value.IsArray()) {
        out->PushOpenArray();
        MAYFLY_RETURN_IF_ERROR(RedactElements(element.value, depth + 1, out));
        out->Close();
      } else {
        out->Push(element.value);
      }
    }
    return absl::OkStatus();
  }

  const Expression& expression_;
  const Slot current_;
  const Runtime& runtime_;
  Frame frame_;
};

class RedactStage final : public Stage {
 public:
  RedactStage(const StageRow& row, ExpressionPtr expression, Slot current)
      : Stage(row), expression_(std::move(expression)), current_(current) {}
  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<RedactStream>(std::move(source), *expression_, current_, runtime);
  }
  Fields AddDependencies(Dependencies*) const override { return Fields::kNeedsAll; }

 private:
  const ExpressionPtr expression_;
  const Slot current_;
};

absl::Status ParseRedact(bson::ValueView operand, const StageRow& row,
                         const PipelineContext& context, std::vector<StagePtr>* out) {
  Variables inner(context.expressions.variables);
  inner.DefineConstant("DESCEND", bson::Value::String(kDescend));
  inner.DefineConstant("PRUNE", bson::Value::String(kPrune));
  inner.DefineConstant("KEEP", bson::Value::String(kKeep));
  const Slot current = inner.Define("CURRENT");
  ParseContext scope = context.expressions;
  scope.variables = &inner;
  MAYFLY_ASSIGN_OR_RETURN(ExpressionPtr expression, ParseExpression(operand, scope));
  out->push_back(std::make_unique<RedactStage>(row, std::move(expression), current));
  return absl::OkStatus();
}

}  // namespace

const StageRow kRedactRow = {"$redact", ParseRedact, "keeps or prunes parts of documents"};

}  // namespace mayfly::engine

// Two documents from the bytes: a pipeline {p: [stages]} and what runs through it, three times
// over. Nothing may crash, and every document that comes out must be well-formed.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "bson/validate.h"
#include "engine/aggregate/pipeline.h"
#include "tests/fuzz/two_documents.h"

namespace mayfly::engine {
namespace {

class Repeat final : public Stream {
 public:
  explicit Repeat(bson::View document) : document_(document) {}
  absl::StatusOr<bool> Next(Row* row) override {
    if (left_ == 0) return false;
    --left_;
    *row = Row();
    row->Borrow(document_, left_ + 1);
    return true;
  }

 private:
  const bson::View document_;
  int left_ = 3;
};

void Check(bson::View stages, bson::View document) {
  base::Random random(1);
  EvaluationContext evaluation;
  evaluation.random = &random;
  Variables variables;
  PipelineContext context;
  context.expressions.variables = &variables;
  context.expressions.evaluation = &evaluation;
  context.ns = {"db", "coll"};
  const absl::StatusOr<std::unique_ptr<Pipeline>> pipeline = ParsePipeline(stages, context);
  if (!pipeline.ok()) return;
  Runtime runtime;
  runtime.evaluation = &evaluation;
  runtime.memory_limit_bytes = 1 << 20;
  runtime.allow_disk_use = false;
  absl::StatusOr<std::unique_ptr<Stream>> stream =
      (*pipeline)->MakeStream(std::make_unique<Repeat>(document), runtime);
  if (!stream.ok()) return;
  constexpr int kMaxRows = 1000;
  Row row;
  for (int i = 0; i < kMaxRows; ++i) {
    const absl::StatusOr<bool> more = (*stream)->Next(&row);
    if (!more.ok() || !*more) return;
    constexpr int kDeep = 1000;
    if (!bson::ValidateDocument(row.doc().bytes(), kDeep).ok()) std::abort();
  }
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = mayfly::fuzz::SplitInput(data, size);
  if (!input.has_value()) return 0;
  const mayfly::bson::ValueView stages = input->first.First().value;
  if (stages.IsArray()) mayfly::engine::Check(stages.AsDocument(), input->second);
  return 0;
}

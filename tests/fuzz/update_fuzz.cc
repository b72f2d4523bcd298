// A document and an update from arbitrary bytes: whatever parses must apply without a crash and
// leave a valid document.
//
// Input: flags byte, matched index byte, then a document {u: ..., d: {...}, f: [array filters], q:
// filter}.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bson/validate.h"
#include "engine/query/filter.h"
#include "engine/update/update.h"

namespace mayfly::engine {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckResult(bson::View result) {
  Require(bson::ValidateDocument(result.bytes(), base::kMaxNestingDepth).ok());
}

void Upsert(const Update& update, bson::ValueView filter, const UpdateApplyContext& apply) {
  if (!filter.IsDocument()) return;
  FilterParseContext context;
  context.evaluation = apply.evaluation;
  const absl::StatusOr<FilterPtr> parsed = ParseFilter(filter.AsDocument(), context);
  if (!parsed.ok()) return;
  const absl::StatusOr<bson::Document> result =
      update.MakeUpsertDocument(**parsed, apply, bson::ObjectId());
  if (!result.ok()) return;
  CheckResult(*result);
  Require(result->view().First().key == "_id");
}

void Run(uint8_t flags, uint8_t index, bson::View input) {
  base::Random random(1);
  EvaluationContext evaluation;
  evaluation.now_ms = 1'700'000'000'000;
  evaluation.random = &random;
  UpdateParseContext context;
  context.evaluation = &evaluation;
  context.multi = (flags & 1) != 0;
  context.keep_empty_timestamps = (flags & 2) != 0;
  const bson::ValueView filters = input.Find("f");
  if (filters.IsArray()) {
    for (const bson::Element& filter : filters.AsDocument()) {
      if (filter.value.IsDocument()) context.array_filters.push_back(filter.value.AsDocument());
    }
  }
  const auto update = Update::Parse(input.Find("u"), context);
  if (!update.ok()) return;
  UpdateApplyContext apply{.evaluation = &evaluation, .matched_index = std::nullopt};
  if ((flags & 4) != 0) apply.matched_index = index;
  const bson::ValueView document = input.Find("d");
  if (document.IsDocument()) {
    const auto result = (*update)->Apply(document.AsDocument(), apply);
    if (result.ok() && result->has_value()) CheckResult(**result);
  }
  Upsert(**update, input.Find("q"), apply);
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  if (!mayfly::bson::ValidateDocument(bytes).ok()) return 0;
  mayfly::engine::Run(data[0], data[1], mayfly::bson::View(bytes));
  return 0;
}

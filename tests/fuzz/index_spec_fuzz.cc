// Two documents from the bytes: an index specification and a document that gets its keys. What is
// accepted must be accepted again in its stored form, and mean the same.
#include <cstdint>
#include <cstdlib>

#include "engine/catalog/catalog_rows.h"
#include "engine/index/index_keys.h"
#include "tests/fuzz/two_documents.h"

namespace mayfly::engine {
namespace {

void Check(bson::View requested, bson::View document) {
  const absl::StatusOr<IndexSpec> spec = ParseIndexSpec(requested, {});
  if (!spec.ok()) return;
  const IndexSpec again = IndexSpecFromStored(spec->stored);
  if (again.stored.bytes() != spec->stored.bytes() || again.fields.size() != spec->fields.size()) {
    std::abort();
  }
  const auto index = MakeIndex(*spec);
  if (!index.ok()) return;
  base::Random random(1);
  EvaluationContext evaluation;
  evaluation.random = &random;
  IndexKeySet keys;
  if (!ComputeIndexKeys(**index, document, evaluation, &keys).ok()) return;
  for (const IndexKeySet::Key& key : keys.keys()) {
    const std::string entry_key = EntryKey(**index, key.fields, 1);
    const std::string entry_value = EntryValue(**index, key.type_bits, 1);
    const IndexEntry entry = ParseEntry(**index, entry_key, entry_value);
    if (entry.id != 1 || entry.fields != key.fields) std::abort();
  }
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = mayfly::fuzz::SplitInput(data, size);
  if (!input.has_value()) return 0;
  mayfly::engine::Check(input->first, input->second);
  return 0;
}

// Two documents from the bytes: a sort specification, and a document whose fields are sorted as
// well as itself. The order must be one: total, the same from keys and from views of them, and
// turned round by turning all directions round.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bson/builder.h"
#include "engine/expression/sort_pattern.h"
#include "tests/fuzz/two_documents.h"

namespace mayfly::engine {
namespace {

constexpr size_t kMaxRows = 8;

using Key = std::vector<bson::Value>;

void Expect(bool condition) {
  if (!condition) std::abort();
}

int Sign(int order) { return (order > 0) - (order < 0); }

// The same fields the other way round. Metadata has one direction only.
bson::Document Reversed(const SortPattern& pattern) {
  bson::Builder out;
  for (const SortPattern::Part& part : pattern.parts()) {
    out.Int32(part.dotted, part.descending ? 1 : -1);
  }
  return out.Finish();
}

bool HasMetadata(const SortPattern& pattern) {
  for (const SortPattern::Part& part : pattern.parts()) {
    if (part.meta != SortPattern::Part::Meta::kNone) return true;
  }
  return false;
}

std::vector<bson::View> RowsOf(bson::View document) {
  std::vector<bson::View> rows = {document};
  for (const bson::Element& element : document) {
    if (element.value.IsDocument() && rows.size() < kMaxRows) {
      rows.push_back(element.value.AsDocument());
    }
  }
  return rows;
}

void CheckOrder(const SortPattern& pattern, const std::vector<Key>& keys) {
  for (const Key& a : keys) {
    Expect(pattern.Compare(a, a, nullptr) == 0);
    for (const Key& b : keys) {
      const int order = Sign(pattern.Compare(a, b, nullptr));
      Expect(order == -Sign(pattern.Compare(b, a, nullptr)));
      for (const Key& c : keys) {
        if (order <= 0 && pattern.Compare(b, c, nullptr) <= 0) {
          Expect(pattern.Compare(a, c, nullptr) <= 0);
        }
      }
    }
  }
}

// The same keys order the other way by the pattern turned round.
void CheckReversed(const SortPattern& pattern, const std::vector<Key>& keys) {
  const absl::StatusOr<SortPattern> reversed = SortPattern::Parse(Reversed(pattern));
  Expect(reversed.ok() && reversed->parts().size() == pattern.parts().size());
  for (const Key& a : keys) {
    for (const Key& b : keys) {
      Expect(Sign(reversed->Compare(a, b, nullptr)) == -Sign(pattern.Compare(a, b, nullptr)));
    }
  }
}

void Check(bson::View spec, bson::View document) {
  const absl::StatusOr<SortPattern> pattern = SortPattern::Parse(spec);
  if (!pattern.ok()) return;
  Expect(!pattern->parts().empty());
  std::vector<Key> keys;
  for (const bson::View row : RowsOf(document)) {
    std::vector<bson::ValueView> views;
    const absl::StatusOr<Key> key = pattern->Key(row, nullptr);
    Expect(pattern->KeyViews(row, nullptr, &views).ok() == key.ok());
    if (!key.ok()) continue;  // parallel arrays
    Expect(key->size() == pattern->parts().size());
    Expect(pattern->Compare(*key, views, nullptr) == 0);
    keys.push_back(*key);
  }
  CheckOrder(*pattern, keys);
  if (!HasMetadata(*pattern)) CheckReversed(*pattern, keys);
}

}  // namespace
}  // namespace mayfly::engine

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = mayfly::fuzz::SplitInput(data, size);
  if (!input.has_value()) return 0;
  mayfly::engine::Check(input->first, input->second);
  return 0;
}
